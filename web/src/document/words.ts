/** The words of a text, which the keyboard steps through. */

import type { Span } from "./desk.svelte";

/** Words and single signs, in order. A hyphen stands alone, so that either half of a compound can be chosen. */
export function words(text: string): Span[] {
  return Array.from(text.matchAll(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu), (word) => ({
    start: word.index,
    end: word.index + word[0].length,
  }));
}

/** Index of the first word that ends after an offset; `found.length` where none does. */
export function wordAt(found: readonly Span[], offset: number): number {
  let low = 0;
  let high = found.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((found[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A span without white space at its ends, or null where there is nothing else. */
export function trimmed(text: string, span: Span): Span | null {
  let { start, end } = span;
  while (start < end && /\s/.test(text[start] ?? "")) start++;
  while (end > start && /\s/.test(text[end - 1] ?? "")) end--;
  return start < end ? { start, end } : null;
}
