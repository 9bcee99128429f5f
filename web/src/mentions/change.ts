/** Changes of many mentions: the request, and what it will do, for the preview. */

import { count, counted } from "../lib/format";
import { isUnchecked } from "../document/describe";
import type { ManyAction, ManyChanges, ManyChanged, Meaning, Mention } from "../lib/types";

/** Mentions with the same text and link. */
export interface Kind {
  text: string;
  link: string;
  mentions: number;
}

/** A link in words. */
export function linkText({ concepts, names, nil }: Pick<Meaning, "concepts" | "names" | "nil">): string {
  if (nil) return "NIL";
  return concepts.map((id, index) => names[index] || id).join(" + ") || "not linked";
}

/** The mentions that an action changes: only what nobody has checked can be confirmed. */
export const changeable = (mentions: readonly Mention[], action: ManyAction): Mention[] =>
  mentions.filter(({ annotation }) => action !== "confirm" || isUnchecked(annotation));

/** Kinds of mentions, the most frequent first. */
export function kinds(mentions: readonly Mention[]): Kind[] {
  const found = new Map<string, Kind>();
  for (const { annotation } of mentions) {
    const link = linkText(annotation);
    const key = JSON.stringify([annotation.text.toLowerCase(), annotation.concepts, annotation.nil]);
    const kind = found.get(key);
    if (kind) kind.mentions++;
    else found.set(key, { text: annotation.text, link, mentions: 1 });
  }
  return [...found.values()].sort((a, b) => b.mentions - a.mentions);
}

/** A request with a token of its own, so that it can be repeated when its answer is lost. */
export function changeOf(
  mentions: readonly Mention[],
  action: ManyAction,
  what: Partial<Pick<ManyChanges, "concepts" | "nil" | "attributes">>,
): ManyChanges {
  const { concepts = [], nil = false, attributes = {} } = what;
  const link = action === "link" ? { concepts, nil } : { concepts: [], nil: false };
  const documents = new Map<number, ManyChanges["documents"][number]>();
  for (const { document, revision, annotation } of mentions) {
    const entry = documents.get(document);
    if (entry) entry.annotations.push(annotation.id);
    else documents.set(document, { document, revision, annotations: [annotation.id] });
  }
  return {
    token: newToken(),
    action,
    ...link,
    attributes: action === "attributes" ? attributes : {},
    documents: [...documents.values()],
  };
}

const DONE: Record<ManyAction, string> = {
  confirm: "confirmed",
  remove: "removed",
  link: "linked",
  attributes: "changed",
};

/** What was done, in words. */
export function resultText(done: ManyChanged, action: ManyAction): string {
  const refused = done.outcomes.filter(({ outcome }) => outcome === "refused").length;
  const rest = refused ? ` ${counted(refused, "document")} stayed as ${refused === 1 ? "it is" : "they are"}.` : "";
  return `${counted(done.mentions, "mention")} ${DONE[action]} in ${counted(done.documents, "document")}.${rest}`;
}

export const numberOfDocuments = (mentions: readonly Mention[]): number =>
  new Set(mentions.map(({ document }) => document)).size;

/** “12 mentions in 5 documents”. */
export const extent = (mentions: readonly Mention[]): string =>
  `${counted(mentions.length, "mention")} in ${counted(numberOfDocuments(mentions), "document")}`;

/** Not crypto.randomUUID, which browsers lack over plain HTTP. */
const newToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export const shareText = (shown: number, total: number): string =>
  shown < total ? `the first ${count(shown)} of ${count(total)}` : `all ${count(total)}`;
