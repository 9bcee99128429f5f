/** What Enter may link: only what is visibly chosen in the list that belongs to what is typed. */

import type { Found } from "../lib/types";

/** Where one concept is chosen before anybody moves: the first, unless it has only some of the words; then -1, none. */
export const preselected = (found: readonly Found[]): number => (found.length > 0 && found[0]?.match !== "some" ? 0 : -1);

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
