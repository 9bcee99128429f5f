/** The server's answers and what it is asked: `schemas.ts`, which `npm run types` generates, and names for parts of it.
 * Offsets of annotations count code points; `document/editor.svelte.ts` converts them to UTF-16 code units for the rest
 * of the page. */

import type {
  Annotation,
  AnnotationChange,
  ConceptSummary,
  ConflictProblem,
  Found,
  LearnedNames,
  LearnedStops,
  Order,
  Problem,
  RowView,
} from "./schemas";

export type * from "./schemas";

/** Name → true for a flag, else its value. */
export type AttributeValues = Annotation["attributes"];

/** A new or changed annotation. Missing values stay as they are. */
export type AnnotationInput = Omit<AnnotationChange, "revision" | "start" | "end"> &
  Partial<Pick<Annotation, "start" | "end">>;

/** A search result (with `match`) or a candidate of the linker (with `score` and `origin`). */
export type ConceptMatch = ConceptSummary & Pick<Found, "found"> & Partial<Found>;

export type Learned = LearnedNames | LearnedStops;

/** Why a request was refused; in a conflict also what it met. */
export type Refusal = Pick<Problem, "code" | "message"> & Partial<ConflictProblem>;

export type RowStatus = RowView["status"];

/** What a list of rows has: "" and false restrict nothing. */
export interface Wanted {
  order: Order;
  status: RowStatus | "";
  attention: boolean;
  text: string;
  by: string;
  /** Only proposals that are at least so probable; null for all. */
  above: number | null;
  /** Only these rows, if there are any. */
  number: number[];
}
