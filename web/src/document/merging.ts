/** The annotations a page shows, kept as the server's answers say. */

import type { Offsets } from "../lib/offsets";
import type { Annotation, Change } from "../lib/types";

/** Text order; of those that begin together the longer first, then the older. */
export const inOrder = (a: Annotation, b: Annotation): number => a.start - b.start || b.end - a.end || a.id - b.id;

/** An annotation of the server's with its offsets in UTF-16 code units. */
export const placed = (one: Annotation, offsets: Offsets): Annotation => ({
  ...one,
  start: offsets.units(one.start),
  end: offsets.units(one.end),
});

/** What is shown after a change, in order. What it does not touch stays the same object, and need not be drawn again. */
export function merged(shown: readonly Annotation[], change: Pick<Change, "changed" | "removed">, offsets: Offsets): Annotation[] {
  const gone = new Set([...change.removed, ...change.changed.map((one) => one.id)]);
  const kept = shown.filter((one) => !gone.has(one.id));
  return [...kept, ...change.changed.map((one) => placed(one, offsets))].sort(inOrder);
}
