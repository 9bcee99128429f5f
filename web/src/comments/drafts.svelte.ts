/** Unfinished comments of a document. The browser keeps them, for each user, until they are sent or emptied. */

import { session } from "../lib/session.svelte";
import type { Place } from "./comments.svelte";

/** What a draft is about: a new thread on a place or on the document, an answer, or a changed comment. */
export const onPlace = (place: Place | null): string => (place ? `new ${place.start} ${place.end}` : "new");
export const answerTo = (thread: number): string => `answer ${thread}`;
export const changeOf = (comment: number): string => `change ${comment}`;

export class Drafts {
  #texts: Readonly<Record<string, string>> = $state.raw({});
  #key = "";

  open(document: number): void {
    this.#key = `linnet-drafts ${session.current?.name ?? ""} ${document}`;
    this.#texts = this.#read();
  }

  get(about: string): string {
    return this.#texts[about] ?? "";
  }

  /** Whether there is a draft, be it empty. */
  has(about: string): boolean {
    return about in this.#texts;
  }

  /** null takes the draft away. */
  set(about: string, text: string | null): void {
    // Another tab may have added others.
    const { [about]: _, ...others } = this.#read();
    this.#texts = text === null ? others : { ...others, [about]: text };
    try {
      if (Object.keys(this.#texts).length) localStorage.setItem(this.#key, JSON.stringify(this.#texts));
      else localStorage.removeItem(this.#key);
    } catch {
      // Without room in the browser, drafts live as long as the page.
    }
  }

  /** Whether something is written and not sent. */
  readonly unfinished: boolean = $derived(Object.values(this.#texts).some((text) => text.trim()));

  /** Places with an unfinished comment. */
  readonly places: readonly Place[] = $derived(
    Object.entries(this.#texts).flatMap(([about, text]) => {
      const [kind, start, end] = about.split(" ");
      return kind === "new" && end !== undefined && text.trim() ? [{ start: Number(start), end: Number(end) }] : [];
    }),
  );

  #read(): Readonly<Record<string, string>> {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? "{}");
      return typeof kept === "object" && kept !== null ? (kept as Record<string, string>) : {};
    } catch {
      return this.#texts;
    }
  }
}
