/** What a key means, from the table of keys. */

import { KEYS, type Command, type PageName, type State } from "./keyTable";

export type Press = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat" | "isComposing" | "getModifierState"
>;

/** Where a key is pressed. */
export interface Where {
  page: PageName;
  state: State;
  /** Single-letter keys are enabled. */
  single: boolean;
  /** Letters that, with Shift, set the project's attributes. */
  attributes?: readonly string[];
}

/** What the state of a page is made of. */
export interface Circumstances {
  /** A dialog is open, or another document is opening. */
  busy: boolean;
  /** The cursor is in a field or a menu. */
  typing: boolean;
  /** Text was just selected. */
  marked: boolean;
  /** An annotation or a text is selected. */
  target: boolean;
  /** A comment is unfinished, or something else on the page is selected. */
  unfinished: boolean;
}

/** The command of a key. index: of the concept in the helper, or of the annotator's version. */
export type Meant = { command: Command; index: number } | { attribute: number };

export function stateOf({ busy, typing, marked, target, unfinished }: Circumstances): State {
  if (busy) return "busy";
  if (typing) return "field";
  if (marked) return "text";
  if (target) return "annotation";
  return unfinished ? "unfinished" : "reading";
}

/** Whether the element takes typed letters. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input:not([type=checkbox], [type=radio]), textarea, select");

/** The command of a key; null leaves the key to the browser. */
export function commandOf(press: Press, { page, state, single, attributes = [] }: Where): Meant | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  // A held key counts once. Input methods and AltGr type text.
  if (press.repeat || press.isComposing || press.getModifierState?.("AltGraph") || altKey) return null;
  const ctrl = ctrlKey || metaKey;
  if (!ctrl && !single && key !== "Escape") return null;
  if (!ctrl && state === "text" && /^\p{L}$/u.test(key)) return { command: "search", index: -1 };
  if (!ctrl && shiftKey && state === "annotation" && /^[a-z]$/i.test(key)) {
    const attribute = attributes.indexOf(key.toUpperCase());
    if (attribute >= 0) return { attribute };
  }
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const row = KEYS.find(
    (each) =>
      each.command &&
      each[page] &&
      (each.ctrl ?? false) === ctrl &&
      each.keys.includes(wanted) &&
      each.in.includes(state),
  );
  if (!row?.command) return null;
  // Ctrl Shift Z is another way to redo.
  if (ctrl && shiftKey && row.command === "undo") return { command: "redo", index: -1 };
  return { command: row.command, index: /^[1-9]$/.test(key) ? Number(key) - 1 : -1 };
}
