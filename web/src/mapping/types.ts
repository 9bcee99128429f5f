/** The server's answers, as `src/linnet/annotate/api/mapping/schemas.py` defines them. */

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
  event: "decided" | "imported" | "returned" | "undone" | "withdrawn" | "settled";
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
  /** Who has decided. */
  reviewers: string[];
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

/** What others have decided since an entry of the log; `complete` is false if it is too much to list. */
export interface RowChanges {
  rows: Row[];
  entry: number;
  complete: boolean;
  progress: Progress;
}

export interface Approved {
  rows: number;
  /** The entries of the log, for undo. */
  after: number;
  until: number;
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
  by: string;
  /** Only proposals that are at least so probable; null for all. */
  above: number | null;
  /** Only these rows, if there are any. */
  number: number[];
}

/** What a table changed, in strings. */
export interface Taken {
  added: number;
  kept: number;
  gone: number;
  blank: number;
  job: number;
}

export interface Imported {
  taken: number;
  same: number;
  conflicts: string[];
  strange: string[];
}

/** Of two people, on the rows that both have decided. */
export interface RowAgreement {
  first: string;
  second: string;
  rows: number;
  same: number;
  low: number;
  high: number;
  kappa: number | null;
}
