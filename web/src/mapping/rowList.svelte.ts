/** The rows of a list, loaded a page at a time where they are looked at. */

import { SvelteMap } from "svelte/reactivity";

import { get } from "../lib/api";
import type { RowView, RowPage, Wanted } from "../lib/types";

/** Rows of a page. */
export const SIZE = 50;

export class RowList {
  total = $state(0);
  records = $state(0);
  /** Who reviews: rows that they have decided are not open to them. */
  reviewer = "";
  #pages = new SvelteMap<number, readonly RowView[]>();
  #wanted: Wanted = { order: "urgency", status: "", attention: false, text: "", by: "", above: null, number: [] };
  #since: number | null = null;
  #next = new Map<number, number | null>();
  #loading = new Map<number, Promise<void>>();
  #version = 0;
  #failed: (error: unknown) => void;

  /** base: path of the mapping's API. */
  constructor(
    readonly base: string,
    failed: (error: unknown) => void,
  ) {
    this.#failed = failed;
  }

  /** Show another list. Returns the place of its first open row; null for none, undefined if yet another was asked for
   * meanwhile. */
  async open(wanted: Wanted): Promise<number | null | undefined> {
    this.#version += 1;
    this.#wanted = wanted;
    this.#since = null;
    this.#loading.clear();
    const version = this.#version;
    const first = await this.#get(0);
    if (version !== this.#version) return undefined;
    this.#pages.clear();
    this.#next.clear();
    this.#take(0, first);
    return first.next;
  }

  /** Newest entry of the log when the list was opened. */
  get since(): number {
    return this.#since ?? 0;
  }

  /** The row at a place; undefined until it is loaded. */
  at(place: number): RowView | undefined {
    return this.#pages.get(Math.floor(place / SIZE))?.[place % SIZE];
  }

  /** Place of a row, if it is loaded. */
  placeOf(number: number): number | null {
    for (const [page, rows] of this.#pages) {
      const at = rows.findIndex((row) => row.number === number);
      if (at >= 0) return page * SIZE + at;
    }
    return null;
  }

  /** Load the rows between two places, where they are missing. */
  want(from: number, to: number): void {
    const last = Math.floor(Math.min(to, this.total - 1) / SIZE);
    for (let page = Math.max(0, Math.floor(from / SIZE)); page <= last; page++) this.load(page).catch(this.#failed);
  }

  /** Load a page of rows, unless it is there. */
  load(page: number): Promise<void> {
    if (this.#pages.has(page)) return Promise.resolve();
    const version = this.#version;
    const running =
      this.#loading.get(page) ??
      this.#get(page)
        .then((found) => {
          if (version === this.#version) this.#take(page, found);
        })
        .finally(() => this.#loading.delete(page));
    this.#loading.set(page, running);
    return running;
  }

  /** Show a row as it is now. */
  replace(row: RowView): void {
    const place = this.placeOf(row.number);
    if (place === null) return;
    const page = Math.floor(place / SIZE);
    this.#pages.set(
      page,
      (this.#pages.get(page) ?? []).map((each) => (each.number === row.number ? row : each)),
    );
  }

  /** Whether somebody has to decide a row, and the reviewer has not done so. */
  isOpen(row: RowView): boolean {
    const waits = row.by === this.reviewer && row.status !== "unchecked" && !row.disagrees;
    return !row.done && !waits;
  }

  /** Place of the first open row from one on; null for none, undefined while rows that must be looked at are not
   * loaded. */
  openFrom(from: number): number | null | undefined {
    for (let place = from; place < this.total; place++) {
      const row = this.at(place);
      if (!row) return undefined;
      if (this.isOpen(row)) return place;
      // The first open row after a page was told with it.
      const end = place % SIZE === SIZE - 1 ? this.#next.get(Math.floor(place / SIZE)) : undefined;
      if (end === null) return null;
      if (end !== undefined && end > place) place = end - 1;
    }
    return null;
  }

  /** As `openFrom`, loading rows until it is known. */
  async findOpen(from: number): Promise<number | null> {
    const version = this.#version;
    for (;;) {
      const found = this.openFrom(from);
      if (found !== undefined || version !== this.#version) return found ?? null;
      let place = from;
      while (this.at(place)) {
        const end = place % SIZE === SIZE - 1 ? this.#next.get(Math.floor(place / SIZE)) : undefined;
        place = end ? Math.max(end, place + 1) : place + 1;
      }
      await this.load(Math.floor(place / SIZE));
    }
  }

  #get(page: number): Promise<RowPage> {
    const { attention, number, ...others } = this.#wanted;
    return get<RowPage>(`${this.base}/rows`, {
      ...others,
      attention: attention || null,
      number: number.map(String),
      since: this.#since,
      reviewer: this.reviewer,
      offset: page * SIZE,
      limit: SIZE,
    });
  }

  #take(page: number, found: RowPage): void {
    [this.total, this.records, this.#since] = [found.total, found.records, found.since];
    this.#next.set(page, found.next);
    this.#pages.set(page, found.rows);
  }
}
