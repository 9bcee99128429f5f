/** A long text in sections, so that only those near the window have their annotations drawn. */

import type { Span } from "./editor.svelte";

/** Characters of a text that is one section: all of it is drawn at once. */
const WHOLE = 50_000;
/** Characters of a section of a longer one, about a screen, unless there is no good place to end it. */
const SECTION = 3000;
const LONGEST = 2 * SECTION;
/** Where a section may end, the best first: after a paragraph, a line, a sentence, a word. */
const ENDS = [/\n\s*\n/g, /\n/g, /[.!?]["\u201d)\]]?\s+/g, /\s+/g];

/** The whole text in order, each character in one section. A section that ends within a line breaks that line. */
export function sections(text: string): Span[] {
  if (text.length <= WHOLE) return [{ start: 0, end: text.length }];
  const found: Span[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.length - start <= LONGEST ? text.length : start + ending(text.slice(start, start + LONGEST));
    found.push({ start, end });
    start = end;
  }
  return found;
}

/** Index of the section that has an offset; of the last one for what lies behind it. */
export function sectionAt(found: readonly Span[], offset: number): number {
  let low = 0;
  let high = found.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((found[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function ending(piece: string): number {
  for (const end of ENDS) {
    end.lastIndex = SECTION;
    const match = end.exec(piece);
    if (match && match.index + match[0].length < piece.length) return match.index + match[0].length;
  }
  // Nowhere: but not within a pair of code units that are one character.
  return /[\ud800-\udbff]/.test(piece[piece.length - 1] ?? "") ? piece.length - 1 : piece.length;
}
