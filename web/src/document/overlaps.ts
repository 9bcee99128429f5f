/** The annotations at a place of the text, found without looking at all of them. */

import type { Annotation } from "../lib/types";
import type { Span } from "./editor.svelte";

/** Those that have a character in common with a span, in order. */
export type Overlaps = (span: Span) => Annotation[];

/** annotations: in text order, as the editor keeps them. */
export function overlapsOf(annotations: readonly Annotation[]): Overlaps {
  // How far an annotation and all before it reach.
  const reach = new Float64Array(annotations.length);
  let furthest = 0;
  annotations.forEach((one, index) => (reach[index] = furthest = Math.max(furthest, one.end)));
  return ({ start, end }) => {
    const found: Annotation[] = [];
    for (let index = firstBeyond(reach, start); index < annotations.length; index++) {
      const one = annotations[index];
      if (!one || one.start >= end) break;
      if (one.end > start) found.push(one);
    }
    return found;
  };
}

function firstBeyond(reach: Float64Array, offset: number): number {
  let low = 0;
  let high = reach.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((reach[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
