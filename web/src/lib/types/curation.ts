/** Disagreements, curated documents, and agreement. */

import type { AttributeValues } from "./attributes";
import type { State } from "./documents";

export type Kind = "missing" | "span" | "type" | "concept" | "attribute" | "agreed";

/** An annotation in an annotator's version of a place. */
export interface VersionMark {
  start: number;
  end: number;
  text: string;
  type: string;
  concepts: string[];
  names: string[];
  nil: boolean;
  composite: boolean;
  attributes: AttributeValues;
}

/** A place in a text where annotators' versions differ. open: not settled yet. */
export interface Disagreement {
  document: number;
  name: string;
  start: number;
  end: number;
  text: string;
  kind: Kind;
  open: boolean;
  versions: { annotator: string; annotations: VersionMark[] }[];
}

/** A document that an annotator has accepted. state: of its curated sheet, null if there is none. */
export interface CuratedDocument {
  document: number;
  name: string;
  annotators: string[];
  /** Those who still annotate it, where documents are assigned. */
  waiting: string[];
  places: number;
  open: number;
  state: State | null;
}

/** kinds: number of open disagreements by kind, in the whole project. */
export interface DisagreementList {
  total: number;
  offset: number;
  kinds: Partial<Record<Kind, number>>;
  settled: number;
  documents: CuratedDocument[];
  disagreements: Disagreement[];
}

export interface Places {
  annotators: string[];
  places: Disagreement[];
}

/** A measure with its 95 % interval. */
export interface Measure {
  value: number | null;
  interval: [number, number] | null;
}

/** An attribute on shared spans. first, second: numbers of those that have it. f1: of those with the same value. */
export interface AttributeAgreement {
  name: string;
  first: number;
  second: number;
  f1: number | null;
  kappa: Measure;
}

export interface PairAgreement {
  first: string;
  second: string;
  documents: number;
  first_mentions: number;
  second_mentions: number;
  /** Of these, predictions accepted unchanged. */
  first_unchanged: number;
  second_unchanged: number;
  spans: number;
  span_f1: number | null;
  same_concepts: number | null;
  kappa: number | null;
  span_f1_interval: [number, number] | null;
  aligned_kappa: Measure;
  attributes: AttributeAgreement[];
}

export interface Agreement {
  pairs: PairAgreement[];
  curated: PairAgreement[];
  annotators: string[];
  documents: number;
  /** Of these, those whose annotators began from the same predictions. */
  predicted: number;
  alpha: Measure;
  curated_documents: number;
}
