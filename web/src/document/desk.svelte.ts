/** A document on the desk: its text, its annotations, and every change made to them, saved as it is made. */

import { get, patch, post, Refused, remove, told, Unreachable } from "../lib/api";
import { offsetsOf, type Offsets } from "../lib/offsets";
import { session } from "../lib/session.svelte";
import type { Annotation, AnnotationPage, Applied, Change, Changes, DocumentView, State, Stepped, Wish } from "../lib/types";
import { did } from "../project/changes";
import { inOrder, merged, placed } from "./merging";

/** A stretch of the text, in UTF-16 code units, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

export type Told = { kind: "saved" | "news" | "trouble"; text: string; again?: () => void };

/** A change that was not asked for, because one before it failed. */
class Withheld extends Error {}

/** Annotations that are read with the document, so that it can be seen, and with each request for more of them. */
const FIRST = 2000;
const PIECE = 10_000;
/** Annotations that one request changes, beyond which the document is read again. */
const MOST = 5000;

export class Desk {
  document: DocumentView | null = $state.raw(null);
  annotations: Annotation[] = $state.raw([]);
  /** Id of the annotation that is looked at. */
  selected: number | null = $state(null);
  /** Text that is selected and not annotated. */
  span: Span | null = $state.raw(null);
  /** Whether what is looked at was marked in the text, rather than clicked or come to: letters typed now are searched. */
  marked = $state(false);
  /** Whether the next span that is marked becomes that of the selected annotation. */
  moving = $state(false);
  /** Changes that have been asked for and not answered. */
  #pending = $state(0);
  /** Whether something has been changed here since the document was opened. */
  touched = $state(false);
  /** When the document was shown, in milliseconds of the page's clock. */
  since = 0;
  /** Whether there are annotations that are still being read. */
  reading = $state(false);
  told: Told | null = $state.raw(null);
  #offsets: Offsets = offsetsOf("");
  /** The document as it was read last, to which the pieces belong that are read after it. */
  #view: DocumentView | null = null;
  /** Requests go one after the other: each names the revision that the one before it made. */
  #last: Promise<unknown> = Promise.resolve();
  /** The change that was asked for last. */
  #changing: Promise<unknown> = Promise.resolve();
  /** Number of changes that could not be made. */
  #failures = 0;
  /** Id of the document that was asked for, which may not be shown yet. */
  #wanted: number | null = $state(null);
  #abort = new AbortController();
  /** A look at the document that has not begun yet. */
  #refreshing: Promise<void> | null = null;

  readonly current: Annotation | null = $derived(
    this.annotations.find((annotation) => annotation.id === this.selected) ?? null,
  );

  readonly saving: boolean = $derived(this.#pending > 0);

  /** Whether another document is on its way: what is shown then is no more to be worked on. */
  readonly opening: boolean = $derived(this.#wanted !== null && this.#wanted !== this.document?.id);

  /** Look at a stretch of text: the annotation that has it, else the text itself. by: whether it was selected or stepped to. */
  mark(span: Span, by: "selecting" | "stepping" = "selecting"): void {
    const { current } = this;
    const there = this.annotations.find((one) => one.start === span.start && one.end === span.end);
    if (this.moving && current) {
      this.look(current);
      this.marked = by === "selecting";
      if (there !== current) void this.change(current.id, span, `Now “${this.text(span)}”`);
      return;
    }
    this.look(there ?? null);
    if (!there) this.span = span;
    this.marked = !there || by === "selecting";
  }

  /** Look at an annotation, or at nothing. */
  look(annotation: Annotation | null): void {
    this.selected = annotation?.id ?? null;
    this.span = null;
    this.marked = false;
    this.moving = false;
  }

  /** Show a document, once the changes of the one before are saved. Of those asked for one after the other, the last is shown.
   *
   * arriving: what to tell when it is there; a change of the document before that failed meanwhile is told in its place
   */
  async open(id: number, arriving: Told | null = null): Promise<void> {
    this.#wanted = id;
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    const failures = this.#failures;
    await this.#inTurn(async () => {
      if (signal.aborted) return;
      const view = await get<DocumentView>(`/documents/${id}`, { limit: FIRST }, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!view || signal.aborted || view.id !== id) return;
      const failed = this.#failures === failures || this.document?.id === id ? null : this.told;
      const before = this.document?.name ?? "";
      this.#show(view);
      this.look(null);
      this.told = failed ? { kind: "trouble", text: `Not saved in “${before}”. ${failed.text}` } : arriving;
      [this.touched, this.since] = [false, performance.now()];
    });
  }

  /** When all changes are answered: whether those that were waited for are saved. */
  async settled(): Promise<boolean> {
    const failures = this.#failures;
    await this.#changing;
    return this.#failures === failures;
  }

  /** Somebody else may have changed the document: show it as it is now. Asked for again and again, it looks once more at the end. */
  refresh(by: string): Promise<void> {
    this.#refreshing ??= this.#inTurn(() => {
      this.#refreshing = null;
      return this.#look(by);
    });
    return this.#refreshing;
  }

  async #look(by: string): Promise<void> {
    const shown = this.document;
    if (!shown) return;
    const change = await get<Changes>(`/documents/${shown.id}/changes`, { since: shown.revision });
    if (change.complete && change.revision <= shown.revision) return;
    if (!change.complete) await this.#readAgain(shown.id);
    else if (this.document?.id === shown.id) {
      this.#apply(change);
      this.document = { ...this.document, previous: change.previous, next: change.next };
    }
    // A look that no event asked for finds out from the annotations whose change it was.
    const who = by || [...new Set(change.changed.map((one) => one.author).filter(Boolean))].join(", ");
    if (who !== session.current?.name) this.told = { kind: "news", text: `${who || "The model"} changed this document; it is shown as it is now.` };
  }

  make(wish: Wish & Span): Promise<boolean> {
    return this.#change(`Annotated “${this.text(wish)}”`, async (id, revision) => {
      const span = { start: this.#offsets.points(wish.start), end: this.#offsets.points(wish.end) };
      const change = await post<Change>(`/documents/${id}/annotations`, { ...wish, ...span, revision });
      return {
        change,
        after: () => {
          const made = this.annotations.find(
            (one) => one.start === wish.start && one.end === wish.end && one.revision === change.revision,
          );
          if (made) this.selected = made.id;
          this.span = null;
          this.marked = false;
        },
      };
    });
  }

  change(annotation: number, wish: Wish, saying = "Saved"): Promise<boolean> {
    return this.#change(saying, async (id, revision) => {
      const body: Wish & { revision: number } = { ...wish, revision };
      if (wish.start !== undefined) body.start = this.#offsets.points(wish.start);
      if (wish.end !== undefined) body.end = this.#offsets.points(wish.end);
      return { change: await patch<Change>(`/documents/${id}/annotations/${annotation}`, body) };
    });
  }

  remove(annotation: Annotation): Promise<boolean> {
    return this.#change(`Removed “${annotation.text}”`, async (id, revision) => ({
      change: await remove<Change>(`/documents/${id}/annotations/${annotation.id}`, { revision }),
    }));
  }

  same(annotation: Annotation): Promise<boolean> {
    return this.#change("Applied", async (id, revision) => {
      const change = await post<Applied>(`/documents/${id}/annotations/${annotation.id}/same?limit=${MOST}`, { revision });
      const text = `“${annotation.text}”: ${change.made} more annotated, ${change.relinked} linked the same way`;
      return { change, saying: text };
    });
  }

  state(state: State): Promise<boolean> {
    const saying = { accepted: "Accepted", skipped: "Skipped", open: "Open again" }[state];
    const failures = this.#failures;
    return this.#change(saying, async (id, revision) => {
      // Whoever signed off had not seen yet that a change before it was not saved.
      if (this.#failures !== failures) throw new Withheld(`${this.told?.text ?? ""} The document is not ${state}.`);
      return { change: await post<Change>(`/documents/${id}/state?limit=${MOST}`, { state, revision }) };
    });
  }

  /** at: is given the span that was changed, where it was one. */
  step(direction: "undo" | "redo", at?: (span: Span) => void): Promise<boolean> {
    const done = direction === "undo" ? "Undone" : "Redone";
    return this.#change(done, async (id, revision) => {
      const change = await post<Stepped>(`/documents/${id}/${direction}?limit=${MOST}`, { revision });
      const before = this.annotations.find((one) => one.id === change.annotation);
      return {
        change,
        saying: `${done}: ${did(change.action)}${change.text ? ` “${change.text}”` : ""}`,
        after: () => {
          const now = this.annotations.find((one) => one.id === change.annotation);
          if (now) this.look(now);
          const place = now ?? before;
          if (place) at?.(place);
        },
      };
    });
  }

  text(span: Span): string {
    return this.document?.text.slice(span.start, span.end) ?? "";
  }

  /** Offsets of the interface for scripts, of a span of the page. */
  points(span: Span): Span {
    return { start: this.#offsets.points(span.start), end: this.#offsets.points(span.end) };
  }

  /** True when done; else `told` says why not, and offers to try again what never reached the server. */
  #change(
    saying: string,
    request: (id: number, revision: number) => Promise<{ change: Change; after?: () => void; saying?: string }>,
  ): Promise<boolean> {
    const id = this.document?.id;
    if (id === undefined || this.opening) return Promise.resolve(false);
    this.#pending++;
    const changed = this.#inTurn(async () => {
      const shown = this.document;
      // Never so: a document is opened when the changes of the one before are answered.
      if (!shown || shown.id !== id) return false;
      try {
        let unread = false;
        const done = await request(shown.id, shown.revision);
        this.touched = true;
        if (this.document?.id === id) {
          if (done.change.complete) this.#apply(done.change);
          else await this.#readAgain(id).catch(() => (unread = true));
          done.after?.();
          this.told = { kind: "saved", text: done.saying ?? saying };
          if (unread) {
            const text = "This is saved, but what it changed could not be read.";
            this.told = { kind: "trouble", text, again: () => void this.refresh("").catch(() => undefined) };
          }
        }
        return true;
      } catch (error) {
        this.#failures++;
        const before = this.told;
        this.told = { kind: "trouble", text: told(error) };
        if (error instanceof Withheld && before?.again) this.told.again = before.again;
        if (error instanceof Unreachable) {
          this.told.again = () => void (this.document?.id === id && this.#change(saying, request));
        }
        const now = error instanceof Refused ? error.problem.document : null;
        if (now?.id === id) this.#show(now);
        return false;
      } finally {
        this.#pending--;
      }
    });
    this.#changing = changed;
    return changed;
  }

  /** When all that was asked for before is answered. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #show(view: DocumentView): void {
    if (view.text !== this.document?.text) this.#offsets = offsetsOf(view.text);
    this.document = this.#view = view;
    this.annotations = view.annotations.map((one) => placed(one, this.#offsets)).sort(inOrder);
    if (!this.annotations.some((one) => one.id === this.selected)) this.selected = null;
    this.reading = false;
    if (view.more) void this.#readOn(view, view.more);
  }

  /** Read the annotations that follow, piece after piece; what is changed meanwhile is changed between two of them. */
  async #readOn(view: DocumentView, after: string): Promise<void> {
    this.reading = true;
    let more: string | null = after;
    const { signal } = this.#abort;
    const unchanged = (): boolean => this.#view === view && !signal.aborted;
    try {
      while (more !== null && unchanged()) {
        more = await this.#inTurn(async () => {
          if (!unchanged()) return null;
          const piece = await get<AnnotationPage>(`/documents/${view.id}/annotations`, { after: more, limit: PIECE }, signal);
          if (unchanged()) this.annotations = merged(this.annotations, { changed: piece.annotations, removed: [] }, this.#offsets);
          return piece.more;
        });
      }
    } catch (error) {
      const rest = more;
      if (unchanged() && rest !== null) {
        this.told = { kind: "trouble", text: `Not all annotations could be read. ${told(error)}`, again: () => void this.#readOn(view, rest) };
      }
    }
    if (unchanged()) this.reading = false;
  }

  /** Where very much has changed. */
  async #readAgain(id: number): Promise<void> {
    const view = await get<DocumentView>(`/documents/${id}`, { limit: FIRST });
    if (this.document?.id === view.id) this.#show(view);
  }

  #apply(change: Change): void {
    if (!this.document) return;
    const { revision, state, can_undo, can_redo } = change;
    this.document = { ...this.document, revision, state, can_undo, can_redo };
    this.annotations = merged(this.annotations, change, this.#offsets);
    if (change.removed.includes(this.selected ?? -1)) this.selected = null;
  }
}
