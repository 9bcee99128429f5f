/** Cuts a text where annotations begin and end, so that overlapping annotations can be drawn as nested boxes. */

import { firstIndex } from "../lib/bisect";
import type { Annotation } from "../lib/types";
import type { Span } from "./editor.svelte";

/** A stretch of text under the same annotations, the outermost box first. */
export interface Segment {
  start: number;
  end: number;
  under: Boxed[];
}

/** An annotation's box in a segment. first, last: whether the annotation begins or ends in it. lane: 0 is next to the
 * text. */
export interface Boxed {
  annotation: Annotation;
  lane: number;
  first: boolean;
  last: boolean;
}

/** The lane of each annotation, by id. Overlapping annotations get different lanes; short ones are next to the text. */
export function lanes(annotations: readonly Annotation[]): Map<number, number> {
  const laneOf = new Map<number, number>();
  // Annotations of a lane do not overlap, so in text order only two neighbours can be in the way.
  const taken: Annotation[][] = [];
  const byLength = [...annotations].sort((a, b) => a.end - a.start - (b.end - b.start) || a.start - b.start);
  for (const annotation of byLength) {
    for (let lane = 0; ; lane++) {
      const row = (taken[lane] ??= []);
      const index = firstIndex(row.length, (place) => (row[place]?.end ?? 0) > annotation.start);
      if ((row[index]?.start ?? Infinity) < annotation.end) continue;
      row.splice(index, 0, annotation);
      laneOf.set(annotation.id, lane);
      break;
    }
  }
  return laneOf;
}

/** Segments of a section in text order that cover each character once.
 *
 * annotations  those with a character in the section
 * before       the segments drawn now: those that stay the same are returned as the same objects, so they are not
 *              drawn again
 */
export function segments(
  section: Span,
  annotations: readonly Annotation[],
  before: readonly Segment[] = [],
): Segment[] {
  const drawn = new Map(before.map((segment) => [segment.start, segment]));
  const laneOf = lanes(annotations);
  const cuts = new Set([section.start, section.end, ...annotations.flatMap(({ start, end }) => [start, end])]);
  const places = [...cuts].filter((place) => section.start <= place && place <= section.end).sort((a, b) => a - b);
  const waiting = [...annotations].sort((a, b) => a.start - b.start);
  let open: Annotation[] = [];
  let next = 0;
  return places.slice(1).map((end, index) => {
    const start = places[index] ?? 0;
    const first = next;
    while ((waiting[next]?.start ?? Infinity) <= start) next++;
    open = [...open, ...waiting.slice(first, next)].filter((annotation) => annotation.end > start);
    const under = open.map((annotation) => ({
      annotation,
      lane: laneOf.get(annotation.id) ?? 0,
      first: annotation.start === start,
      last: annotation.end === end,
    }));
    const segment = { start, end, under: under.sort((a, b) => b.lane - a.lane) };
    const old = drawn.get(start);
    return old && same(old, segment) ? old : segment;
  });
}

function same(old: Segment, segment: Segment): boolean {
  if (old.end !== segment.end || old.under.length !== segment.under.length) return false;
  return old.under.every((box, index) => {
    const { annotation, lane, first, last } = segment.under[index] ?? box;
    return box.annotation === annotation && box.lane === lane && box.first === first && box.last === last;
  });
}
