/** A key that chooses a concept before the list it is meant for has arrived: it waits, and acts on that list. */

export interface Waiting {
  /** Index of the concept; null for the one that the list chooses. */
  index: number | null;
  /** Add it to those linked. */
  add: boolean;
  /** The place and query that the list must be for. */
  list: string;
}

/** What becomes of a waiting key.
 *
 * wanted  the list that the page wants now
 * shown   the list that is shown; null while none is
 *
 * keep: its list has not come yet. act: its list is shown. drop: another list is wanted.
 */
export function fate(waiting: Waiting, wanted: string, shown: string | null): "keep" | "act" | "drop" {
  if (waiting.list !== wanted) return "drop";
  return shown === wanted ? "act" : "keep";
}

/** Whether a key pressed in the search field would change the query, which a waiting key is meant for. */
export const types = ({
  key,
  ctrlKey,
  metaKey,
  altKey,
}: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): boolean =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey;
