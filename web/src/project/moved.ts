/** What became of assigned documents, and how long things take, in words. */

import { count, counted } from "../lib/format";
import type { Moved } from "../lib/types";

export function movedText({ given, kept, lacking }: Moved): string {
  const people = Object.entries(given);
  const rest = [
    ...(kept ? [`${counted(kept, "document")} stayed, because somebody has begun ${kept === 1 ? "it" : "them"}`] : []),
    ...(lacking ? [`${counted(lacking, "document")} still ${lacking === 1 ? "lacks" : "lack"} people`] : []),
  ];
  const first = people.length
    ? people.map(([name, number]) => `${name} got ${counted(number, "document")}`).join(", ")
    : "Nobody got a document";
  return `${[first, ...rest].join("; ")}.`;
}

export function takenText({ taken, kept }: Moved): string {
  const people = Object.entries(taken).map(([name, number]) => `${count(number)} taken from ${name}`);
  const stayed = kept
    ? [`${counted(kept, "document")} stayed, because somebody has begun ${kept === 1 ? "it" : "them"}`]
    : [];
  return `${[...people, ...stayed].join("; ") || "Nothing changed"}.`;
}

/** Rounded to five minutes: nobody works more evenly; “none” where nothing is left. */
export function hoursText(hours: number): string {
  if (hours <= 0) return "none";
  const minutes = Math.max(5, Math.round((hours * 60) / 5) * 5);
  const [whole, rest] = [Math.floor(minutes / 60), minutes % 60];
  return whole === 0
    ? `${rest} min`
    : whole >= 10
      ? `${count(Math.round(hours))} h`
      : rest
        ? `${whole} h ${rest} min`
        : `${whole} h`;
}
