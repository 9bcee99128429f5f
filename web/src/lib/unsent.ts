/** A change of a document that the server has not answered yet, as the browser keeps it. */

import type { Change } from "./types";

export interface Unsent {
  /** Invented here: the server makes a change with the same one only once. */
  token: string;
  user: string;
  document: number;
  /** Whose sheet; null for the user's own. */
  sheet: string | null;
  /** Name of the document. */
  name: string;
  method: "POST" | "PATCH" | "DELETE";
  path: string;
  body: Record<string, unknown>;
  /** The revision that the user saw, with what they did before. */
  revision: number;
  /** What it does, in words: annotate “gout”. */
  label: string;
  /** The annotation or place that it is about, in code points; {} for the whole document. */
  about: { annotation?: number; start?: number; end?: number };
  /** Milliseconds since 1970, rising. */
  made: number;
  /** Why it was not saved, once it was refused. */
  refusal?: string;
}

export const sameSheet = (one: Unsent, other: Unsent): boolean =>
  one.document === other.document && one.sheet === other.sheet;

/** Who else changed, up to the answer to an earlier change, what this one is about; null for nobody. sent: revision
 * with which the earlier one was sent. */
export function meddler({ about }: Unsent, sent: number, answer: Pick<Change, "revision" | "changed">): string | null {
  const { annotation, start, end } = about;
  const other = answer.changed.find(
    (each) =>
      each.revision > sent &&
      each.revision < answer.revision &&
      (each.id === annotation || (start !== undefined && end !== undefined && each.start < end && start < each.end)),
  );
  return other ? other.author || "The model" : null;
}

const PREFIX = "linnet-unsent ";
const keyOf = ({ user, made, token }: Unsent): string => `${PREFIX}${user} ${String(made).padStart(16, "0")} ${token}`;

/** Keep a change across reloads. Returns whether the browser had room. */
export function keep(unsent: Unsent): boolean {
  try {
    localStorage.setItem(keyOf(unsent), JSON.stringify(unsent));
    return true;
  } catch {
    return false;
  }
}

export function forget(unsent: Unsent): void {
  try {
    localStorage.removeItem(keyOf(unsent));
  } catch {
    // Nothing was kept.
  }
}

/** The changes of a user that were kept, in the order in which they were made. */
export function kept(user: string): Unsent[] {
  try {
    const names = Object.keys(localStorage)
      .filter((name) => name.startsWith(`${PREFIX}${user} `))
      .sort();
    return names.flatMap((name) => JSON.parse(localStorage.getItem(name) ?? "[]") as Unsent | []);
  } catch {
    return [];
  }
}

/** The token of a kept change, from the name under which it is kept; "" for other names. */
export const tokenOf = (name: string | null): string =>
  name?.startsWith(PREFIX) ? (name.split(" ").at(-1) ?? "") : "";

/** 128 random bits in hexadecimal digits. `crypto.randomUUID` needs HTTPS. */
export const newToken = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
