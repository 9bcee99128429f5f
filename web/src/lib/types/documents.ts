/** Documents, their annotations, and changes of these. */

import type { AttributeValues } from "./attributes";

/** none: on a curated sheet, the decision that there is no mention. */
export type Layer = "gold" | "user" | "pred" | "none";
export type State = "open" | "accepted" | "skipped";

export interface Annotation {
  id: number;
  start: number;
  end: number;
  text: string;
  layer: Layer;
  type: string;
  concepts: string[];
  names: string[];
  nil: boolean;
  composite: boolean;
  confidence: number | null;
  probability: number | null;
  attributes: AttributeValues;
  /** Accepted with its whole document: a person neither changed nor confirmed this one. */
  unchanged: boolean;
  author: string;
  model: number | null;
  revision: number;
  changed: string;
}

/** A prediction in a list of documents. */
export interface PredictedMention {
  text: string;
  concepts: string[];
  names: string[];
  nil: boolean;
  composite: boolean;
  probability: number | null;
}

export interface DocumentSummary {
  id: number;
  project: number;
  name: string;
  title: string;
  characters: number;
  state: State;
  held_out: boolean;
  confidence: number | null;
  probability: number | null;
  gold: number;
  user: number;
  predicted: number;
  annotators: string[];
  assigned: string[];
  reason: string;
  revision: number;
  /** The least probable ones, in lists. */
  predictions: PredictedMention[];
}

export interface DocumentList {
  total: number;
  offset: number;
  documents: DocumentSummary[];
}

export interface DocumentView extends DocumentSummary {
  text: string;
  annotations: Annotation[];
  more: string | null;
  can_undo: boolean;
  can_redo: boolean;
  previous: number | null;
  next: number | null;
  /** Whether the user may annotate it. */
  yours: boolean;
}

export interface AnnotationPage {
  revision: number;
  annotations: Annotation[];
  more: string | null;
}

export interface Change {
  revision: number;
  state: State;
  changed: Annotation[];
  removed: number[];
  complete: boolean;
  can_undo: boolean;
  can_redo: boolean;
}

export interface Changes extends Change {
  previous: number | null;
  next: number | null;
}

export interface Applied extends Change {
  made: number;
  relinked: number;
}

/** What a longer annotation replaced. made: for the same text elsewhere. */
export interface Replaced extends Change {
  made: number;
  removed_inside: number;
}

/** What was confirmed or removed at once. left: predictions of the same text that mean something else. */
export interface SameDone extends Change {
  done: number;
  left: number;
}

/** An undone or redone change. action: its name in the log. annotation: the first of the `number` that it changed. */
export interface Stepped extends Change {
  action: string;
  annotation: number | null;
  text: string;
  number: number;
}

/** A new or changed annotation. Missing values stay as they are. */
export interface AnnotationInput {
  start?: number;
  end?: number;
  type?: string;
  concepts?: string[];
  nil?: boolean;
  composite?: boolean | null;
  /** null takes one away. */
  attributes?: Record<string, true | string | null>;
}
