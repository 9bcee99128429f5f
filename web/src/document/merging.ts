/** Updates the annotations that a page shows from the server's answers. */

import type { Offsets } from "../lib/offsets";
import type { Annotation, Change } from "../lib/types";

/** Text order. Of annotations that begin together, the longer comes first, then the older. */
export const inOrder = (a: Annotation, b: Annotation): number => a.start - b.start || b.end - a.end || a.id - b.id;

/** An annotation from the server with its offsets in UTF-16 code units. */
export const placed = (annotation: Annotation, offsets: Offsets): Annotation => ({
  ...annotation,
  start: offsets.units(annotation.start),
  end: offsets.units(annotation.end),
});

/** The annotations after a change, in order. Unchanged ones stay the same objects, so they are not drawn again. */
export function merged(
  shown: readonly Annotation[],
  change: Pick<Change, "changed" | "removed">,
  offsets: Offsets,
): Annotation[] {
  const replaced = new Set([...change.removed, ...change.changed.map(({ id }) => id)]);
  const kept = shown.filter(({ id }) => !replaced.has(id));
  return [...kept, ...change.changed.map((annotation) => placed(annotation, offsets))].sort(inOrder);
}
