import type { Equivalence } from "../lib/types";

/** Whether the list says what a concept is to its string: not where they are the same. */
export function isTold(equivalence: Equivalence): boolean {
  return !["equal", "equivalent", "unmatched"].includes(equivalence);
}
