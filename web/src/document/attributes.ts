/** Attributes of annotations: in words, as tags, and what a key makes of them. */

import type { Attribute, AttributeValues } from "../lib/types";

/** Flags that the server can guess, with their tags. */
export const BUILT_IN: Readonly<Record<string, { tag: string; about: string }>> = {
  negated: { tag: "neg", about: "the text denies it" },
  uncertain: { tag: "unc", about: "the text doubts it" },
  historical: { tag: "hist", about: "it is past" },
  "other person": { tag: "oth", about: "it is about somebody else, such as the mother" },
  hypothetical: { tag: "hyp", about: "it is only thought of" },
};

/** Letters of a tag. */
const SHORT = 4;
const LONGEST = 10;

/** The value after the key of an attribute: on and off for flags, else one value after the other, then none. */
export function nextValue({ values }: Attribute, now: boolean | string | undefined): true | string | null {
  if (values.length === 0) return now === undefined ? true : null;
  return values[values.indexOf(String(now)) + 1] ?? null;
}

/** “negated”, “severity: mild”. */
export const words = (name: string, value: boolean | string): string =>
  typeof value === "string" ? `${name}: ${value}` : name;

export const inWords = (attributes: AttributeValues): string =>
  sorted(attributes)
    .map(([name, value]) => words(name, value))
    .join(", ");

/** “neg”, “mild”: for little room. */
export function tags(attributes: AttributeValues): string[] {
  return sorted(attributes).map(([name, value]) => {
    if (typeof value === "string") return value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value;
    return BUILT_IN[name]?.tag ?? name.slice(0, SHORT);
  });
}

/** Where the key's letter is in the name, to be underlined; -1 if it is not. */
export const keyIn = ({ name, key }: Attribute): number => (key ? name.toUpperCase().indexOf(key) : -1);

/** The built-in ones first, as in the settings. The database may order names otherwise than they were set. */
function sorted(attributes: AttributeValues): [string, boolean | string][] {
  const order = Object.keys(BUILT_IN);
  const rank = (name: string): number => (name in BUILT_IN ? order.indexOf(name) : order.length);
  return Object.entries(attributes).sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
}
