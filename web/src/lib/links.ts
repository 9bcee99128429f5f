/** Web addresses in a text. */

export interface Piece {
  words: string;
  /** Of a link; null for plain words. */
  href: string | null;
}

const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<>"“”]+/giu;

/** A text as words and links. Punctuation after an address, and a bracket that it does not open, belong to the
 * sentence. */
export function linked(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = bare(found);
    if (index > at) pieces.push({ words: text.slice(at, index), href: null });
    pieces.push({ words: address, href: /^www\./i.test(address) ? `https://${address}` : address });
    at = index + address.length;
  }
  if (at < text.length) pieces.push({ words: text.slice(at), href: null });
  return pieces;
}

function bare(found: string): string {
  let address = found;
  for (;;) {
    const last = address.at(-1) ?? "";
    const open = { ")": "(", "]": "[", "}": "{" }[last];
    const unopened = open !== undefined && address.split(open).length < address.split(last).length;
    if (!unopened && !/[.,;:!?'’]/u.test(last)) return address;
    address = address.slice(0, -1);
  }
}
