/** A document on the desk: its text, its annotations, and every change made to them, saved as it is made. */

import { get, patch, post, Refused, remove, told, Unreachable } from "../lib/api";
import { offsetsOf, type Offsets } from "../lib/offsets";
import { session } from "../lib/session.svelte";
import type { Annotation, AnnotationPage, Applied, Change, Changes, DocumentView, State, Wish } from "../lib/types";
import { inOrder, merged, placed } from "./merging";

/** A stretch of the text, in UTF-16 code units, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

export type Told = { kind: "saved" | "news" | "trouble"; text: string; again?: () => void };

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
  /** Whether the next span that is marked becomes that of the selected annotation. */
  moving = $state(false);
  saving = $state(false);
  /** Whether there are annotations that are still being read. */
  reading = $state(false);
  told: Told | null = $state.raw(null);
  #offsets: Offsets = offsetsOf("");
  /** The document as it was read last, to which the pieces belong that are read after it. */
  #view: DocumentView | null = null;
  /** Requests go one after the other: each names the revision that the one before it made. */
  #last: Promise<unknown> = Promise.resolve();
  /** A look at the document that has not begun yet. */
  #refreshing: Promise<void> | null = null;

  readonly current: Annotation | null = $derived(
    this.annotations.find((annotation) => annotation.id === this.selected) ?? null,
  );

  /** Look at a stretch of text: the annotation that has it, else the text itself. */
  mark(span: Span): void {
    const { current } = this;
    const there = this.annotations.find((one) => one.start === span.start && one.end === span.end);
    if (this.moving && current) {
      this.look(current);
      if (there !== current) void this.change(current.id, span, `Now “${this.text(span)}”`);
      return;
    }
    this.look(there ?? null);
    if (!there) this.span = span;
  }

  /** Look at an annotation, or at nothing. */
  look(annotation: Annotation | null): void {
    this.selected = annotation?.id ?? null;
    this.span = null;
    this.moving = false;
  }

  async open(id: number): Promise<void> {
    const view = await get<DocumentView>(`/documents/${id}`, { limit: FIRST });
    this.#show(view);
    this.look(null);
    this.told = null;
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
    if (by !== session.current?.name) this.told = { kind: "news", text: `${by || "The model"} changed this document; it is shown as it is now.` };
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
    return this.#change(saying, async (id, revision) => ({
      change: await post<Change>(`/documents/${id}/state?limit=${MOST}`, { state, revision }),
    }));
  }

  step(direction: "undo" | "redo"): Promise<boolean> {
    return this.#change(direction === "undo" ? "Undone" : "Redone", async (id, revision) => ({
      change: await post<Change>(`/documents/${id}/${direction}?limit=${MOST}`, { revision }),
    }));
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
    return this.#inTurn(async () => {
      const shown = this.document;
      if (!shown || shown.id !== id) return false;
      this.saving = true;
      try {
        let unread = false;
        const done = await request(shown.id, shown.revision);
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
        this.told = { kind: "trouble", text: told(error) };
        if (error instanceof Unreachable) this.told.again = () => void this.#change(saying, request);
        if (error instanceof Refused && error.problem.document) this.#show(error.problem.document);
        return false;
      } finally {
        this.saving = false;
      }
    });
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
    const unchanged = (): boolean => this.#view === view;
    try {
      while (more !== null && unchanged()) {
        more = await this.#inTurn(async () => {
          if (!unchanged()) return null;
          const piece = await get<AnnotationPage>(`/documents/${view.id}/annotations`, { after: more, limit: PIECE });
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
