/** Annotators' versions of a place in words, so that two versions that differ read differently. */

import { inWords } from "../document/attributes";
import type { VersionMark } from "../lib/types";

type Mark = Pick<
  VersionMark,
  "start" | "end" | "text" | "type" | "concepts" | "names" | "nil" | "composite" | "attributes"
>;

/** What a mark is linked to, with ids where `ids`. */
function meant({ concepts, names, nil, composite }: Mark, ids: boolean): string {
  if (nil) return "NIL";
  const each = concepts.map((id, index) => (!names[index] ? id : ids ? `${names[index]} (${id})` : names[index]));
  return each.join(composite ? " + " : " / ") || "not linked";
}

function told(mark: Mark, ids: boolean, places: boolean): string {
  const place = places ? ` (characters ${mark.start} to ${mark.end})` : "";
  return [`“${mark.text}”${place} ${meant(mark, ids)}`, mark.type, inWords(mark.attributes)].filter(Boolean).join(", ");
}

/** A line for each version, in their order. Ids and places are given where versions would else read alike. */
export function versionsInWords(versions: readonly { annotations: readonly Mark[] }[]): string[] {
  const lines = (ids: boolean, places: boolean): string[] =>
    versions.map(({ annotations }) => annotations.map((mark) => told(mark, ids, places)).join("; ") || "nothing");
  const distinct = (said: readonly string[]): boolean =>
    new Set(said).size === new Set(versions.map(({ annotations }) => JSON.stringify(annotations.map(facts)))).size;
  const ways = [lines(false, false), lines(true, false), lines(true, true)];
  return ways.find(distinct) ?? ways[2] ?? [];
}

/** What two annotators can differ in. */
const facts = ({ start, end, type, concepts, nil, attributes }: Mark): unknown => [
  start,
  end,
  type,
  [...concepts].sort(),
  nil,
  Object.entries(attributes).sort(),
];
