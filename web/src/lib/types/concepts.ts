/** Concepts, as searched for and as candidates. */

export interface ConceptSummary {
  id: string;
  name: string;
  types: string[];
  definition: string;
  children: number;
}

/** A search result (with `match`) or a candidate of the linker (with `score` and `origin`). found: the name that matched. */
export interface ConceptMatch extends ConceptSummary {
  found: string;
  match?: string;
  score?: number;
  origin?: string;
}

export interface Candidates {
  text: string;
  concepts: string[];
  probability: number | null;
  candidates: ConceptMatch[];
}

export interface ConceptList {
  total: number;
  offset: number;
  concepts: ConceptSummary[];
}

export interface ConceptResults extends ConceptList {
  concepts: ConceptMatch[];
  elsewhere: ConceptSummary[];
}

export interface ConceptView extends ConceptSummary {
  names: string[];
  learned: string[];
  xrefs: string[];
  sources: string[];
  parents: ConceptSummary[];
  path: ConceptSummary[];
  annotations: number;
}
