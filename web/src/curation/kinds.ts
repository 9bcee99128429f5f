/** Kinds of disagreement in words. */

import type { DisagreementKind } from "../lib/types";

export const KINDS: Record<DisagreementKind, { label: string; about: string }> = {
  missing: { label: "missing", about: "some annotators have nothing here" },
  span: { label: "span", about: "other starts, ends or numbers of mentions" },
  type: { label: "type", about: "the same spans, other types" },
  concept: { label: "concept", about: "the same spans and types, other concepts" },
  attribute: { label: "attribute", about: "the same spans, types and concepts, other attributes" },
  agreed: { label: "agreed", about: "the annotators agree, but the curated sheet has nothing here" },
};

/** Index of the place to go to: the next one that is open, from `from` on, around the end; -1 if all are settled. */
export function nextOpen(places: readonly { open: boolean }[], from: number): number {
  for (let step = 0; step < places.length; step++) {
    const index = (from + step) % places.length;
    if (places[index]?.open) return index;
  }
  return -1;
}
