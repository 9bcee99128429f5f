/** A text cut where annotations begin and end, so that overlapping ones can be drawn as boxes within boxes. */

import type { Annotation } from "../lib/types";
import type { Span } from "./editor.svelte";

/** A stretch of text under the same annotations, the outermost box first. */
export interface Segment {
  start: number;
  end: number;
  under: Boxed[];
}

/** An annotation's box there. first, last: whether it begins or ends here. lane: 0 is next to the text. */
export interface Boxed {
  annotation: Annotation;
  lane: number;
  first: boolean;
  last: boolean;
}

/** The lane of each annotation, by id: short ones next to the text, and none in the lane of one it overlaps. */
export function lanes(annotations: readonly Annotation[]): Map<number, number> {
  const found = new Map<number, number>();
  // What a lane has does not overlap: in text order, only two neighbours can be in the way.
  const taken: Annotation[][] = [];
  const byLength = [...annotations].sort((a, b) => a.end - a.start - (b.end - b.start) || a.start - b.start);
  for (const one of byLength) {
    for (let lane = 0; ; lane++) {
      const row = (taken[lane] ??= []);
      const index = firstEndingAfter(row, one.start);
      if ((row[index]?.start ?? Infinity) < one.end) continue;
      row.splice(index, 0, one);
      found.set(one.id, lane);
      break;
    }
  }
  return found;
}

function firstEndingAfter(row: readonly Annotation[], offset: number): number {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((row[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A section of a text in order, each character in one segment.
 *
 * annotations  those that have a character in it
 * before       the segments drawn now: those that would be drawn the same way are given back, so that only others are drawn again
 */
export function segments(section: Span, annotations: readonly Annotation[], before: readonly Segment[] = []): Segment[] {
  const drawn = new Map(before.map((segment) => [segment.start, segment]));
  const lane = lanes(annotations);
  const cuts = new Set([section.start, section.end]);
  for (const one of annotations) cuts.add(one.start).add(one.end);
  const places = [...cuts].filter((place) => section.start <= place && place <= section.end).sort((a, b) => a - b);
  const waiting = [...annotations].sort((a, b) => a.start - b.start);
  let open: Annotation[] = [];
  let next = 0;
  const found: Segment[] = [];
  for (let index = 0; index + 1 < places.length; index++) {
    const start = places[index] ?? 0;
    const end = places[index + 1] ?? 0;
    open = open.filter((one) => one.end > start);
    for (; next < waiting.length && (waiting[next]?.start ?? Infinity) <= start; next++) {
      const one = waiting[next];
      if (one && one.end > start) open.push(one);
    }
    const under = open.map((annotation) => ({
      annotation,
      lane: lane.get(annotation.id) ?? 0,
      first: annotation.start === start,
      last: annotation.end === end,
    }));
    const segment = { start, end, under: under.sort((a, b) => b.lane - a.lane) };
    const old = drawn.get(start);
    found.push(old && same(old, segment) ? old : segment);
  }
  return found;
}

function same(one: Segment, other: Segment): boolean {
  if (one.end !== other.end || one.under.length !== other.under.length) return false;
  return one.under.every((box, index) => {
    const { annotation, lane, first, last } = other.under[index] ?? box;
    return box.annotation === annotation && box.lane === lane && box.first === first && box.last === last;
  });
}
