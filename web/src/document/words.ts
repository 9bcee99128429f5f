/** The words of a text, for stepping with the keyboard. Each is found on demand, so long texts cost nothing more. */

import type { Span } from "./editor.svelte";

// A hyphen is a word of its own, so that either half of a compound can be selected.
const WORD = /[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu;
const LETTER = /^[\p{L}\p{M}\p{N}]$/u;

/** The first word or single sign that ends after an offset; null if there is none. */
export function wordFrom(text: string, offset: number): Span | null {
  WORD.lastIndex = beginning(text, offset);
  for (let word = WORD.exec(text); word; word = WORD.exec(text)) {
    const end = word.index + word[0].length;
    if (end > offset) return { start: word.index, end };
  }
  return null;
}

/** The last word or single sign that begins before an offset; null if there is none. */
export function wordBefore(text: string, offset: number): Span | null {
  let at = Math.min(offset, text.length);
  while (at > 0 && /\s/.test(text[at - 1] ?? "")) at--;
  if (at === 0) return null;
  const last = characterBefore(text, at);
  return wordFrom(text, LETTER.test(last) ? beginning(text, at - last.length) : at - last.length);
}

/** Start of the word at an offset; the offset itself if it is not in a word. */
function beginning(text: string, offset: number): number {
  let at = Math.max(0, Math.min(offset, text.length));
  if (/[\udc00-\udfff]/.test(text[at] ?? "")) at--;
  if (!LETTER.test(String.fromCodePoint(text.codePointAt(at) ?? 32))) return at;
  for (let letter = characterBefore(text, at); LETTER.test(letter); letter = characterBefore(text, at))
    at -= letter.length;
  return at;
}

function characterBefore(text: string, at: number): string {
  const pair = text.slice(Math.max(0, at - 2), at);
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair) ? pair : pair.slice(-1);
}

/** A span without white space at its ends; null if it has nothing else. */
export function trimmed(text: string, span: Span): Span | null {
  let { start, end } = span;
  while (start < end && /\s/.test(text[start] ?? "")) start++;
  while (end > start && /\s/.test(text[end - 1] ?? "")) end--;
  return start < end ? { start, end } : null;
}

const OPENING = "([{“‘«\"'";
const CLOSING = ")]}”’»\"'";

/** A span that begins and ends with whole words, without the punctuation behind it and without half a pair of brackets;
 * as it is if nothing else is left. */
export function snapped(text: string, span: Span): Span {
  let { start, end } = span;
  if (inWord(text, start)) start = beginning(text, start);
  if (inWord(text, end)) end = wordFrom(text, end)?.end ?? end;
  for (let before = -1; before !== end - start;) {
    before = end - start;
    while (start < end && /[\s.,;:!?]/.test(text[end - 1] ?? "")) end--;
    while (start < end && /[\s,;:!?]/.test(text[start] ?? "")) start++;
    const inside = text.slice(start, end);
    const [opens, closes] = [OPENING.indexOf(inside[0] ?? " "), CLOSING.indexOf(inside.at(-1) ?? " ")];
    if (closes >= 0 && !inside.slice(0, -1).includes(OPENING[closes] ?? "")) end--;
    else if (opens >= 0 && !inside.slice(1).includes(CLOSING[opens] ?? "")) start++;
  }
  return start < end ? { start, end } : span;
}

/** Whether an offset lies between two letters of a word. */
function inWord(text: string, at: number): boolean {
  return (
    at > 0 && LETTER.test(characterBefore(text, at)) && LETTER.test(String.fromCodePoint(text.codePointAt(at) ?? 32))
  );
}
