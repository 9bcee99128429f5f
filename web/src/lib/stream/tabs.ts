/** One tab of a browser, the leader, holds the event stream and passes its events on to the other tabs.
 *
 * A browser opens at most six connections to a server, and each stream takes one of them permanently.
 */

import { Source, type Condition, type StreamEvent, type StreamListener } from "./source";

/** A listener in this tab. */
export interface ProjectListener extends StreamListener {
  readonly project: number;
}

/** Messages between tabs. */
type Message =
  | { is: "event"; event: StreamEvent }
  | { is: "condition"; condition: Condition; projects: number[]; last: number | null }
  /** The projects that a tab shows, and the id of the last event it received: sent when they change, and on "who". */
  | { is: "showing"; tab: string; projects: number[]; last: number | null }
  | { is: "who" }
  | { is: "ping" }
  | { is: "pong" }
  /** Retry a refused stream. */
  | { is: "reconnect" };

/** Name of the channel and of the leader's lock. The number changes with the messages: tabs of both versions may be open. */
const NAME = "linnet-events-2";
/** Milliseconds in which other tabs report their projects before the stream is opened. */
const GATHERING = 40;
/** Milliseconds until a tab without listeners gives up the lead: another page often opens at once. */
const LEAVING = 1000;
/** Milliseconds between two checks of a visible tab that the leader is alive, and for the leader's answer. */
const CHECK = 20_000;
const ANSWER = 5000;

export class Tabs {
  #listeners = new Set<ProjectListener>();
  #source = new Source({ event: (event) => this.#receive(event), condition: (condition) => this.#setCondition(condition) });
  #channel: BroadcastChannel | null = null;
  #id = `${Date.now()}-${Math.random()}`;
  /** What other tabs show; only the leader knows. last: null once the tab has received an event of the current stream. */
  #others = new Map<string, { projects: readonly number[]; last: number | null }>();
  /** Id of the event after which the stream began. */
  #from: number | null = null;
  #leads = false;
  #release: (() => void) | null = null;
  #waiting: AbortController | null = null;
  #condition: Condition | null = null;
  /** Id of the last event received. */
  #last: number | null = null;
  #opening: ReturnType<typeof setTimeout> | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;
  #missing: ReturnType<typeof setTimeout> | undefined;
  /** Over plain HTTP from another machine, browsers offer no locks: each visible tab has a stream of its own. */
  readonly #alone = !("locks" in navigator && "BroadcastChannel" in globalThis);

  constructor() {
    document.addEventListener("visibilitychange", () => this.#visibilityChanged());
    setInterval(() => this.#checkLeader(), CHECK);
    // A reloaded page reports its projects again.
    addEventListener("pagehide", () => this.#send({ is: "showing", tab: this.#id, projects: [], last: null }));
    addEventListener("pageshow", (event) => event.persisted && this.#announce());
  }

  add(listener: ProjectListener): () => void {
    clearTimeout(this.#leaving);
    this.#listeners.add(listener);
    if (this.#alone) this.#leads = !document.hidden;
    else this.#join();
    this.#announce();
    return () => {
      this.#listeners.delete(listener);
      this.#announce();
      clearTimeout(this.#leaving);
      if (this.#listeners.size === 0) this.#leaving = setTimeout(() => this.#leave(), LEAVING);
    };
  }

  /** Retry a refused stream. */
  reconnect(): void {
    if (!this.#leads) this.#send({ is: "reconnect" });
    else if (!this.#source.on) this.#open();
  }

  get #own(): number[] {
    return [...new Set([...this.#listeners].map((listener) => listener.project))];
  }

  /** Projects that any tab shows. */
  get #wanted(): number[] {
    return [...new Set([...this.#own, ...[...this.#others.values()].flatMap((other) => other.projects)])];
  }

  #join(): void {
    if (!this.#channel) {
      this.#channel = new BroadcastChannel(NAME);
      this.#channel.onmessage = (event: MessageEvent<Message>) => this.#handle(event.data);
    }
    if (!this.#waiting) this.#wait(false);
    if (!this.#leads) this.#checkLeader();
  }

  /** Wait until no other tab leads. steal: take the lead from a leader that does not answer. */
  #wait(steal: boolean): void {
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    const held = (): Promise<void> => {
      if (this.#waiting !== waiting) return Promise.resolve();
      this.#lead();
      return new Promise((resolve) => (this.#release = resolve));
    };
    // A request that steals a lock cannot be aborted.
    const options: LockOptions = steal ? { steal } : { signal: waiting.signal };
    navigator.locks.request(NAME, options, held).catch(() => {
      // It was aborted, or another tab has taken the lead.
      if (this.#waiting !== waiting) return;
      this.#follow();
      this.#wait(false);
    });
  }

  #lead(): void {
    this.#leaderAnswered();
    this.#leads = true;
    this.#from = null;
    this.#others.clear();
    this.#send({ is: "who" });
    this.#announce();
  }

  #follow(): void {
    this.#leads = false;
    this.#release = null;
    clearTimeout(this.#opening);
    this.#source.close();
    this.#announce();
  }

  #leave(): void {
    const release = this.#release;
    this.#follow();
    this.#waiting?.abort();
    this.#waiting = null;
    this.#channel?.close();
    this.#channel = null;
    this.#condition = null;
    this.#last = null;
    release?.();
  }

  /** Report this tab's projects to the leader, which may be this tab. */
  #announce(): void {
    if (this.#leads) this.#cover();
    else this.#send({ is: "showing", tab: this.#id, projects: this.#own, last: this.#last });
  }

  /** Make sure that the stream covers all projects. */
  #cover(): void {
    if (this.#wanted.every((project) => this.#source.covers(project))) this.#share();
    else this.#openSoon();
  }

  #openSoon(): void {
    clearTimeout(this.#opening);
    this.#opening = setTimeout(() => this.#open(), GATHERING);
  }

  #open(): void {
    const projects = this.#wanted;
    if (!this.#leads || projects.length === 0) return;
    // The stream begins after the last event of the tab that is furthest behind.
    const received = [this.#last, ...[...this.#others.values()].map((other) => other.last)].filter((last) => last !== null);
    this.#from = received.length ? Math.min(...received) : null;
    for (const other of this.#others.values()) other.last = null;
    this.#source.open(projects, this.#from);
  }

  #receive(event: StreamEvent): void {
    this.#last = Math.max(this.#last ?? 0, event.id);
    this.#from ??= event.id;
    for (const listener of this.#listeners) if (event.data.project === listener.project) listener.event(event);
    if (this.#leads) this.#send({ is: "event", event });
  }

  #setCondition(condition: Condition): void {
    this.#condition = condition;
    this.#share();
  }

  /** Report the condition of the stream to all tabs. */
  #share(): void {
    if (!this.#condition) return;
    const projects = this.#wanted.filter((project) => this.#source.covers(project));
    this.#send({ is: "condition", condition: this.#condition, projects, last: this.#last });
    this.#report(this.#condition, projects);
  }

  /** projects: those that the stream covers. */
  #report(condition: Condition, projects: readonly number[]): void {
    for (const listener of this.#listeners) {
      if (condition !== "begun" || projects.includes(listener.project)) listener.condition(condition);
    }
  }

  #send(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #handle(message: Message): void {
    if (message.is === "who") this.#announce();
    else if (message.is === "ping" && this.#leads) this.#send({ is: "pong" });
    else if (message.is === "reconnect" && this.#leads) this.reconnect();
    else if (message.is === "showing" && this.#leads) {
      const { tab, projects, last } = message;
      const upToDate = last !== null && this.#from !== null && last >= this.#from;
      if (projects.length) this.#others.set(tab, { projects, last: upToDate ? null : last });
      else this.#others.delete(tab);
      if (this.#others.get(tab)?.last != null) this.#openSoon();
      else this.#cover();
    } else if (!this.#leads && (message.is === "pong" || message.is === "event" || message.is === "condition")) {
      this.#leaderAnswered();
      if (message.is === "event") this.#receive(message.event);
      if (message.is === "condition") {
        // A tab without events starts here, in case it has to take the lead.
        this.#last ??= message.last;
        this.#report(message.condition, message.projects);
      }
    }
  }

  /** Check that the leader is alive: browsers suspend tabs that have been hidden for long. */
  #checkLeader(): void {
    if (this.#alone || this.#leads || document.hidden || this.#listeners.size === 0 || this.#missing) return;
    this.#send({ is: "ping" });
    this.#missing = setTimeout(() => {
      this.#missing = undefined;
      if (!this.#leads && this.#listeners.size) this.#wait(true);
    }, ANSWER);
  }

  #leaderAnswered(): void {
    clearTimeout(this.#missing);
    this.#missing = undefined;
  }

  #visibilityChanged(): void {
    if (!this.#alone) this.#checkLeader();
    else {
      this.#leads = !document.hidden;
      if (document.hidden) this.#source.close();
      else this.#announce();
    }
  }
}
