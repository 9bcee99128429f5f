/** An open document: text, annotations, and changes to them, saved at once. */

import { get, patch, post, Refused, remove, messageOf, Unreachable } from "../lib/api";
import { counted } from "../lib/format";
import { offsetsOf, type Offsets } from "../lib/offsets";
import { session } from "../lib/session.svelte";
import type { Annotation, AnnotationPage, Attribute, AttributeValues, Applied, Change, Changes, DocumentView, Replaced, SameDone, State, Stepped, AnnotationInput } from "../lib/types";
import { did } from "../project/changes";
import { nextValue, words } from "./attributes";
import { inOrder, merged, placed } from "./merging";

/** A stretch of the text, in UTF-16 code units, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** What a change of state is called once it is made. */
export const DONE = { accepted: "Accepted", skipped: "Skipped", open: "Reopened" } as const;

export type Notice = { kind: "saved" | "news" | "trouble"; text: string; again?: () => void };

/** A change that was not sent, because an earlier one failed. */
class Withheld extends Error {}

/** Annotations loaded with the document, and with each further request. */
const FIRST = 2000;
const PIECE = 10_000;
/** If one request changes more annotations, the document is loaded again. */
const MOST = 5000;

export class Editor {
  document: DocumentView | null = $state.raw(null);
  annotations: Annotation[] = $state.raw([]);
  /** Id of the selected annotation. */
  selected: number | null = $state(null);
  /** Selected text without an annotation. */
  span: Span | null = $state.raw(null);
  /** Attributes that an annotation of the span will get; null: those that the server guesses. */
  proposed: AttributeValues | null = $state.raw(null);
  /** Whether text was just selected, so that letters typed now start a search. */
  marked = $state(false);
  /** Whether the next selected span becomes that of the selected annotation. */
  moving = $state(false);
  /** Number of unanswered changes. */
  #pending = $state(0);
  /** Whether the user changed something since the document was opened. */
  touched = $state(false);
  /** When the document was shown (performance.now). */
  since = 0;
  /** Whether annotations are still being loaded. */
  reading = $state(false);
  notice: Notice | null = $state.raw(null);
  #offsets: Offsets = offsetsOf("");
  /** The document as loaded last; later pages of annotations belong to it. */
  #view: DocumentView | null = null;
  /** Requests run one after the other: each names the revision that the previous one made. */
  #last: Promise<unknown> = Promise.resolve();
  /** The last change. */
  #changing: Promise<unknown> = Promise.resolve();
  /** Number of failed changes. */
  #failures = 0;
  /** Id of the requested document, which may not be shown yet. */
  #wanted: number | null = $state(null);
  #abort = new AbortController();
  /** Whose sheet it is; null for the one that the user annotates. */
  readonly sheet: string | null;
  /** A refresh that has not begun yet. */
  #refreshing: Promise<void> | null = null;

  constructor(sheet: string | null = null) {
    this.sheet = sheet;
  }

  readonly current: Annotation | null = $derived(
    this.annotations.find((annotation) => annotation.id === this.selected) ?? null,
  );

  /** Annotations inside the selected one. */
  readonly inside: readonly Annotation[] = $derived.by(() => {
    const { current } = this;
    if (!current) return [];
    return this.annotations.filter(({ start, end }) => start >= current.start && end <= current.end && end - start < current.end - current.start);
  });

  readonly saving: boolean = $derived(this.#pending > 0);

  /** Whether another document is being opened: the one shown must not be changed any more. */
  readonly opening: boolean = $derived(this.#wanted !== null && this.#wanted !== this.document?.id);

  /** Select a span: its annotation if there is one, else the text. by: how the user got there. */
  mark(span: Span, by: "selecting" | "stepping" = "selecting"): void {
    const { current } = this;
    const there = this.annotations.find(({ start, end }) => start === span.start && end === span.end);
    if (this.moving && current) {
      this.look(current);
      this.marked = by === "selecting";
      if (there !== current) void this.change(current.id, span, `Span is now “${this.text(span)}”`);
      return;
    }
    this.look(there ?? null);
    if (!there) this.span = span;
    this.marked = !there || by === "selecting";
  }

  /** Select an annotation, or nothing. */
  look(annotation: Annotation | null): void {
    this.selected = annotation?.id ?? null;
    this.span = null;
    this.marked = false;
    this.moving = false;
  }

  /** Open a document once the changes of the previous one are saved. Of several requests, the last one wins.
   *
   * arriving: notice to show then, unless a change of the previous document failed
   */
  async open(id: number, arriving: Notice | null = null): Promise<void> {
    this.#wanted = id;
    this.#abort.abort();
    const { signal } = (this.#abort = new AbortController());
    const failures = this.#failures;
    await this.#inTurn(async () => {
      if (signal.aborted) return;
      const view = await get<DocumentView>(`/documents/${id}`, { limit: FIRST, sheet: this.sheet }, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!view || signal.aborted || view.id !== id) return;
      const failed = this.#failures === failures || this.document?.id === id ? null : this.notice;
      const before = this.document?.name ?? "";
      this.#show(view);
      this.look(null);
      this.notice = failed ? { kind: "trouble", text: `Not saved in “${before}”. ${failed.text}` } : arriving;
      [this.touched, this.since] = [false, performance.now()];
    });
  }

  /** Wait for all changes; returns whether they were saved. */
  async settled(): Promise<boolean> {
    const failures = this.#failures;
    await this.#changing;
    return this.#failures === failures;
  }

  /** Load the changes of others. Repeated calls share one refresh. */
  refresh(by: string): Promise<void> {
    this.#refreshing ??= this.#inTurn(() => {
      this.#refreshing = null;
      return this.#loadChanges(by);
    });
    return this.#refreshing;
  }

  async #loadChanges(by: string): Promise<void> {
    const shown = this.document;
    if (!shown) return;
    const change = await get<Changes>(`/documents/${shown.id}/changes`, { since: shown.revision, sheet: this.sheet });
    if (change.complete && change.revision <= shown.revision) return;
    if (!change.complete) await this.#readAgain(shown.id);
    else if (this.document?.id === shown.id) {
      this.#apply(change);
      this.document = { ...this.document, previous: change.previous, next: change.next };
    }
    // Without an event, the annotations tell who made the change.
    const who = by || [...new Set(change.changed.map(({ author }) => author).filter(Boolean))].join(", ");
    if (who !== session.current?.name) this.notice = { kind: "news", text: `${who || "The model"} changed this document. You see the current version.` };
  }

  /** Change an attribute of the selected annotation, or of the one that the selected text will become; null takes it away. */
  set(name: string, value: true | string | null): void {
    const { current } = this;
    if (current) {
      const was = current.attributes[name];
      const said = value !== null ? words(name, value) : `no longer ${words(name, was ?? true)}`;
      void this.change(current.id, { attributes: { [name]: value } }, `“${current.text}”: ${said}`);
    } else if (this.span) {
      const { [name]: _, ...others } = this.proposed ?? {};
      this.proposed = value === null ? others : { ...others, [name]: value };
    }
  }

  /** What the key of an attribute does: its next value. */
  turn(attribute: Attribute | undefined): void {
    const values = this.current?.attributes ?? this.proposed ?? {};
    if (attribute && this.current?.layer !== "none") this.set(attribute.name, nextValue(attribute, values[attribute.name]));
  }

  make(given: AnnotationInput & Span): Promise<boolean> {
    // What is typed from now on is meant for what follows.
    this.marked = false;
    const input = this.proposed ? { ...given, attributes: this.proposed } : given;
    return this.#change(`Annotated “${this.text(input)}”`, async (id, revision) => {
      const change = await post<Change>(this.#to(`/documents/${id}/annotations`), { ...input, ...this.points(input), revision });
      return {
        change,
        after: () => {
          const made = this.annotations.find(
            (each) => each.start === input.start && each.end === input.end && each.revision === change.revision,
          );
          // The user may have gone on.
          if (this.span?.start !== input.start || this.span.end !== input.end) return;
          if (made) this.selected = made.id;
          this.span = null;
        },
      };
    });
  }

  change(annotation: number, input: AnnotationInput, success = "Saved"): Promise<boolean> {
    return this.#change(success, async (id, revision) => {
      const body: AnnotationInput & { revision: number } = { ...input, revision };
      if (input.start !== undefined) body.start = this.#offsets.points(input.start);
      if (input.end !== undefined) body.end = this.#offsets.points(input.end);
      return { change: await patch<Change>(this.#to(`/documents/${id}/annotations/${annotation}`), body) };
    });
  }

  remove(annotation: Annotation): Promise<boolean> {
    return this.#change(`Removed “${annotation.text}”`, async (id, revision) => ({
      change: await remove<Change>(`/documents/${id}/annotations/${annotation.id}`, { revision, sheet: this.sheet }),
    }));
  }

  same(annotation: Annotation): Promise<boolean> {
    return this.#change("Applied", async (id, revision) => {
      const change = await post<Applied>(this.#to(`/documents/${id}/annotations/${annotation.id}/same?limit=${MOST}`), { revision });
      return { change, success: `“${annotation.text}”: ${change.made} more annotated, ${change.relinked} relinked` };
    });
  }

  /** Confirm or remove all annotations with the same text. */
  allSame(annotation: Annotation, how: "confirm" | "remove"): Promise<boolean> {
    return this.#change("Done", async (id, revision) => {
      const path = `/documents/${id}/annotations/${annotation.id}/same/${how}?limit=${MOST}`;
      const change = await post<SameDone>(this.#to(path), { revision });
      const { done, left } = change;
      const did = how === "confirm" ? "confirmed" : "removed";
      const rest = left ? `; ${counted(left, "prediction")} of it ${left === 1 ? "means" : "mean"} something else` : "";
      return { change, success: `“${annotation.text}”: ${done} ${did}${rest}` };
    });
  }

  /** Remove what lies inside an annotation, also where the same text is elsewhere. */
  replaceInside(annotation: Annotation): Promise<boolean> {
    return this.#change("Replaced", async (id, revision) => {
      const change = await post<Replaced>(this.#to(`/documents/${id}/annotations/${annotation.id}/inside?limit=${MOST}`), { revision });
      const made = change.made ? `, ${change.made} more annotated` : "";
      return { change, success: `“${annotation.text}”: ${counted(change.removed_inside, "annotation")} inside replaced${made}` };
    });
  }

  state(state: State): Promise<boolean> {
    const failures = this.#failures;
    return this.#change(DONE[state], async (id, revision) => {
      // The user could not know yet that an earlier change was not saved.
      if (this.#failures !== failures) throw new Withheld(`${this.notice?.text ?? ""} The document is not ${state}.`);
      return { change: await post<Change>(this.#to(`/documents/${id}/state?limit=${MOST}`), { state, revision }) };
    });
  }

  /** at: called with the changed span, if the change was about one annotation. */
  step(direction: "undo" | "redo", at?: (span: Span) => void): Promise<boolean> {
    const done = direction === "undo" ? "Undone" : "Redone";
    return this.#change(done, async (id, revision) => {
      const change = await post<Stepped>(this.#to(`/documents/${id}/${direction}?limit=${MOST}`), { revision });
      const before = this.annotations.find(({ id }) => id === change.annotation);
      return {
        change,
        success: `${done}: ${did(change.action)}${change.text ? ` “${change.text}”` : ""}${change.annotation !== null && change.number > 1 ? ` (${change.number} annotations)` : ""}`,
        after: () => {
          const now = this.annotations.find(({ id }) => id === change.annotation);
          if (now) this.look(now);
          const place = now ?? before;
          if (place) at?.(place);
        },
      };
    });
  }

  /** Settle a place of the curated sheet. */
  decide(place: Span, how: "take" | "merge" | "none", annotator: string | null, success: string): Promise<boolean> {
    return this.#change(success, async (id, revision) => ({
      change: await post<Change>(`/documents/${id}/decisions`, { ...this.points(place), how, annotator, revision }),
    }));
  }

  /** An API path for this sheet. */
  #to(path: string): string {
    return this.sheet === null ? path : `${path}${path.includes("?") ? "&" : "?"}sheet=${encodeURIComponent(this.sheet)}`;
  }

  text(span: Span): string {
    return this.document?.text.slice(span.start, span.end) ?? "";
  }

  /** A span in code points, as the API counts. */
  points(span: Span): Span {
    return { start: this.#offsets.points(span.start), end: this.#offsets.points(span.end) };
  }

  /** A span in UTF-16 code units, from one in code points. */
  units(span: Span): Span {
    return { start: this.#offsets.units(span.start), end: this.#offsets.units(span.end) };
  }

  /** Send a change. If false, `notice` says why, and offers a retry if the server was not reached. */
  #change(
    success: string,
    request: (id: number, revision: number) => Promise<{ change: Change; after?: () => void; success?: string }>,
  ): Promise<boolean> {
    const id = this.document?.id;
    if (id === undefined || this.opening) return Promise.resolve(false);
    this.#pending++;
    const changed = this.#inTurn(async () => {
      const shown = this.document;
      // Cannot happen: a document opens after the changes of the previous one.
      if (!shown || shown.id !== id) return false;
      try {
        let unread = false;
        const done = await request(shown.id, shown.revision);
        this.touched = true;
        if (this.document?.id === id) {
          if (done.change.complete) this.#apply(done.change);
          else await this.#readAgain(id).catch(() => (unread = true));
          done.after?.();
          this.notice = { kind: "saved", text: done.success ?? success };
          if (unread) {
            const text = "Saved, but the changes could not be loaded.";
            this.notice = { kind: "trouble", text, again: () => void this.refresh("").catch(() => undefined) };
          }
        }
        return true;
      } catch (error) {
        this.#failures++;
        const before = this.notice;
        this.notice = { kind: "trouble", text: messageOf(error) };
        if (error instanceof Withheld && before?.again) this.notice.again = before.again;
        if (error instanceof Unreachable) {
          this.notice.again = () => void (this.document?.id === id && this.#change(success, request));
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

  /** Run after all earlier requests. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #show(view: DocumentView): void {
    if (view.text !== this.document?.text) this.#offsets = offsetsOf(view.text);
    this.document = this.#view = view;
    this.annotations = view.annotations.map((annotation) => placed(annotation, this.#offsets)).sort(inOrder);
    if (!this.annotations.some(({ id }) => id === this.selected)) this.selected = null;
    this.reading = false;
    if (view.more) void this.#readOn(view, view.more);
  }

  /** Load further annotations page by page; changes run in between. */
  async #readOn(view: DocumentView, after: string): Promise<void> {
    this.reading = true;
    let more: string | null = after;
    const { signal } = this.#abort;
    const unchanged = (): boolean => this.#view === view && !signal.aborted;
    try {
      while (more !== null && unchanged()) {
        more = await this.#inTurn(async () => {
          if (!unchanged()) return null;
          const piece = await get<AnnotationPage>(`/documents/${view.id}/annotations`, { after: more, limit: PIECE, sheet: this.sheet }, signal);
          if (unchanged()) this.annotations = merged(this.annotations, { changed: piece.annotations, removed: [] }, this.#offsets);
          return piece.more;
        });
      }
    } catch (error) {
      const rest = more;
      if (unchanged() && rest !== null) {
        this.notice = { kind: "trouble", text: `Not all annotations could be loaded. ${messageOf(error)}`, again: () => void this.#readOn(view, rest) };
      }
    }
    if (unchanged()) this.reading = false;
  }

  /** Load the document again after very many changes. */
  async #readAgain(id: number): Promise<void> {
    const view = await get<DocumentView>(`/documents/${id}`, { limit: FIRST, sheet: this.sheet });
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
