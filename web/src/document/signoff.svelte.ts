/** Accept and skip: finish a document and open the next one. */

import { post, messageOf, Unreachable } from "../lib/api";
import type { State, Stepped } from "../lib/types";
import { DONE, type Editor, type Notice } from "./editor.svelte";

/** Milliseconds before a new document can be accepted or skipped: nobody reads faster, and an accidental second press
 * follows within half a second. */
const UNREAD = 800;

/** The document that was just accepted or skipped, and the one that followed. */
interface Signed {
  id: number;
  name: string;
  revision: number;
  state: "accepted" | "skipped";
  following: number;
}

export class SignOff {
  #last: Signed | null = $state.raw(null);
  /** Whether a request is running. */
  busy = $state(false);

  /** go: opens another document with a notice. */
  constructor(
    private readonly editor: Editor,
    private readonly go: (document: number, arriving: Notice) => void,
  ) {}

  /** What undo would reopen: the document finished just before, unless something was changed in this one. */
  readonly last: Signed | null = $derived.by(() => {
    const here = this.#last?.following === this.editor.document?.id;
    return here && !this.editor.touched ? this.#last : null;
  });

  /** The user opens another document. */
  forget(): void {
    this.#last = null;
  }

  async finish(state: State): Promise<void> {
    const { editor } = this;
    const shown = editor.document;
    if (!shown || editor.opening || this.busy) return;
    if (state !== "open" && performance.now() - editor.since < UNREAD) {
      const text = `Not ${state}: “${shown.name}” has only just opened. Press again to confirm.`;
      editor.notice = { kind: "news", text };
      return;
    }
    // After the last document in the queue comes the one before it.
    const following = shown.next ?? shown.previous;
    this.busy = true;
    try {
      const done = await editor.state(state);
      if (!done || editor.opening || editor.document?.id !== shown.id) return;
      if (!following || state === "open") return;
      const { revision } = editor.document;
      // If it had that state already, there is nothing to undo.
      this.#last = shown.state === state ? null : { id: shown.id, name: shown.name, revision, state, following };
      this.go(following, { kind: "saved", text: `${DONE[state]} “${shown.name}”. Undo reopens it.` });
    } finally {
      this.busy = false;
    }
  }

  /** Reopen the document that was finished last, and go there. */
  async takeBack(): Promise<void> {
    const { last, editor } = this;
    if (!last || editor.opening || this.busy) return;
    this.busy = true;
    try {
      const undone = await post<Stepped>(`/documents/${last.id}/undo?limit=1`, { revision: last.revision });
      this.#last = null;
      this.go(last.id, { kind: "saved", text: `Undone: ${last.state} “${last.name}”. It is ${undone.state} again.` });
    } catch (error) {
      if (!(error instanceof Unreachable)) this.#last = null;
      editor.notice = { kind: "trouble", text: `“${last.name}” stays ${last.state}. ${messageOf(error)}` };
    } finally {
      this.busy = false;
    }
  }
}
