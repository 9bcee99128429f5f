/** Converts between code points, which the server counts, and UTF-16 code units, which JavaScript counts. */

import { firstIndex } from "./bisect";

export interface Offsets {
  /** UTF-16 offset of a code-point offset. */
  units(points: number): number;
  /** Code-point offset of a UTF-16 offset; within a surrogate pair, the offset of the pair. */
  points(units: number): number;
}

const SAME: Offsets = { units: (points) => points, points: (units) => units };

/** Both conversions for a text. They cost nothing if it has no surrogate pairs. */
export function offsetsOf(text: string): Offsets {
  // UTF-16 offsets of the second halves of surrogate pairs, in order.
  const seconds: number[] = [];
  for (const pair of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) seconds.push(pair.index + 1);
  if (seconds.length === 0) return SAME;
  const second = (index: number): number => seconds[index] ?? Infinity;
  return {
    points: (units) => {
      const pairs = firstIndex(seconds.length, (index) => second(index) >= units);
      return units - pairs - (second(pairs) === units ? 1 : 0);
    },
    // The pair at `index` begins at code point second(index) - 1 - index.
    units: (points) => points + firstIndex(seconds.length, (index) => second(index) - 1 - index >= points),
  };
}
