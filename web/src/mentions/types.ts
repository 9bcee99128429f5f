/** The server's answers about mentions, as `src/linnet/annotate/api/schemas/mentions.py` defines them. Offsets count code points. */

import type { Annotation, State } from "../lib/types";

/** before, after: text around it; revision: of the document. */
export interface Mention {
  document: number;
  name: string;
  state: State;
  revision: number;
  before: string;
  after: string;
  annotation: Annotation;
}

/** What mentions are linked to, and how many. */
export interface Meaning {
  concepts: string[];
  names: string[];
  nil: boolean;
  mentions: number;
  documents: number;
}

/** documents: number of those with any of all `total` mentions. meanings: of all of them. */
export interface MentionList {
  total: number;
  offset: number;
  documents: number;
  meanings: Meaning[];
  mentions: Mention[];
}

export interface InconsistentTexts {
  total: number;
  offset: number;
  texts: { text: string; meanings: Meaning[] }[];
}

export type Action = "confirm" | "remove" | "link" | "attributes";

export interface Change {
  token: string;
  action: Action;
  concepts: string[];
  nil: boolean;
  /** null takes one away. */
  attributes: Record<string, true | string | null>;
  documents: { document: number; revision: number; annotations: number[] }[];
}

export interface Outcome {
  document: number;
  name: string;
  outcome: "changed" | "unchanged" | "refused";
  mentions: number;
  message: string;
}

export interface ManyChanged {
  mentions: number;
  documents: number;
  outcomes: Outcome[];
}
