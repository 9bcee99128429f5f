/** What a key means on the document page. */

export type Command =
  | "help"
  | "guideline"
  | "comment"
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
  | "confirm same"
  | "remove same"
  | "doubtful"
  | "replace inside"
  | "move"
  | "end left"
  | "end right"
  | "start left"
  | "start right"
  | "remove"
  | "accept"
  | "skip"
  | "reopen";

/** Commands of single characters, and of keys that need no modifier outside fields. */
export const SINGLE: Readonly<Record<string, Command>> = {
  "?": "help",
  g: "guideline",
  q: "comment",
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
  v: "confirm same",
  w: "remove same",
  d: "doubtful",
  i: "replace inside",
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

/** Where a key is pressed. */
export interface Where {
  /** In a field. */
  typing: boolean;
  /** Single-letter keys are enabled. */
  single: boolean;
  /** An annotation or a text is selected. */
  target: boolean;
  /** Text was just selected, so letters start a search. */
  marked: boolean;
  /** Letters that, with Shift, set the project's attributes. */
  attributes?: readonly string[];
}

/** The command of a key, the index of a concept in the helper, or that of an attribute; null leaves the key to the browser. */
export function commandOf(press: Press, where: Where): Command | number | { attribute: number } | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  // A held key counts once. Input methods and AltGr type text.
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
  if (shiftKey && where.target && /^[a-z]$/i.test(key)) {
    const attribute = where.attributes?.indexOf(key.toUpperCase()) ?? -1;
    if (attribute >= 0) return { attribute };
  }
  if (/^[1-9]$/.test(key)) return where.target ? Number(key) - 1 : null;
  return SINGLE[key.length === 1 ? key.toLowerCase() : key] ?? null;
}
