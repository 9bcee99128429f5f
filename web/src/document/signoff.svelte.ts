/** Accepting and skipping: a document is done, and the next one comes by itself. */

import { post, told, Unreachable } from "../lib/api";
import type { State, Stepped } from "../lib/types";
import type { Desk, Told } from "./desk.svelte";

/** Milliseconds a document has to be shown before it can be accepted or skipped: nobody has read it sooner, and whoever presses
 * twice by accident does so within half a second. */
const UNREAD = 800;
const DONE = { accepted: "Accepted", skipped: "Skipped", open: "Open again" } as const;

/** A document that was just signed off, and the one that followed. */
interface Signed {
  id: number;
  name: string;
  revision: number;
  state: "accepted" | "skipped";
  following: number;
}

export class SignOff {
  #last: Signed | null = $state.raw(null);
  /** Whether an answer is waited for. */
  busy = $state(false);

  /** go: shows another document, and on it what is told. */
  constructor(
    private readonly desk: Desk,
    private readonly go: (document: number, arriving: Told) => void,
  ) {}

  /** What undo would take back: the document signed off just before this one came, while nothing has been done in this one. */
  readonly last: Signed | null = $derived.by(() => {
    const here = this.#last?.following === this.desk.document?.id;
    return here && !this.desk.touched ? this.#last : null;
  });

  /** Somebody goes to a document of their own choice. */
  forget(): void {
    this.#last = null;
  }

  async finish(state: State): Promise<void> {
    const { desk } = this;
    const shown = desk.document;
    if (!shown || desk.opening || this.busy) return;
    if (state !== "open" && performance.now() - desk.since < UNREAD) {
      const text = `Not ${state}: “${shown.name}” has only just appeared. Do it again if you mean it.`;
      desk.told = { kind: "news", text };
      return;
    }
    // The last of the queue is followed by those before it.
    const following = shown.next ?? shown.previous;
    this.busy = true;
    try {
      const done = await desk.state(state);
      if (!done || desk.opening || desk.document?.id !== shown.id) return;
      if (!following || state === "open") return;
      const { revision } = desk.document;
      // Where it was in that state already, there is nothing to take back.
      this.#last = shown.state === state ? null : { id: shown.id, name: shown.name, revision, state, following };
      this.go(following, { kind: "saved", text: `${DONE[state]} “${shown.name}”. Undo takes it back.` });
    } finally {
      this.busy = false;
    }
  }

  /** Open again what was signed off last, and go there. */
  async takeBack(): Promise<void> {
    const { last, desk } = this;
    if (!last || desk.opening || this.busy) return;
    this.busy = true;
    try {
      const undone = await post<Stepped>(`/documents/${last.id}/undo?limit=1`, { revision: last.revision });
      this.#last = null;
      const as = undone.state === "open" ? "It is open again." : `It is ${undone.state} again.`;
      this.go(last.id, { kind: "saved", text: `Undone: ${last.state} “${last.name}”. ${as}` });
    } catch (error) {
      if (!(error instanceof Unreachable)) this.#last = null;
      desk.told = { kind: "trouble", text: `“${last.name}” stays ${last.state}. ${told(error)}` };
    } finally {
      this.busy = false;
    }
  }
}
