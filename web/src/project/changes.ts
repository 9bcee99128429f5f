/** Log entries in words. */

import { count } from "../lib/format";
import { inWords } from "../document/attributes";
import type { AttributeValues, LogEntry } from "../lib/types";

type Entry = Pick<LogEntry, "changes" | "annotations" | "texts" | "names">;

interface State {
  start: number;
  end: number;
  type: string;
  concepts: string[];
  nil: boolean;
  /** Missing in the log of earlier versions. */
  attributes?: AttributeValues;
  layer: string;
  unchanged?: boolean;
}

interface Edit {
  before: State | null;
  after: State | null;
}

/** Annotations, and items of other lists, shown per entry; the rest is counted. */
export const SHOWN = 3;
const DID: Record<string, string> = {
  "annotation.create": "annotated",
  "annotation.change": "changed an annotation",
  "annotation.remove": "removed an annotation",
  "annotation.same": "applied an annotation to all same mentions",
  "annotation.confirm-same": "confirmed all same mentions",
  "annotation.remove-same": "removed all same mentions",
  "annotation.replace-inside": "replaced what lay inside",
  "mentions.confirm": "confirmed mentions in many documents",
  "mentions.remove": "removed mentions in many documents",
  "mentions.attributes": "set an attribute in many documents",
  "mentions.link": "linked mentions in many documents",
  undo: "undid",
  redo: "redid",
  "document.accept": "accepted the document",
  "document.skip": "skipped the document",
  "document.reopen": "reopened the document",
  "curation.take": "took an annotator's version",
  "curation.merge": "merged the annotators' versions",
  "curation.none": "decided that there is no mention",
  "comment.add": "commented",
  "comment.change": "changed a comment",
  "comment.remove": "removed a comment",
  "documents.assign": "shared out documents",
  "document.predict": "predicted",
  "document.upload": "uploaded",
  "document.change": "changed the document",
  "document.remove": "removed a document",
  "job.prepare": "started preparing the terminology",
  "job.predict": "started predicting",
  "job.train": "started training",
  "job.cancel": "cancelled a job",
  "job.map": "started mapping",
  "mapping.create": "made the mapping",
  "mapping.update": "took a newer table",
  "mapping.upgrade": "went over to a terminology",
  "mapping.import": "imported decisions",
  "mapping.change": "changed the mapping",
  "model.train": "trained a model",
  "model.correct": "made a model without removed items",
  "learned.remove": "removed a learnt item",
  "learned.allow": "allowed a removed item again",
  "job.correct": "started removing learnt items",
  "model.rollback": "switched to another model",
  "member.add": "added a member",
  "member.change": "changed the role of a member",
  "member.remove": "removed a member",
  "invitation.create": "made an invitation",
  "invitation.withdraw": "withdrew an invitation",
  "invitation.use": "became a member by invitation",
  "project.create": "created the project",
  "project.change": "changed the project",
  "project.restore": "restored the project",
  "project.terminology": "found another version of the terminology",
};
/** Lists shown as a number, or with their first items. */
const COUNTED = new Set(["made", "removed"]);
const LISTED = new Set(["documents"]);
/** Not shown: scores, which are on the training page, and details for the trainer and the server. */
const ELSEWHERE = new Set(["before", "after", "job", "fresh", "token", "comment", "to", "invitation"]);

export const did = (action: string): string => DID[action] ?? action;

export function summary(entry: Entry): string {
  const { changes } = entry;
  if (typeof changes !== "object" || changes === null) return "";
  const lines: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    if (name === "annotations" && Array.isArray(value)) {
      lines.push(...value.slice(0, SHOWN).map(({ before, after }: Edit) => edit(before, after, entry)));
      if (entry.annotations > SHOWN) lines.push(`and ${count(entry.annotations - SHOWN)} more`);
    } else if (Array.isArray(value) && COUNTED.has(name)) {
      if (value.length > 0) lines.push(`${name} ${count(value.length)}`);
    } else if (Array.isArray(value) && LISTED.has(name)) {
      const more = value.length > SHOWN ? ` and ${value.length - SHOWN} more` : "";
      lines.push(`${name}: ${value.slice(0, SHOWN).join(", ")}${more}`);
    } else if (Array.isArray(value) && value.length === 2) {
      lines.push(`${name}: ${formatted(value[0])} → ${formatted(value[1])}`);
    } else if (!ELSEWHERE.has(name)) {
      lines.push(`${name}: ${formatted(value)}`);
    }
  }
  return lines.join("; ");
}

function edit(before: State | null, after: State | null, entry: Entry): string {
  if (!after) return before ? `removed ${whole(before, entry)}` : "";
  if (!before) return `made ${whole(after, entry)}`;
  if (quoted(before, entry) !== quoted(after, entry)) return `${whole(before, entry)} → ${whole(after, entry)}`;
  const [was, is] = [meant(before, entry), meant(after, entry)];
  if (was !== is) return `${quoted(after, entry)}: ${was} → ${is}`;
  if (after.unchanged && !before.unchanged) return `accepted unchanged ${whole(after, entry)}`;
  const confirmed = after.layer === "user" && (before.layer !== "user" || before.unchanged);
  return `${confirmed ? "confirmed " : ""}${whole(after, entry)}`;
}

const whole = (state: State, entry: Entry): string => `${quoted(state, entry)}: ${meant(state, entry)}`;

/** Text of a span; if the document is gone, its offsets. */
function quoted({ start, end }: State, { texts }: Entry): string {
  const text = texts[`${start}-${end}`];
  if (!text) return `${start}–${end}`;
  return `“${text.length > 60 ? `${text.slice(0, 57)}…` : text}”`;
}

function meant({ type, nil, concepts, attributes }: State, { names }: Entry): string {
  const linked = concepts.map((id) => (names[id] ? `${names[id]} (${id})` : id)).join(" + ");
  return [
    nil ? "NIL" : linked || "not linked",
    ...(type ? [type] : []),
    ...(inWords(attributes ?? {}) ? [inWords(attributes ?? {})] : []),
  ].join(", ");
}

function formatted(value: unknown): string {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value);
  const text = plain
    ? Object.entries(value)
        .map(([name, item]) => `${name}: ${formatted(item)}`)
        .join("; ")
    : Array.isArray(value)
      ? value.map(formatted).join(", ") || "none"
      : typeof value === "string"
        ? value
        : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 197)}…` : text;
}
