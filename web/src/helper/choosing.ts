/** What Enter may link: only what is visibly chosen in the list that belongs to what is typed. */

import type { Found } from "../lib/types";

/** Matches that nobody means by pressing Enter: names with only some of the words, and what the linker itself would not link to. */
const WEAK: readonly (string | undefined)[] = ["some", "guess"];

/** The index of the concept that is chosen before anybody moves: the first; -1, none, where its match is weak. */
export const preselected = (found: readonly Found[]): number => (found[0] && !WEAK.includes(found[0].match) ? 0 : -1);

interface Edges {
  top: number;
  bottom: number;
}

/** Whether an option can be seen in its list, most of it at least. */
export function inView(option: Edges, list: Edges): boolean {
  const seen = Math.min(option.bottom, list.bottom) - Math.max(option.top, list.top);
  return seen >= (option.bottom - option.top) / 2;
}

interface Listed {
  /** What is typed, and what the list was made for. */
  wanted: string;
  searched: string;
  /** A concept reached by browsing hides which one of the list is chosen. */
  browsed: string | null;
  active: number;
  options: readonly unknown[];
}

export const choosable = ({ wanted, searched, browsed, active, options }: Listed): boolean =>
  wanted === searched && browsed === null && active >= 0 && active < options.length;
