/** An open document: text, annotations, and changes to them, saved at once. */

import { get, messageOf, Refused } from "../lib/api";
import { counted } from "../lib/format";
import { offsetsOf, type Offsets } from "../lib/offsets";
import { outbox, type Edit, type Outbox } from "../lib/outbox.svelte";
import { session } from "../lib/session.svelte";
import type {
  Annotation,
  AnnotationPage,
  Attribute,
  AttributeValues,
  Applied,
  Change,
  Changes,
  DocumentView,
  Replaced,
  SameDone,
  State,
  Stepped,
  AnnotationInput,
} from "../lib/types";
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

/** A change of this document: what is sent, and what follows once it is saved. */
interface Step<T extends Change> extends Pick<Edit, "method" | "body" | "label" | "about"> {
  /** After the document's. */
  path: string;
  success: string | ((change: T) => string);
  /** Called before the answer is shown. */
  before?: (change: T) => void;
  /** revision: that it made; null if only a repetition was answered. */
  after?: (revision: number | null, change: T | null) => void;
}

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

  constructor(
    sheet: string | null = null,
    private readonly box: Outbox = outbox,
  ) {
    this.sheet = sheet;
  }

  readonly current: Annotation | null = $derived(
    this.annotations.find((annotation) => annotation.id === this.selected) ?? null,
  );

  /** Annotations inside the selected one. */
  readonly inside: readonly Annotation[] = $derived.by(() => {
    const { current } = this;
    if (!current) return [];
    return this.annotations.filter(
      ({ start, end }) => start >= current.start && end <= current.end && end - start < current.end - current.start,
    );
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
      await this.box.quiet(id);
      if (signal.aborted) return;
      const view = await get<DocumentView>(`/documents/${id}`, { limit: FIRST, sheet: this.sheet }, signal).catch(
        (error: unknown) => {
          if (!signal.aborted) throw error;
        },
      );
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
    if (who !== session.current?.name)
      this.notice = { kind: "news", text: `${who || "The model"} changed this document. You see the current version.` };
  }

  /** Change an attribute of the selected annotation, or of the one that the selected text will become; null takes it
   * away. */
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
    if (attribute && this.current?.layer !== "none")
      this.set(attribute.name, nextValue(attribute, values[attribute.name]));
  }

  make(given: AnnotationInput & Span): Promise<boolean> {
    // What is typed from now on is meant for what follows.
    this.marked = false;
    const input = this.proposed ? { ...given, attributes: this.proposed } : given;
    const points = this.points(input);
    return this.#change({
      method: "POST",
      path: "/annotations",
      body: { ...input, ...points },
      label: `annotate “${this.text(input)}”`,
      about: points,
      success: `Annotated “${this.text(input)}”`,
      after: (revision) => {
        const made = this.annotations.find(
          (each) =>
            each.start === input.start && each.end === input.end && (revision === null || each.revision === revision),
        );
        // The user may have gone on.
        if (this.span?.start !== input.start || this.span.end !== input.end) return;
        if (made) this.selected = made.id;
        this.span = null;
      },
    });
  }

  change(annotation: number, input: AnnotationInput, success = "Saved"): Promise<boolean> {
    const body: AnnotationInput = { ...input };
    if (input.start !== undefined) body.start = this.#offsets.points(input.start);
    if (input.end !== undefined) body.end = this.#offsets.points(input.end);
    const about = {
      annotation,
      ...(body.start !== undefined && body.end !== undefined ? { start: body.start, end: body.end } : {}),
    };
    return this.#change({
      method: "PATCH",
      path: `/annotations/${annotation}`,
      body: { ...body },
      label: `change ${this.#quoted(annotation)}`,
      about,
      success,
    });
  }

  remove(annotation: Annotation): Promise<boolean> {
    const { id, text } = annotation;
    return this.#change({
      method: "DELETE",
      path: `/annotations/${id}`,
      body: {},
      label: `remove “${text}”`,
      about: { annotation: id },
      success: `Removed “${text}”`,
    });
  }

  same({ id, text }: Annotation): Promise<boolean> {
    return this.#change<Applied>({
      method: "POST",
      path: `/annotations/${id}/same?limit=${MOST}`,
      body: {},
      label: `annotate all “${text}”`,
      about: { annotation: id },
      success: (change) => `“${text}”: ${change.made} more annotated, ${change.relinked} relinked`,
    });
  }

  /** Confirm or remove all annotations with the same text. */
  allSame({ id, text }: Annotation, how: "confirm" | "remove"): Promise<boolean> {
    const did = how === "confirm" ? "confirmed" : "removed";
    return this.#change<SameDone>({
      method: "POST",
      path: `/annotations/${id}/same/${how}?limit=${MOST}`,
      body: {},
      label: `${how} all “${text}”`,
      about: { annotation: id },
      success: ({ done, left }) =>
        `“${text}”: ${done} ${did}${left ? `; ${counted(left, "prediction")} of it ${left === 1 ? "means" : "mean"} something else` : ""}`,
    });
  }

  /** Remove what lies inside an annotation, also where the same text is elsewhere. */
  replaceInside({ id, text }: Annotation): Promise<boolean> {
    return this.#change<Replaced>({
      method: "POST",
      path: `/annotations/${id}/inside?limit=${MOST}`,
      body: {},
      label: `replace what is inside “${text}”`,
      about: { annotation: id },
      success: ({ made, removed_inside }) =>
        `“${text}”: ${counted(removed_inside, "annotation")} inside replaced${made ? `, ${made} more annotated` : ""}`,
    });
  }

  /** Withheld if an earlier change is refused: the user could not know that yet. */
  state(state: State): Promise<boolean> {
    const label = { accepted: "accept the document", skipped: "skip the document", open: "reopen the document" }[state];
    return this.#change({
      method: "POST",
      path: `/state?limit=${MOST}`,
      body: { state },
      label,
      about: {},
      success: DONE[state],
    });
  }

  /** at: called with the changed span, if the change was about one annotation. */
  step(direction: "undo" | "redo", at?: (span: Span) => void): Promise<boolean> {
    const done = direction === "undo" ? "Undone" : "Redone";
    let before: Annotation | undefined;
    return this.#change<Stepped>({
      method: "POST",
      path: `/${direction}?limit=${MOST}`,
      body: {},
      label: `${direction} the last change`,
      about: {},
      success: (change) => {
        const what = change.text ? ` “${change.text}”` : "";
        return `${done}: ${did(change.action)}${what}${change.annotation !== null && change.number > 1 ? ` (${change.number} annotations)` : ""}`;
      },
      before: (change) => (before = this.annotations.find(({ id }) => id === change.annotation)),
      after: (_, change) => {
        const now = this.annotations.find(({ id }) => id === change?.annotation);
        if (now) this.look(now);
        const place = now ?? before;
        if (place) at?.(place);
      },
    });
  }

  /** Settle a place of the curated sheet. */
  decide(place: Span, how: "take" | "merge" | "none", annotator: string | null, success: string): Promise<boolean> {
    const points = this.points(place);
    const label = {
      take: `take ${annotator}'s version of “${this.text(place)}”`,
      merge: `merge the versions of “${this.text(place)}”`,
      none: `no mention “${this.text(place)}”`,
    }[how];
    return this.#change(
      { method: "POST", path: "/decisions", body: { ...points, how, annotator }, label, about: points, success },
      false,
    );
  }

  #quoted(annotation: number): string {
    return `“${this.annotations.find(({ id }) => id === annotation)?.text ?? "an annotation"}”`;
  }

  /** An API path for this sheet. */
  #to(path: string): string {
    return this.sheet === null
      ? path
      : `${path}${path.includes("?") ? "&" : "?"}sheet=${encodeURIComponent(this.sheet)}`;
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

  /** Make a change; it waits while the server does not answer. If false, `notice` says why. sheeted: whether the path
   * needs the sheet. */
  #change<T extends Change = Change>(
    { path, success, before, after, ...step }: Step<T>,
    sheeted = true,
  ): Promise<boolean> {
    const shown = this.document;
    if (!shown || this.opening) return Promise.resolve(false);
    const { id, name, revision } = shown;
    const whole = `/documents/${id}${path}`;
    this.#pending++;
    const sent = this.box.add({
      ...step,
      document: id,
      sheet: this.sheet,
      name,
      revision,
      path: sheeted ? this.#to(whole) : whole,
    });
    // Handled below, in its turn.
    sent.catch(() => undefined);
    const changed = this.#inTurn(async () => {
      try {
        const { change, view } = await sent;
        this.touched = true;
        if (this.document?.id !== id) return true;
        let unread = false;
        if (change) before?.(change as T);
        if (view) this.#show(view);
        else if (change.complete) this.#apply(change);
        else await this.#readAgain(id).catch(() => (unread = true));
        after?.(change?.revision ?? null, change as T | null);
        this.notice = {
          kind: "saved",
          text: typeof success === "string" ? success : change ? success(change as T) : "Saved",
        };
        if (unread) {
          const text = "Saved, but the changes could not be loaded.";
          this.notice = { kind: "trouble", text, again: () => void this.refresh("").catch(() => undefined) };
        }
        return true;
      } catch (error) {
        this.#failures++;
        this.notice = { kind: "trouble", text: messageOf(error) };
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
          const piece = await get<AnnotationPage>(
            `/documents/${view.id}/annotations`,
            { after: more, limit: PIECE, sheet: this.sheet },
            signal,
          );
          if (unchanged())
            this.annotations = merged(this.annotations, { changed: piece.annotations, removed: [] }, this.#offsets);
          return piece.more;
        });
      }
    } catch (error) {
      const rest = more;
      if (unchanged() && rest !== null) {
        this.notice = {
          kind: "trouble",
          text: `Not all annotations could be loaded. ${messageOf(error)}`,
          again: () => void this.#readOn(view, rest),
        };
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
