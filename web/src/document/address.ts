/** What the address of a document asks for besides the document. */

export interface Asked {
  /** A span in code points; null for none. */
  at: { start: number; end: number } | null;
  /** Whether to show comments. */
  talk: boolean;
}

/** From the query of an address: `at=12-16`, `comments`. */
export function placeIn(query: string): Asked {
  const fields = new URLSearchParams(query);
  const found = /^(\d{1,7})-(\d{1,7})$/.exec(fields.get("at") ?? "");
  const [start, end] = [Number(found?.[1]), Number(found?.[2])];
  return { at: start < end ? { start, end } : null, talk: fields.has("comments") };
}
