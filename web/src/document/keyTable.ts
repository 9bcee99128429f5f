/** Every key of the document page and of the curation page: in which state it acts, and what it does. The handling of
 * keys, both lists of keys, and a test that walks through all of them use this table. */

/** What the page is doing when a key is pressed. */
export const STATES = {
  reading: "nothing is selected",
  annotation: "an annotation is selected",
  text: "text was just selected, annotated or not",
  unfinished: "nothing is selected in the text, but a comment is unfinished or something else on the page is selected",
  field: "the cursor is in a field or a menu",
  busy: "a dialog is open, or another document is opening",
} as const;
export type State = keyof typeof STATES;

export type PageName = "document" | "curation";

export type Command =
  | "accept"
  | "skip"
  | "reopen"
  | "not yet"
  | "leave"
  | "search"
  | "help"
  | "guideline"
  | "comment"
  | "undo"
  | "redo"
  | "following"
  | "preceding"
  | "doubtful"
  | "next document"
  | "previous document"
  | "text"
  | "helper"
  | "choose"
  | "take"
  | "write"
  | "nil"
  | "without concept"
  | "confirm"
  | "composite"
  | "next type"
  | "same"
  | "confirm same"
  | "remove same"
  | "replace inside"
  | "move"
  | "end left"
  | "end right"
  | "start left"
  | "start right"
  | "remove";

/** A row: one or more keys with the same effect. */
export interface Key {
  /** null: the text or the helper handles the key where it has the focus. */
  command: Command | null;
  /** Values of KeyboardEvent.key, letters in lower case. */
  keys: readonly string[];
  /** With Ctrl, or Command on a Mac, instead of alone. */
  ctrl?: true;
  in: readonly State[];
  /** The key and its effect in the lists; rows without them repeat another one. */
  shown?: string;
  /** "" where the page does not have it. */
  document: string;
  curation: string;
  group?: "Reading" | "Annotating" | "Document";
}

const OPEN: readonly State[] = ["reading", "annotation", "text", "unfinished"];
const SELECTED: readonly State[] = ["annotation", "text"];
const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** In the state `text`, a letter is always typed into the search, whatever the row of the letter says: see `commandOf`.
 * Accepting, skipping and reopening by a single letter need that nothing is selected or unfinished. */
export const KEYS: readonly Key[] = [
  {
    command: "following",
    keys: ["j"],
    in: OPEN,
    shown: "J K",
    group: "Reading",
    document: "next, previous annotation",
    curation: "next, previous disagreement",
  },
  { command: "preceding", keys: ["k"], in: OPEN, document: "previous annotation", curation: "previous disagreement" },
  {
    command: "doubtful",
    keys: ["d"],
    in: OPEN,
    shown: "D",
    group: "Reading",
    document: "next doubtful prediction: less than 90 % sure",
    curation: "",
  },
  {
    command: null,
    keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
    in: OPEN,
    shown: "← → ↑ ↓",
    group: "Reading",
    document: "move from word to word",
    curation: "move from word to word",
  },
  {
    command: "text",
    keys: ["t"],
    in: OPEN,
    shown: "T",
    group: "Reading",
    document: "move to the text",
    curation: "move to the text",
  },
  {
    command: "next document",
    keys: ["n"],
    in: OPEN,
    shown: "N P",
    group: "Reading",
    document: "next, previous document in the queue",
    curation: "next, previous document",
  },
  {
    command: "previous document",
    keys: ["p"],
    in: OPEN,
    document: "previous document in the queue",
    curation: "previous document",
  },

  {
    command: "take",
    keys: DIGITS,
    in: ["reading", "unfinished"],
    shown: "1 … 9",
    group: "Annotating",
    document: "",
    curation: "take the version of the first … ninth annotator",
  },
  { command: "write", keys: ["Enter"], in: ["reading", "unfinished"], document: "", curation: "write another version" },
  {
    command: null,
    keys: [],
    in: SELECTED,
    shown: "Alt",
    group: "Annotating",
    document: "held while selecting with the mouse: exactly these characters",
    curation: "",
  },
  {
    command: null,
    keys: [],
    in: OPEN,
    shown: "Shift ← →",
    group: "Annotating",
    document: "select words",
    curation: "",
  },
  {
    command: null,
    keys: [],
    in: ["text"],
    shown: "Alt Shift ← →",
    group: "Annotating",
    document: "move the end of the selection by a character",
    curation: "",
  },
  {
    command: "search",
    keys: [],
    in: ["text"],
    shown: "any letter",
    group: "Annotating",
    document: "after selecting text: search in the helper",
    curation: "after selecting text: search in the helper",
  },
  {
    command: "helper",
    keys: ["/"],
    in: OPEN,
    shown: "Enter or /",
    group: "Annotating",
    document: "search in the annotation helper; Enter links",
    curation: "write another version: search for a concept, then Enter links",
  },
  {
    command: "choose",
    keys: DIGITS,
    in: SELECTED,
    shown: "1 … 9",
    group: "Annotating",
    document: "link to one of the first nine concepts; in a search, after ↓ or ↑",
    curation: "with a selection: link to one of the first nine concepts",
  },
  {
    command: null,
    keys: [],
    in: ["field"],
    shown: "Shift Enter",
    group: "Annotating",
    document: "in the helper: add another concept",
    curation: "",
  },
  {
    command: "nil",
    keys: ["0"],
    in: OPEN,
    shown: "0",
    group: "Annotating",
    document: "NIL: the terminology has no concept for it",
    curation: "there is no mention; with a selection: NIL",
  },
  {
    command: "without concept",
    keys: ["-"],
    in: OPEN,
    shown: "-",
    group: "Annotating",
    document: "annotate without a concept",
    curation: "annotate the selected text without a concept",
  },
  {
    command: "confirm",
    keys: ["c"],
    in: OPEN,
    shown: "C",
    group: "Annotating",
    document: "confirm a prediction",
    curation: "",
  },
  {
    command: "composite",
    keys: ["m"],
    in: OPEN,
    shown: "M",
    group: "Annotating",
    document: "several concepts: composite or not",
    curation: "merge: every annotation of any version; concepts and attributes of the same span together",
  },
  {
    command: "next type",
    keys: ["y", "=", "+"],
    in: OPEN,
    shown: "Y  =",
    group: "Annotating",
    document: "next type (= after selecting text)",
    curation: "",
  },
  {
    command: "same",
    keys: ["s"],
    in: OPEN,
    shown: "S",
    group: "Annotating",
    document: "apply to all same mentions in the document",
    curation: "apply to all same mentions in the document",
  },
  {
    command: "confirm same",
    keys: ["v"],
    in: OPEN,
    shown: "V",
    group: "Annotating",
    document: "confirm all same predictions in the document",
    curation: "",
  },
  {
    command: "remove same",
    keys: ["w"],
    in: OPEN,
    shown: "W",
    group: "Annotating",
    document: "remove all same mentions in the document",
    curation: "",
  },
  {
    command: "replace inside",
    keys: ["i"],
    in: OPEN,
    shown: "I",
    group: "Annotating",
    document: "replace what lies inside, also inside the same text elsewhere",
    curation: "",
  },
  {
    command: "move",
    keys: ["e"],
    in: OPEN,
    shown: "E",
    group: "Annotating",
    document: "change the span: select the new one, then Enter",
    curation: "with an annotation: change its span; else write another version",
  },
  {
    command: "end left",
    keys: [","],
    in: OPEN,
    shown: ", .",
    group: "Annotating",
    document: "move the end of an annotation by a character",
    curation: "move the end of the selected annotation",
  },
  {
    command: "end right",
    keys: ["."],
    in: OPEN,
    document: "move the end to the right",
    curation: "move the end to the right",
  },
  {
    command: "start left",
    keys: ["<"],
    in: OPEN,
    shown: "< >",
    group: "Annotating",
    document: "move its start by a character",
    curation: "move its start",
  },
  {
    command: "start right",
    keys: [">"],
    in: OPEN,
    document: "move the start to the right",
    curation: "move the start to the right",
  },
  {
    command: "remove",
    keys: ["Delete", "Backspace"],
    in: OPEN,
    shown: "Delete",
    group: "Annotating",
    document: "remove an annotation",
    curation: "remove the selected annotation",
  },
  {
    command: "undo",
    keys: ["u"],
    in: OPEN,
    shown: "U  Ctrl Z",
    group: "Annotating",
    document: "undo, also an accept or skip",
    curation: "undo",
  },
  { command: "undo", keys: ["z"], ctrl: true, in: OPEN, document: "undo", curation: "undo" },
  {
    command: "redo",
    keys: ["r"],
    in: OPEN,
    shown: "R  Ctrl Y",
    group: "Annotating",
    document: "redo",
    curation: "redo",
  },
  { command: "redo", keys: ["y"], ctrl: true, in: OPEN, document: "redo", curation: "redo" },

  { command: "guideline", keys: ["g"], in: OPEN, shown: "G", group: "Document", document: "guideline", curation: "" },
  {
    command: "comment",
    keys: ["q"],
    in: OPEN,
    shown: "Q",
    group: "Document",
    document: "comment on the selection, or on the document",
    curation: "comment on the selection, or on the disagreement",
  },
  {
    command: "accept",
    keys: ["a"],
    in: ["reading"],
    shown: "A",
    group: "Document",
    document: "accept: complete and checked; open the next",
    curation: "with nothing selected: accept the curated sheet",
  },
  {
    command: "skip",
    keys: ["x"],
    in: ["reading"],
    shown: "X",
    group: "Document",
    document: "skip; open the next",
    curation: "",
  },
  {
    command: "reopen",
    keys: ["o"],
    in: ["reading"],
    shown: "O",
    group: "Document",
    document: "reopen (A, X, O: with nothing selected)",
    curation: "with nothing selected: reopen the curated sheet",
  },
  {
    command: "not yet",
    keys: ["a", "o"],
    in: ["annotation", "unfinished"],
    document: "say what is still selected",
    curation: "say what is still selected",
  },
  {
    command: "not yet",
    keys: ["x"],
    in: ["annotation", "unfinished"],
    document: "say what is still selected",
    curation: "",
  },
  {
    command: "accept",
    keys: ["Enter"],
    ctrl: true,
    in: ["reading", "annotation", "text"],
    shown: "Ctrl Enter",
    group: "Document",
    document: "accept, also with a selection",
    curation: "accept, also with a selection",
  },
  {
    command: "leave",
    keys: ["Escape"],
    in: [...OPEN, "field"],
    shown: "Esc",
    group: "Document",
    document: "leave the helper, clear the selection",
    curation: "leave the helper, clear the selection",
  },
  {
    command: "help",
    keys: ["?"],
    in: OPEN,
    shown: "?",
    group: "Document",
    document: "show these keys",
    curation: "show these keys",
  },
];

const GROUPS = ["Reading", "Annotating", "Document"] as const;

/** The list of keys that a page shows, by group. */
export const listed = (page: PageName): { group: string; rows: { key: string; does: string }[] }[] =>
  GROUPS.map((group) => ({
    group,
    rows: KEYS.filter((row) => row.group === group && row.shown && row[page]).map((row) => ({
      key: row.shown ?? "",
      does: row[page],
    })),
  }));
