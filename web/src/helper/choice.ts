/** Enter links only a concept that is visibly chosen in the current list. */

import type { ConceptMatch } from "../lib/types";

/** Matches too weak for Enter: names with only some of the words, and guesses of the linker. */
const WEAK: readonly (string | undefined)[] = ["some", "guess"];

/** Index of the concept chosen at first: 0, or -1 if its match is weak. */
export const preselected = ([first]: readonly ConceptMatch[]): number =>
  first && !WEAK.includes(first.match) ? 0 : -1;

interface Edges {
  top: number;
  bottom: number;
}

/** Whether at least half of an option is visible in its list. */
export function inView(option: Edges, list: Edges): boolean {
  const seen = Math.min(option.bottom, list.bottom) - Math.max(option.top, list.top);
  return seen >= (option.bottom - option.top) / 2;
}

interface Listed {
  /** The query, and the one that the list belongs to. */
  wanted: string;
  searched: string;
  /** While a browsed concept is shown, the chosen one is hidden. */
  browsed: string | null;
  active: number;
  options: readonly unknown[];
}

export const choosable = ({ wanted, searched, browsed, active, options }: Listed): boolean =>
  wanted === searched && browsed === null && active >= 0 && active < options.length;
