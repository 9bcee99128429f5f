/** Finds the annotations at a place in the text without visiting all of them. */

import { firstIndex } from "../lib/bisect";
import type { Annotation } from "../lib/types";
import type { Span } from "./editor.svelte";

/** The annotations that share a character with a span, in order. */
export type Overlaps = (span: Span) => Annotation[];

/** annotations: in text order, as the editor keeps them. */
export function overlapsOf(annotations: readonly Annotation[]): Overlaps {
  // The furthest end of each annotation and all before it.
  const furthestEnds = new Float64Array(annotations.length);
  let furthest = 0;
  annotations.forEach(({ end }, index) => (furthestEnds[index] = furthest = Math.max(furthest, end)));
  return ({ start, end }) => {
    const first = firstIndex(annotations.length, (index) => (furthestEnds[index] ?? 0) > start);
    const last = firstIndex(annotations.length, (index) => (annotations[index]?.start ?? 0) >= end);
    return annotations.slice(first, last).filter((annotation) => annotation.end > start);
  };
}
