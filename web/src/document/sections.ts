/** Divides a long text into sections, so that only annotations near the window are drawn. */

import { firstIndex } from "../lib/bisect";
import type { Span } from "./editor.svelte";

/** Most characters of a text that is not divided. */
const WHOLE = 50_000;
/** Characters of a section of a longer text, about a screen; LONGEST if it cannot end well before. */
const SECTION = 3000;
const LONGEST = 2 * SECTION;
/** Where a section may end, best first: after a paragraph, a line, a sentence, a word. */
const ENDS = [/\n\s*\n/g, /\n/g, /[.!?]["\u201d)\]]?\s+/g, /\s+/g];

/** Sections in text order that cover each character once. A section that ends within a line breaks that line. */
export function sections(text: string): Span[] {
  if (text.length <= WHOLE) return [{ start: 0, end: text.length }];
  const spans: Span[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.length - start <= LONGEST ? text.length : start + ending(text.slice(start, start + LONGEST));
    spans.push({ start, end });
    start = end;
  }
  return spans;
}

/** Index of the section at an offset; of the last section for an offset beyond the text. */
export function sectionAt(spans: readonly Span[], offset: number): number {
  return Math.max(0, firstIndex(spans.length, (index) => (spans[index]?.start ?? 0) > offset) - 1);
}

function ending(piece: string): number {
  for (const end of ENDS) {
    end.lastIndex = SECTION;
    const match = end.exec(piece);
    if (match && match.index + match[0].length < piece.length) return match.index + match[0].length;
  }
  // There is no such place: end anywhere but within a surrogate pair.
  return /[\ud800-\udbff]/.test(piece[piece.length - 1] ?? "") ? piece.length - 1 : piece.length;
}
