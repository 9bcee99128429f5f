/** What a key means on the document page. */

export type Command =
  | "help"
  | "leave"
  | "search"
  | "undo"
  | "redo"
  | "following"
  | "preceding"
  | "next document"
  | "previous document"
  | "text"
  | "helper"
  | "nil"
  | "without concept"
  | "confirm"
  | "composite"
  | "next type"
  | "same"
  | "move"
  | "end left"
  | "end right"
  | "start left"
  | "start right"
  | "remove"
  | "accept"
  | "skip"
  | "reopen";

/** Keys of a single letter or sign, and those that do nothing else while nothing is typed. */
export const SINGLE: Readonly<Record<string, Command>> = {
  "?": "help",
  j: "following",
  k: "preceding",
  n: "next document",
  p: "previous document",
  t: "text",
  "/": "helper",
  "0": "nil",
  "-": "without concept",
  c: "confirm",
  m: "composite",
  y: "next type",
  "=": "next type",
  "+": "next type",
  s: "same",
  e: "move",
  ",": "end left",
  ".": "end right",
  "<": "start left",
  ">": "start right",
  Delete: "remove",
  Backspace: "remove",
  u: "undo",
  r: "redo",
  a: "accept",
  x: "skip",
  o: "reopen",
};

export type Press = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat" | "isComposing" | "getModifierState"
>;

/** Where a key is pressed: typing, in a field; single, keys of one letter are on; target, something is looked at;
 * marked, text was selected just before, so that letters are what is searched for. */
export interface Where {
  typing: boolean;
  single: boolean;
  target: boolean;
  marked: boolean;
}

/** The command, or the index of the helper's concept, that a key stands for; null where it is left to the browser. */
export function commandOf(press: Press, where: Where): Command | number | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  // A key that is held down is one press; what an input method or AltGr makes a letter of is typed text.
  if (press.repeat || press.isComposing || press.getModifierState?.("AltGraph")) return null;
  if (key === "Escape") return "leave";
  if (where.typing) return null;
  if ((ctrlKey || metaKey) && !altKey) {
    const letter = key.toLowerCase();
    if (letter === "y" || (letter === "z" && shiftKey)) return "redo";
    return letter === "z" ? "undo" : null;
  }
  if (ctrlKey || metaKey || altKey || !where.single) return null;
  if (where.marked && /^\p{L}$/u.test(key)) return "search";
  if (/^[1-9]$/.test(key)) return where.target ? Number(key) - 1 : null;
  return SINGLE[key.length === 1 ? key.toLowerCase() : key] ?? null;
}
