/** Annotations for tests: a span and whatever else matters. */

import type { Annotation } from "../src/lib/types";

export function annotation(id: number, start: number, end: number, more: Partial<Annotation> = {}): Annotation {
  return {
    id,
    start,
    end,
    text: "",
    layer: "pred",
    type: "",
    concepts: [],
    names: [],
    nil: false,
    composite: false,
    confidence: null,
    probability: null,
    attributes: {},
    unchanged: false,
    author: "",
    model: null,
    revision: 1,
    changed: "2026-01-01T00:00:00Z",
    ...more,
  };
}

/** Numbers that look random and are the same in every run. */
export function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
