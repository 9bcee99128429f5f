/** The comments of the open document. */

import { get, messageOf, patch, post, remove } from "../lib/api";
import type { Comment, Discuss, Thread } from "../lib/types";
import { Drafts } from "./drafts.svelte";

/** A place in the text, in code points. */
export interface Place {
  start: number;
  end: number;
}

export class Comments {
  threads: Thread[] = $state.raw([]);
  readonly drafts = new Drafts();
  error = $state("");
  /** Whether a change is on its way. */
  busy = $state(false);
  #document = 0;
  /** Of the last list asked for: an earlier one may arrive later. */
  #asked = 0;

  readonly open: number = $derived(this.threads.filter(({ discuss }) => discuss === "open").length);

  async load(document: number): Promise<void> {
    if (document !== this.#document) {
      [this.threads, this.error] = [[], ""];
      this.drafts.open(document);
    }
    this.#document = document;
    const asked = ++this.#asked;
    try {
      const threads = await get<Thread[]>(`/documents/${document}/comments`);
      if (asked === this.#asked) this.threads = threads;
    } catch (error) {
      if (asked === this.#asked) this.error = messageOf(error);
    }
  }

  /** Threads about a place or what overlaps it. */
  at(place: Place): Thread[] {
    return this.threads.filter(
      ({ start, end }) => start !== null && end !== null && start < place.end && end > place.start,
    );
  }

  begin(text: string, place: Place | null, discuss: boolean): Promise<boolean> {
    return this.#do((path) => post(path, { text, ...place, discuss }));
  }

  reply(thread: Thread, text: string): Promise<boolean> {
    return this.#do((path) => post(`${path}/${thread.id}/replies`, { text }));
  }

  change(comment: Comment, text: string): Promise<boolean> {
    return this.#do((path) => patch(`${path}/${comment.id}`, { text }));
  }

  discuss(thread: Thread, discuss: Discuss): Promise<boolean> {
    return this.#do((path) => patch(`${path}/${thread.id}`, { discuss }));
  }

  remove(comment: Comment): Promise<boolean> {
    return this.#do((path) => remove(`${path}/${comment.id}`));
  }

  /** Returns whether it was saved. */
  async #do(request: (path: string) => Promise<unknown>): Promise<boolean> {
    const document = this.#document;
    if (this.busy) return false;
    [this.busy, this.error] = [true, ""];
    try {
      await request(`/documents/${document}/comments`);
      if (document === this.#document) await this.load(document);
      return true;
    } catch (error) {
      this.error = messageOf(error);
      return false;
    } finally {
      this.busy = false;
    }
  }
}
