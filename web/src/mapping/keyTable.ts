/** The keys of the review page: what they do, for the page, its list of keys and the tests. */

export type Command =
  | "approve"
  | "choose"
  | "none"
  | "broader"
  | "narrower"
  | "several"
  | "flag"
  | "ignore"
  | "comment"
  | "undo"
  | "next"
  | "previous"
  | "search"
  | "help";

interface Key {
  command: Command;
  /** Values of KeyboardEvent.key, letters in lower case. */
  keys: readonly string[];
  shown: string;
  does: string;
  /** Whether holding the key down repeats it. */
  repeats?: true;
}

export const KEYS: readonly Key[] = [
  { command: "approve", keys: ["a"], shown: "A", does: "approve what is proposed" },
  {
    command: "choose",
    keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    shown: "1 … 9",
    does: "choose this candidate and approve it",
  },
  { command: "none", keys: ["0"], shown: "0", does: "no concept" },
  {
    command: "broader",
    keys: ["b"],
    shown: "B",
    does: "the concept is broader than the string: before A, a digit or a search",
  },
  {
    command: "narrower",
    keys: ["n"],
    shown: "N",
    does: "the concept is narrower than the string: before A, a digit or a search",
  },
  {
    command: "several",
    keys: ["m"],
    shown: "M",
    does: "several concepts: digits and searches add one, A approves them",
  },
  { command: "flag", keys: ["f"], shown: "F", does: "flag: somebody has to look again" },
  { command: "ignore", keys: ["i"], shown: "I", does: "ignore: it need not be mapped" },
  { command: "comment", keys: ["q"], shown: "Q", does: "comment; Enter returns to the row" },
  { command: "undo", keys: ["u"], shown: "U", does: "undo the last decision, or what was approved at once" },
  { command: "next", keys: ["j", "arrowdown"], shown: "J ↓", does: "next row", repeats: true },
  { command: "previous", keys: ["k", "arrowup"], shown: "K ↑", does: "row before", repeats: true },
  {
    command: "search",
    keys: ["/"],
    shown: "/",
    does: "search for a concept; ↓ and ↑ choose, Enter approves, Esc returns",
  },
  { command: "help", keys: ["?"], shown: "?", does: "show these keys" },
];

/** Whether what is typed here is text. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** The command of a key press, and the key; null for none. */
export function commandOf(event: KeyboardEvent): { command: Command; key: string } | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isField(event.target)) return null;
  const key = event.key.toLowerCase();
  const row = KEYS.find(({ keys }) => keys.includes(key));
  return row && (row.repeats || !event.repeat) ? { command: row.command, key } : null;
}
