/** The server's answers, as `src/linnet/annotate/api/schemas/` defines them. Offsets of annotations count code points;
 * `document/editor.svelte.ts` converts them to UTF-16 code units for the rest of the page. */

export type * from "./accounts";
export type * from "./assigning";
export type * from "./attributes";
export type * from "./comments";
export type * from "./concepts";
export type * from "./curation";
export type * from "./documents";
export type * from "./entrance";
export type * from "./history";
export type * from "./learning";
export type * from "./problems";
export type * from "./projects";
