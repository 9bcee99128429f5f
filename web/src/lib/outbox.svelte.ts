/** Changes on their way to the server, one after the other in the order in which they were made.
 *
 * While the server does not answer, they wait, are tried again, and survive a reload. A change that it refuses is
 * dropped with its reason.
 */

import { deliver, messageOf, Refused, Unreachable } from "./api";
import { session } from "./session.svelte";
import type { Change, DocumentView } from "./types";
import { forget, keep, kept, meddler, newToken, sameSheet, tokenOf, type Unsent } from "./unsent";

/** The server's answer to a change; or the document, if an earlier try was saved and its answer lost. */
export type Saved = { change: Change; view: null } | { change: null; view: DocumentView };

/** What a page tells of a change. */
export type Edit = Pick<
  Unsent,
  "document" | "sheet" | "name" | "method" | "path" | "body" | "revision" | "label" | "about"
>;

/** A change that was not sent: an earlier one of the same document was refused, or the user discarded it. */
export class Withheld extends Error {}

/** Seconds between tries; the last one repeats. */
const PAUSES = [1, 2, 4, 8, 15, 30];
/** Milliseconds until a server that says nothing counts as unreachable. */
const PATIENCE = 60_000;
/** Statuses of a server, or of the one before it, that is not ready now. */
const LATER: readonly number[] = [429, 502, 503, 504, 507];

interface Waiter {
  done: (saved: Saved) => void;
  failed: (error: unknown) => void;
}

export class Outbox {
  /** The first one is being sent. */
  edits: readonly Unsent[] = $state.raw([]);
  /** What was refused after it had waited, until the user has seen it. */
  refused: readonly Unsent[] = $state.raw([]);
  /** Why the last try failed; "" while the server answers. */
  trouble = $state("");
  /** Whether the browser keeps them: else they are lost with the page. */
  safe = $state(true);
  #waiters = new Map<string, Waiter>();
  /** Tokens of changes that have waited: their refusal is told in the banner, too. */
  #late = new Set<string>();
  #busy = false;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #made = 0;

  /** Take over the changes that a page of this user left. */
  load(): void {
    const user = session.current?.name;
    if (!user) return;
    const [known, all] = [new Set([...this.edits, ...this.refused].map(({ token }) => token)), kept(user)];
    const found = all.filter(({ token }) => !known.has(token));
    for (const { token } of found) this.#late.add(token);
    this.refused = [...this.refused, ...found.filter(({ refusal }) => refusal)];
    this.edits = [...this.edits, ...found.filter(({ refusal }) => !refusal)];
    void this.#send();
  }

  /** Add a change. Resolves once it is saved, rejects if it is refused or withheld. */
  add(edit: Edit): Promise<Saved> {
    this.#made = Math.max(Date.now(), this.#made + 1);
    const unsent: Unsent = { ...edit, token: newToken(), user: session.current?.name ?? "", made: this.#made };
    this.safe = keep(unsent);
    this.edits = [...this.edits, unsent];
    const saved = new Promise<Saved>((done, failed) => this.#waiters.set(unsent.token, { done, failed }));
    void this.#send();
    return saved;
  }

  /** Try at once. */
  retry(): void {
    clearTimeout(this.#timer);
    this.#tries = 0;
    void this.#send();
  }

  /** Give up all changes that are not saved. */
  discard(): void {
    for (const unsent of this.edits) this.#remove(unsent, new Withheld("Not saved: you discarded it."));
    this.trouble = "";
  }

  /** The user has seen what was refused. */
  seen(): void {
    for (const unsent of this.refused) forget(unsent);
    this.refused = [];
  }

  /** Another tab has sent a change, or told of its refusal. */
  sentElsewhere(token: string): void {
    const mine = (unsent: Unsent): boolean => unsent.token !== token || this.#waiters.has(token);
    this.edits = this.edits.filter(mine);
    this.refused = this.refused.filter(mine);
  }

  /** Resolves once no change of a document waits. */
  async quiet(document: number): Promise<void> {
    while (this.edits.some((unsent) => unsent.document === document))
      await new Promise((resume) => setTimeout(resume, 50));
  }

  async #send(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    clearTimeout(this.#timer);
    try {
      for (let first = this.edits[0]; first; first = this.edits[0]) if (!(await this.#try(first))) return;
      this.trouble = "";
    } finally {
      this.#busy = false;
    }
  }

  /** Returns whether to go on with the next one. */
  async #try(unsent: Unsent): Promise<boolean> {
    const { method, path, body, revision, token } = unsent;
    try {
      const change = await deliver<Change>(method, path, { ...body, revision }, token, AbortSignal.timeout(PATIENCE));
      this.#answered(unsent, { change, view: null });
    } catch (error) {
      const again = error instanceof Unreachable || (error instanceof Refused && LATER.includes(error.status));
      if (again) {
        this.trouble = messageOf(error);
        for (const { token } of this.edits) this.#late.add(token);
        this.#timer = setTimeout(() => void this.#send(), 1000 * (PAUSES[this.#tries++] ?? PAUSES.at(-1) ?? 30));
        return false;
      }
      const view = error instanceof Refused && error.problem.code === "repeated" ? error.problem.document : null;
      if (view) this.#answered(unsent, { change: null, view });
      else this.#refuse(unsent, error);
    }
    [this.#tries, this.trouble] = [0, ""];
    return true;
  }

  #answered(unsent: Unsent, saved: Saved): void {
    const revision = saved.change?.revision ?? saved.view?.revision ?? 0;
    const later = this.edits.filter((other) => other.token !== unsent.token && sameSheet(other, unsent));
    for (const other of later) {
      const who = saved.change && revision > unsent.revision + 1 ? meddler(other, unsent.revision, saved.change) : null;
      if (who)
        this.#refuse(
          other,
          new Withheld(
            `${who} has changed this in the meantime. Check the current version, and repeat your change if you still want it.`,
          ),
        );
      else if (other.revision < revision) this.#replace(other, { ...other, revision });
    }
    const waiter = this.#waiters.get(unsent.token);
    this.#remove(unsent, null);
    waiter?.done(saved);
  }

  /** Drop a change, and the signing off of the same sheet that was to follow: it was meant for what the change would
   * have made. */
  #refuse(unsent: Unsent, error: unknown): void {
    const at = this.edits.findIndex(({ token }) => token === unsent.token);
    if (at < 0) return;
    const [reason, after] = [messageOf(error), this.edits.slice(at + 1)];
    const late = this.#late.has(unsent.token);
    this.#remove(unsent, error);
    if (late) {
      const told = { ...unsent, refusal: reason };
      this.refused = [...this.refused, told];
      keep(told);
    }
    for (const other of after) {
      if (sameSheet(other, unsent) && "state" in other.body)
        this.#refuse(other, new Withheld(`${reason} The document is not ${String(other.body["state"])}.`));
    }
  }

  #replace(unsent: Unsent, by: Unsent): void {
    this.edits = this.edits.map((each) => (each === unsent ? by : each));
    keep(by);
  }

  /** error: why it is not saved; null if it is. */
  #remove(unsent: Unsent, error: unknown): void {
    this.edits = this.edits.filter(({ token }) => token !== unsent.token);
    forget(unsent);
    const waiter = this.#waiters.get(unsent.token);
    this.#waiters.delete(unsent.token);
    if (error !== null) waiter?.failed(error);
  }
}

export const outbox = new Outbox();

/** Send what waits as soon as the browser is online or the page is shown again, and hear what other tabs have sent. */
export function watch(): () => void {
  const retry = (): void => {
    if (outbox.trouble && document.visibilityState === "visible") outbox.retry();
  };
  const heard = (event: StorageEvent): void => {
    const token = tokenOf(event.key);
    if (token && event.newValue === null) outbox.sentElsewhere(token);
  };
  addEventListener("online", retry);
  addEventListener("storage", heard);
  document.addEventListener("visibilitychange", retry);
  return () => {
    removeEventListener("online", retry);
    removeEventListener("storage", heard);
    document.removeEventListener("visibilitychange", retry);
  };
}
