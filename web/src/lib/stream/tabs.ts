/** One tab of a browser holds the event stream and passes on what it hears; the others listen to that tab.
 *
 * A browser makes six connections to a server at most, and a stream takes one of them for good.
 */

import { Source, type Condition, type News } from "./source";

/** Whoever listens in this tab. */
export interface Listening {
  readonly project: number;
  news: (news: News) => void;
  /** How the stream is, said again now and then. "begun": nothing that happens from now on is missed. */
  condition: (condition: Condition) => void;
}

/** What tabs tell each other. */
type Message =
  | { is: "news"; news: News }
  | { is: "condition"; condition: Condition; projects: number[]; last: number | null }
  /** A tab says what it shows, and the id of the last event it heard: when that changes, and when it is asked. */
  | { is: "showing"; tab: string; projects: number[]; last: number | null }
  | { is: "who" }
  | { is: "there?" }
  | { is: "here" }
  /** The stream was refused, and there is reason to try again. */
  | { is: "again" };

const NAME = "linnet-events";
/** Milliseconds in which other tabs say what they show, before the stream is opened. */
const GATHERING = 40;
/** Milliseconds after which a tab without listeners lets another one lead: a page is often followed by the next one. */
const LEAVING = 1000;
/** Milliseconds between two looks of a visible tab whether the one that leads is alive, and how long an answer may take. */
const LOOK = 20_000;
const ANSWER = 5000;

export class Tabs {
  #listening = new Set<Listening>();
  #source = new Source({ news: (news) => this.#heard(news), condition: (condition) => this.#is(condition) });
  #channel: BroadcastChannel | null = null;
  #id = `${Date.now()}-${Math.random()}`;
  /** What other tabs show, known to the tab that leads; last: of those that have not heard from it yet. */
  #others = new Map<string, { projects: readonly number[]; last: number | null }>();
  /** Id of the event after which the stream began. */
  #from: number | null = null;
  #leads = false;
  #release: (() => void) | null = null;
  #waiting: AbortController | null = null;
  #condition: Condition | null = null;
  /** Id of the last event heard. */
  #last: number | null = null;
  #opening: ReturnType<typeof setTimeout> | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;
  #missing: ReturnType<typeof setTimeout> | undefined;
  /** Pages that come over plain HTTP from another machine have no locks: each has a stream of its own while it can be seen. */
  readonly #alone = !("locks" in navigator && "BroadcastChannel" in globalThis);

  constructor() {
    document.addEventListener("visibilitychange", () => this.#seen());
    setInterval(() => this.#look(), LOOK);
    // A reloaded page says it again.
    addEventListener("pagehide", () => this.#tell({ is: "showing", tab: this.#id, projects: [], last: null }));
    addEventListener("pageshow", (event) => event.persisted && this.#announce());
  }

  add(listening: Listening): () => void {
    clearTimeout(this.#leaving);
    this.#listening.add(listening);
    if (this.#alone) this.#leads = !document.hidden;
    else this.#join();
    this.#announce();
    return () => {
      this.#listening.delete(listening);
      this.#announce();
      clearTimeout(this.#leaving);
      if (this.#listening.size === 0) this.#leaving = setTimeout(() => this.#leave(), LEAVING);
    };
  }

  /** Try to connect once more what was refused. */
  again(): void {
    if (!this.#leads) this.#tell({ is: "again" });
    else if (!this.#source.on) this.#open();
  }

  get #own(): number[] {
    return [...new Set([...this.#listening].map((one) => one.project))];
  }

  /** Projects that any tab shows. */
  get #wanted(): number[] {
    return [...new Set([...this.#own, ...[...this.#others.values()].flatMap((other) => other.projects)])];
  }

  #join(): void {
    if (!this.#channel) {
      this.#channel = new BroadcastChannel(NAME);
      this.#channel.onmessage = (event: MessageEvent<Message>) => this.#received(event.data);
    }
    if (!this.#waiting) this.#wait(false);
    if (!this.#leads) this.#look();
  }

  /** Wait until no other tab leads; steal: the one that does is silent. */
  #wait(steal: boolean): void {
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    const held = (): Promise<void> => {
      if (this.#waiting !== waiting) return Promise.resolve();
      this.#lead();
      return new Promise((done) => (this.#release = done));
    };
    // What steals a lock cannot be called off.
    const options: LockOptions = steal ? { steal } : { signal: waiting.signal };
    navigator.locks.request(NAME, options, held).then(
      () => undefined,
      () => {
        // It was called off, or another tab has taken the lead.
        if (this.#waiting !== waiting) return;
        this.#follow();
        this.#wait(false);
      },
    );
  }

  #lead(): void {
    clearTimeout(this.#missing);
    this.#missing = undefined;
    this.#leads = true;
    this.#from = null;
    this.#others.clear();
    this.#tell({ is: "who" });
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

  /** Say what this tab shows, to the tab that leads, which may be this one. */
  #announce(): void {
    if (this.#leads) this.#cover();
    else this.#tell({ is: "showing", tab: this.#id, projects: this.#own, last: this.#last });
  }

  /** Open the stream for whatever it does not tell of yet. */
  #cover(): void {
    if (this.#wanted.every((project) => this.#source.follows(project))) {
      this.#share();
    } else this.#soon();
  }

  #soon(): void {
    clearTimeout(this.#opening);
    this.#opening = setTimeout(() => this.#open(), GATHERING);
  }

  #open(): void {
    const projects = this.#wanted;
    if (!this.#leads || projects.length === 0) return;
    // From where the tab is that has heard least.
    const heard = [this.#last, ...[...this.#others.values()].map((other) => other.last)].filter((last) => last !== null);
    this.#from = heard.length ? Math.min(...heard) : null;
    for (const other of this.#others.values()) other.last = null;
    this.#source.open(projects, this.#from);
  }

  #heard(news: News): void {
    this.#last = Math.max(this.#last ?? 0, news.id);
    this.#from ??= news.id;
    for (const one of this.#listening) if (news.data.project === one.project) one.news(news);
    if (this.#leads) this.#tell({ is: "news", news });
  }

  #is(condition: Condition): void {
    this.#condition = condition;
    this.#share();
  }

  /** Tell all tabs how the stream is. */
  #share(): void {
    if (!this.#condition) return;
    const projects = this.#wanted.filter((project) => this.#source.follows(project));
    this.#tell({ is: "condition", condition: this.#condition, projects, last: this.#last });
    this.#conditionIs(this.#condition, projects);
  }

  /** projects: those that the stream tells of. */
  #conditionIs(condition: Condition, projects: readonly number[]): void {
    for (const one of this.#listening) {
      if (condition !== "begun" || projects.includes(one.project)) one.condition(condition);
    }
  }

  #tell(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #received(message: Message): void {
    if (message.is === "who") this.#announce();
    else if (message.is === "there?" && this.#leads) this.#tell({ is: "here" });
    else if (message.is === "again" && this.#leads) this.again();
    else if (message.is === "showing" && this.#leads) {
      const { tab, projects, last } = message;
      if (projects.length) this.#others.set(tab, { projects, last: last !== null && this.#from !== null && last >= this.#from ? null : last });
      else this.#others.delete(tab);
      if (this.#others.get(tab)?.last != null) this.#soon();
      else this.#cover();
    } else if (!this.#leads && (message.is === "here" || message.is === "news" || message.is === "condition")) {
      clearTimeout(this.#missing);
      this.#missing = undefined;
      if (message.is === "news") this.#heard(message.news);
      if (message.is === "condition") {
        // Where this tab has heard nothing yet: another one that takes over begins from there.
        this.#last ??= message.last;
        this.#conditionIs(message.condition, message.projects);
      }
    }
  }

  /** Whether the tab that leads is alive: browsers stop tabs that have been hidden for long. */
  #look(): void {
    if (this.#alone || this.#leads || document.hidden || this.#listening.size === 0 || this.#missing) return;
    this.#tell({ is: "there?" });
    this.#missing = setTimeout(() => {
      this.#missing = undefined;
      if (!this.#leads && this.#listening.size) this.#wait(true);
    }, ANSWER);
  }

  #seen(): void {
    if (!this.#alone) {
      this.#look();
      return;
    }
    this.#leads = !document.hidden;
    if (document.hidden) this.#source.close();
    else this.#announce();
  }
}
