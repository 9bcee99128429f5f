/** Decisions on their way to the server, in the order in which they were made; those that it has not answered are
 * kept. */

import { get, messageOf, post, Refused } from "../lib/api";
import type { Changed, RowDetail } from "../lib/types";

/** Without it the server takes no change: see `src/linnet/annotate/api/mapping/access.py`. */
export const HEADER = { "X-Linnet": "review" };

export interface Job {
  row: number;
  /** What it does, in words. */
  label: string;
  kind: "decision" | "undo";
  body: Record<string, unknown>;
}

/** Seconds between tries; the last one repeats. */
const PAUSES = [1, 2, 5, 10, 30];
/** Statuses of a server that could not save it now. */
const LATER: readonly number[] = [500, 502, 503, 504, 507];

/** Where a tab keeps something of a mapping: that of another project, or of another account, is apart. */
export const keptAs = (what: string, base: string, member: string): string =>
  member ? `${what} ${base} ${member}` : what;

export class Sending {
  /** The first one is being sent. */
  jobs: readonly Job[] = $state.raw([]);
  /** Why the last try failed; "" while the server answers. */
  trouble = $state("");
  /** What the server refused, with its reasons. */
  refused: readonly string[] = $state.raw([]);
  #entries = new Map<number, number>();
  #busy = false;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #answered: (changed: Changed, last: boolean) => void;
  #refused: (row: number) => void;

  /** In the tab: two tabs do not send each other's. */
  #kept: string;

  /** base: path of the mapping's API; answered: with whether no other change of the row waits. */
  constructor(
    readonly base: string,
    member: string,
    answered: (changed: Changed, last: boolean) => void,
    refused: (row: number) => void,
  ) {
    [this.#answered, this.#refused] = [answered, refused];
    this.#kept = keptAs("linnet-review-unsent", base, member);
    this.jobs = JSON.parse(sessionStorage.getItem(this.#kept) ?? "[]") as Job[];
    void this.#send();
  }

  add(job: Job): void {
    this.#keep([...this.jobs, job]);
    void this.#send();
  }

  /** Try at once. */
  retry(): void {
    this.#tries = 0;
    void this.#send();
  }

  /** Give up all that is not saved. */
  discard(): void {
    const rows = new Set(this.jobs.map(({ row }) => row));
    clearTimeout(this.#timer);
    this.#keep([]);
    this.trouble = "";
    for (const row of rows) this.#refused(row);
  }

  /** The user has seen what was refused. */
  seen(): void {
    this.refused = [];
  }

  /** Resolves once nothing waits. */
  async quiet(): Promise<void> {
    while (this.jobs.length) await new Promise((resume) => setTimeout(resume, 30));
  }

  #keep(jobs: readonly Job[]): void {
    this.jobs = jobs;
    if (jobs.length) sessionStorage.setItem(this.#kept, JSON.stringify(jobs));
    else sessionStorage.removeItem(this.#kept);
  }

  async #send(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    clearTimeout(this.#timer);
    while (this.jobs[0] && (await this.#try(this.jobs[0])));
    this.#busy = false;
  }

  /** Returns whether to go on with the next one. */
  async #try(job: Job): Promise<boolean> {
    try {
      if (job.kind === "undo") await this.#name(job);
      const changed = await post<Changed>(`${this.base}/rows/${job.row}/${job.kind}`, job.body, HEADER);
      this.#entries.set(job.row, changed.row.entry);
      this.#keep(this.jobs.slice(1));
      this.#answered(changed, !this.jobs.some(({ row }) => row === job.row));
    } catch (error) {
      if (!(error instanceof Refused) || LATER.includes(error.status)) {
        this.trouble = messageOf(error);
        this.#timer = setTimeout(() => void this.#send(), 1000 * (PAUSES[this.#tries++] ?? 30));
        return false;
      }
      this.refused = [...this.refused, `${job.label}: ${error.message}`];
      // An undo of what was refused would take back an earlier decision.
      const undo = this.jobs.findIndex(({ kind, row }, place) => place > 0 && kind === "undo" && row === job.row);
      this.#keep(this.jobs.filter((_, place) => place > 0 && (job.kind === "undo" || place !== undo)));
      this.#refused(job.row);
    }
    [this.#tries, this.trouble] = [0, ""];
    return true;
  }

  /** Say which entry of the log an undo takes back, so that it takes back no other when it is sent again. */
  async #name(job: Job): Promise<void> {
    job.body["entry"] ??= this.#entries.get(job.row) ?? (await get<RowDetail>(`${this.base}/rows/${job.row}`)).entry;
    this.#keep(this.jobs);
  }
}
