/** Code points, in which the server counts, and UTF-16 code units, in which JavaScript does. */

export interface Offsets {
  /** The UTF-16 offset of a code point's. */
  units(points: number): number;
  /** The code-point offset of a UTF-16 one; within a surrogate pair, that of the pair. */
  points(units: number): number;
}

const SAME: Offsets = { units: (points) => points, points: (units) => units };

/** Both conversions of a text: none of characters beyond the basic plane costs nothing. */
export function offsetsOf(text: string): Offsets {
  // UTF-16 offsets of the second halves of surrogate pairs, in order.
  const seconds: number[] = [];
  for (const pair of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) seconds.push(pair.index + 1);
  if (seconds.length === 0) return SAME;
  const before = (units: number): number => {
    let low = 0;
    let high = seconds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((seconds[middle] ?? 0) < units) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    points: (units) => {
      const pairs = before(units);
      return units - pairs - (seconds[pairs] === units ? 1 : 0);
    },
    units: (points) => {
      let low = 0;
      let high = seconds.length;
      // The i-th pair begins at code point seconds[i] - 1 - i.
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((seconds[middle] ?? 0) - 1 - middle < points) low = middle + 1;
        else high = middle;
      }
      return points + low;
    },
  };
}
