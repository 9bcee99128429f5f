/** What the reviewer sees and does: the list, the current row, decisions. */

import { SvelteMap } from "svelte/reactivity";

import { get, messageOf, post } from "../lib/api";
import { RowList } from "./rowList.svelte";
import { HEADER, keptAs, Sending } from "./sending.svelte";
import type {
  Approved,
  Changed,
  Checked,
  Equivalence,
  ProgressView,
  RowView,
  RowChanges,
  RowDetail,
  Sample,
  RowStatus,
  Summary,
  TargetView,
  Wanted,
} from "../lib/types";

const NAME = "linnet-reviewer";
/** Rows around the current one that are loaded before they are looked at. */
const AROUND = 60;
/** Next rows whose candidates are loaded before they are looked at. */
const AHEAD = 3;

/** A sample that is being checked. left: what would be approved then. */
export interface Checking {
  above: number;
  numbers: number[];
  left: { total: number; records: number };
  checked: Checked | null;
}

export class Review {
  summary: Summary | null = $state.raw(null);
  progress: ProgressView | null = $state.raw(null);
  error = $state("");
  /** The last thing that was done, in words. */
  said = $state("");
  reviewer = $state("");
  wanted: Wanted = $state({
    order: "urgency",
    status: "",
    attention: false,
    text: "",
    by: "",
    above: null,
    number: [],
  });
  /** Whether another list is coming: nothing is decided in the old one. */
  loading = $state(true);
  /** Place of the current row in the list. */
  place = $state(0);
  /** What the concept of the next decision is to the string; null for the usual. */
  mark: Equivalence | null = $state(null);
  checking: Checking | null = $state.raw(null);
  /** Concepts chosen so far, of a string that has several; null while each choice decides. */
  several: readonly TargetView[] | null = $state.raw(null);
  /** What was approved at once last, until something else is decided. */
  approved: Approved | null = $state.raw(null);
  readonly list: RowList;
  readonly sending: Sending;
  readonly details = new SvelteMap<number, RowDetail>();
  /** Comments that are not saved, by row. */
  readonly drafts = new SvelteMap<number, string>();
  #done: { before: RowView; place: number }[] = [];
  #asked = new Set<number>();
  /** Newest entry of the log that is shown. */
  #entry = 0;
  #sample: string;
  #failed = (error: unknown): void => void (this.error = messageOf(error));

  /** base: path of the mapping's API; member: the account that decides, "" on one's own machine. */
  constructor(
    readonly base: string,
    readonly member: string,
  ) {
    this.list = new RowList(base, (error) => (this.error = messageOf(error)));
    this.sending = new Sending(
      base,
      member,
      (changed, last) => this.#answered(changed, last),
      (row) => void this.#reload(row).catch(this.#failed),
    );
    this.#sample = keptAs("linnet-review-sample", base, member);
  }

  get row(): RowView | undefined {
    return this.list.at(this.place);
  }

  /** Load the mapping, and the first row that is to be decided. */
  async begin(): Promise<void> {
    this.error = "";
    try {
      this.summary = await get<Summary>(this.base);
      this.progress = this.summary.progress;
      this.name(this.member || (localStorage.getItem(NAME) ?? this.summary.user));
      const kept = sessionStorage.getItem(this.#sample);
      if (kept) await this.#check(JSON.parse(kept) as { above: number; numbers: number[] });
      else await this.show({});
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Who decides from now on; the browser remembers it. */
  name(name: string): void {
    this.reviewer = this.list.reviewer = name.trim();
    if (this.member) return;
    if (this.reviewer && this.reviewer !== this.summary?.user) localStorage.setItem(NAME, this.reviewer);
    else localStorage.removeItem(NAME);
  }

  /** Show another list, at its first open row. */
  async show(changes: Partial<Wanted>): Promise<void> {
    Object.assign(this.wanted, changes);
    this.loading = true;
    try {
      if (!this.sending.trouble) await this.sending.quiet();
      const first = await this.list.open($state.snapshot(this.wanted));
      if (first === undefined) return;
      this.#entry = Math.max(this.#entry, this.list.since);
      this.loading = false;
      this.go(first ?? 0);
    } catch (error) {
      this.#failed(error);
    }
  }

  go(place: number): void {
    this.mark = this.several = null;
    this.place = Math.max(0, Math.min(place, this.list.total - 1));
    this.list.want(this.place - AROUND, this.place + AROUND);
    for (let next = this.place; next <= this.place + AHEAD; next++) this.look(this.list.at(next)?.number);
  }

  /** Load the candidates and the history of a row. */
  look(number: number | undefined): void {
    if (number === undefined || this.details.has(number) || this.#asked.has(number)) return;
    this.#asked.add(number);
    get<RowDetail>(`${this.base}/rows/${number}`)
      .then((detail) => this.details.has(number) || this.details.set(number, detail), this.#failed)
      .finally(() => this.#asked.delete(number));
  }

  approve(): void {
    if (this.row) this.decide(this.several?.length ? this.several : this.row.targets);
  }

  /** Choose several concepts from now on, until they are approved; a second time, or on another row, not any more. */
  gather(): void {
    this.several = this.several ? null : [];
  }

  /** Decide for a concept; while several are chosen, add it to them, or take it off. */
  take(target: TargetView): void {
    if (!this.several) return this.decide([target]);
    const others = this.several.filter(({ concept }) => concept !== target.concept);
    this.several = others.length < this.several.length ? others : [...others, target];
    this.said = this.several.map(({ name, concept }) => name || concept).join(" + ") || "none chosen";
  }

  /** Choose a candidate by its digit, from 1. */
  choose(digit: number): void {
    const chosen = this.row?.candidates[digit - 1];
    if (chosen) this.take({ concept: chosen.id, name: this.nameOf(chosen.id) ?? chosen.found });
  }

  flag(): void {
    if (this.row) this.decide(this.row.targets, "flagged");
  }

  /** What the concept that `approve` would approve is to the string. */
  get equivalence(): Equivalence {
    if (this.mark) return this.mark;
    if (!this.row) return "unmatched";
    if (this.several?.length) return this.#usual(this.row, this.several, false);
    return this.row.equivalence ?? this.row.usual;
  }

  /** Mark what the concept is to the string; a second time it is equivalent. */
  toggle(mark: Equivalence): void {
    this.mark = this.equivalence === mark ? "equivalent" : mark;
  }

  /** Decide the current row, show it at once, and go to the next open one. stay: only change what was decided. */
  decide(targets: readonly TargetView[], status: RowStatus = "approved", stay = false): void {
    const row = this.row;
    if (!row || this.loading) return;
    const kept = targets.map(({ concept }) => concept).join() === row.targets.map(({ concept }) => concept).join();
    const same = row.status !== "unchecked" && kept;
    const equivalence = targets.length ? (this.mark ?? (same ? row.equivalence : null)) : null;
    const comment = this.drafts.get(row.number) ?? row.comment;
    const shown = equivalence ?? this.#usual(row, targets, kept);
    // The reviewer has said so already.
    if (
      same &&
      status === row.status &&
      shown === row.equivalence &&
      comment === row.comment &&
      row.by === this.reviewer
    )
      return void this.#onward();
    const names = targets.map(({ name, concept }) => name || concept).join(", ") || "no concept";
    this.said = `${row.text}: ${status === "ignored" ? "ignored" : `${names}, ${equivalence ? `${equivalence}, ` : ""}${status}`}`;
    this.drafts.delete(row.number);
    this.approved = null;
    this.#done.push({ before: row, place: this.place });
    // What is known of another concept is nothing.
    const probability = kept ? row.probability : null;
    this.list.replace({
      ...row,
      targets: [...targets],
      probability,
      status,
      equivalence: shown,
      usual: this.#usual(row, targets, kept),
      comment,
      by: this.reviewer,
      returned: "",
      done: !this.summary?.four_eyes,
    });
    const concepts = targets.map(({ concept }) => concept);
    this.sending.add({
      row: row.number,
      label: this.said,
      kind: "decision",
      body: { concepts, status, equivalence, comment, by: this.reviewer },
    });
    if (!stay) void this.#onward();
  }

  /** What concepts are to a string, as far as the server says; it decides so where nothing else is said. */
  #usual(row: RowView, targets: readonly TargetView[], kept: boolean): Equivalence {
    if (kept) return row.usual;
    const [only] = targets;
    if (!only) return "unmatched";
    if (targets.length > 1) return "narrower";
    return row.candidates.find(({ id }) => id === only.concept)?.usual ?? "equivalent";
  }

  /** Save the comment of a decided row; that of another is saved with its decision. */
  saveComment(): void {
    const row = this.row;
    if (row && row.status !== "unchecked" && (this.drafts.get(row.number) ?? row.comment) !== row.comment)
      this.decide(row.targets, row.status, true);
  }

  /** Take back the last decision made here; without one, that of the current row. */
  undo(): void {
    if (this.approved) return void this.#undoMany(this.approved).catch(this.#failed);
    const last = this.#done.pop();
    const row = last?.before ?? this.row;
    if (!row || (!last && row.status === "unchecked")) return;
    this.said = `${row.text}: undone`;
    this.sending.add({
      row: row.number,
      label: this.said,
      kind: "undo",
      body: { by: this.reviewer, ...(last ? {} : { entry: row.entry }) },
    });
    if (!last) return;
    this.list.replace(row);
    const place = this.list.placeOf(row.number);
    if (place !== null) this.go(place);
  }

  /** Name of a concept that the page has seen with the current row. */
  nameOf(id: string): string | undefined {
    return this.row && this.details.get(this.row.number)?.found.find((each) => each.id === id)?.name;
  }

  /** Draw a sample of the unchecked rows that are at least so probable, and show it. */
  async startSample(above: number): Promise<void> {
    await this.sending.quiet();
    const { numbers } = await get<Sample>(`${this.base}/sample`, { above });
    if (numbers.length) await this.#check({ above, numbers });
    else this.said = "No unchecked row is so probable.";
  }

  /** Approve what is left above the probability of the sample. Returns how many. */
  async approveRest(): Promise<number> {
    await this.sending.quiet();
    const approved = await post<Approved>(
      `${this.base}/approve`,
      { above: this.checking?.above, by: this.reviewer },
      HEADER,
    );
    this.details.clear();
    this.progress = approved.progress;
    await this.endSample();
    this.approved = approved;
    this.said = `${approved.rows} rows approved.`;
    return approved.rows;
  }

  async #undoMany({ after, until }: Approved): Promise<void> {
    this.approved = null;
    const { rows, progress } = await post<Approved>(
      `${this.base}/approve/undo`,
      { after, until, by: this.reviewer },
      HEADER,
    );
    this.progress = progress;
    this.details.clear();
    await this.show({});
    this.said = `${rows} rows are open again.`;
  }

  /** Show what others have decided meanwhile. */
  async follow(): Promise<void> {
    if (this.loading || this.sending.jobs.length) return;
    const { rows, entry, complete, progress } = await get<RowChanges>(`${this.base}/changes`, { since: this.#entry });
    // What was decided here meanwhile is newer.
    if (this.sending.jobs.length || entry === this.#entry) return;
    [this.#entry, this.progress] = [entry, progress];
    if (!complete) return void (await this.show({}));
    for (const row of rows) {
      this.list.replace(row);
      this.details.delete(row.number);
      if (row.number === this.row?.number) {
        this.look(row.number);
        if (row.by !== this.reviewer) this.said = `${row.text}: decided by ${row.by}`;
      }
    }
  }

  async endSample(): Promise<void> {
    this.checking = null;
    sessionStorage.removeItem(this.#sample);
    this.#done = [];
    await this.show({ number: [] });
  }

  async #check(sample: { above: number; numbers: number[] }): Promise<void> {
    sessionStorage.setItem(this.#sample, JSON.stringify(sample));
    this.#done = [];
    await this.show({ number: sample.numbers });
    this.checking = { ...sample, left: { total: 0, records: 0 }, checked: null };
    await this.#count();
  }

  /** What the sample implies by now, and what is left. */
  async #count(): Promise<void> {
    const { above, numbers } = this.checking ?? { above: 0, numbers: [] };
    if (!numbers.length) return;
    const [checked, left] = await Promise.all([
      get<Checked>(`${this.base}/checked`, { number: numbers.map(String) }),
      get<Sample>(`${this.base}/sample`, { above }),
    ]);
    if (this.checking?.above === above)
      this.checking = { above, numbers, left: { total: left.total, records: left.records }, checked };
  }

  async #onward(): Promise<void> {
    const from = this.place;
    let next = this.list.openFrom(from + 1);
    try {
      if (next === undefined) next = await this.list.findOpen(from + 1);
    } catch (error) {
      this.#failed(error);
    }
    if (this.place !== from) return;
    if (next === null || next === undefined) {
      this.mark = null;
      this.said += ". No open row follows.";
    } else this.go(next);
  }

  #answered({ row, progress }: Changed, last: boolean): void {
    this.progress = progress;
    if (last) {
      this.list.replace(row);
      this.details.set(row.number, row);
    }
    if (this.checking && last) this.#count().catch(this.#failed);
  }

  async #reload(number: number): Promise<void> {
    const row = await get<RowDetail>(`${this.base}/rows/${number}`);
    this.list.replace(row);
    this.details.set(number, row);
  }
}
