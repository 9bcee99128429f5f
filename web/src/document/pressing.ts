/** Keys, as the document page and the curation page take them. */

import type { Attribute } from "../lib/types";
import { commandOf, isField, stateOf } from "./commands";
import type { Editor } from "./editor.svelte";
import { keys } from "./keys.svelte";
import type { Command, PageName } from "./keyTable";
import { notYet, unfinished } from "./unfinished";

export type Actions = Partial<Record<Command, (index: number, at: EventTarget | null) => void>>;

export interface Pressed {
  page: PageName;
  editor: Editor;
  /** Keys are ignored: another document is opening. */
  between: boolean;
  /** Whether a comment is written and not sent. */
  drafting: boolean;
  attributes: readonly Attribute[];
  text: { take(): void; focus(): void } | undefined;
  helper:
    | { hold(event: KeyboardEvent): boolean; focus(search?: boolean): void; pick(index: number, add: boolean): void }
    | undefined;
  actions: Actions;
}

/** Do what a key means, with an action of the page or with one that both pages have. */
export function press(
  event: KeyboardEvent,
  { page, editor, between, drafting, attributes, text, helper, actions }: Pressed,
): void {
  const at = event.target;
  const typing = isField(at);
  const ctrl = event.ctrlKey || event.metaKey;
  // What the browser shows as selected is what the user means.
  if (!typing && !between && !ctrl) text?.take();
  if (!typing && helper?.hold(event)) return;
  const target = editor.current ?? editor.span;
  const left = unfinished(drafting);
  const busy = between || document.querySelector("dialog[open]") !== null;
  const state = stateOf({ busy, typing, marked: editor.marked, target: target !== null, unfinished: left !== "" });
  // While curating, Enter presses the button, link or text that has the focus.
  const focused = page === "curation" && at instanceof HTMLElement && at.matches("button, a, [role=textbox]");
  if (event.key === "Enter" && !ctrl && focused) return;
  const meant = commandOf(event, { page, state, single: keys.on, attributes: attributes.map(({ key }) => key) });
  if (meant === null) return;
  if ("attribute" in meant) {
    event.preventDefault();
    return editor.turn(attributes[meant.attribute]);
  }
  // The letter is typed into the search field; Escape also closes what the browser has open.
  if (meant.command !== "search" && meant.command !== "leave") event.preventDefault();
  const shared: Actions = {
    search: () => helper?.focus(true),
    choose: (index) => helper?.pick(index, false),
    "not yet": () => (editor.notice = { kind: "news", text: notYet(target && editor.text(target), left) }),
    text: () => text?.focus(),
  };
  (actions[meant.command] ?? shared[meant.command])?.(meant.index, at);
}
