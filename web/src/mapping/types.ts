/** The server's answers, as `src/linnet/annotate/review/schemas.py` defines them. */

import type { ConceptMatch } from "../lib/types";

export type Status = "unchecked" | "approved" | "flagged" | "ignored" | "invalid target";
export type Equivalence = "equal" | "equivalent" | "broader" | "narrower" | "inexact" | "unmatched";
export type Order = "urgency" | "frequency" | "doubt" | "text";

export interface Target {
  concept: string;
  name: string;
}

export interface Row {
  number: number;
  text: string;
  context: string[];
  frequency: number;
  codes: string[];
  code_count: number;
  targets: Target[];
  probability: number | null;
  /** In the order of the digits that choose them; found: the name that matched. */
  candidates: { id: string; found: string }[];
  status: Status;
  equivalence: Equivalence | null;
  by: string;
  at: string;
  comment: string;
  second: string;
  disagrees: boolean;
  returned: string;
  mapped: boolean;
  done: boolean;
  /** Newest entry of the log about it, 0 for none. */
  entry: number;
}

export interface Entry {
  event: "decided" | "imported" | "returned" | "undone";
  status: Status;
  targets: Target[];
  equivalence: Equivalence | null;
  by: string;
  at: string;
  comment: string;
}

export interface RowDetail extends Row {
  found: ConceptMatch[];
  history: Entry[];
}

export interface RowPage {
  rows: Row[];
  offset: number;
  total: number;
  records: number;
  next: number | null;
  since: number;
}

export interface Progress {
  strings: Partial<Record<Status, number>>;
  records: Partial<Record<Status, number>>;
  mapped_strings: number;
  mapped_records: number;
}

export interface Summary {
  name: string;
  version: string;
  user: string;
  context: string[];
  four_eyes: boolean;
  terminologies: string[];
  formats: Record<string, string>;
  progress: Progress;
}

export interface Changed {
  row: RowDetail;
  progress: Progress;
}

export interface Sample {
  numbers: number[];
  total: number;
  records: number;
}

export interface Checked {
  checked: number;
  right: number;
  low: number;
  high: number;
}

/** What a list has: "" and false restrict nothing. */
export interface Wanted {
  order: Order;
  status: Status | "";
  attention: boolean;
  text: string;
  /** Only these rows, if there are any. */
  number: number[];
}
