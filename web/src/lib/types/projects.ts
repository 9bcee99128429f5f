/** Projects, what they can choose, and uploads. */

import type { ProjectRole } from "./accounts";
import type { Attribute } from "./attributes";

export interface Choice {
  name: string;
  description: string;
}

export interface Format extends Choice {
  reads: boolean;
  writes: boolean;
  ending: string;
}

export interface LearnerChoice extends Choice {
  quick: boolean;
}

export interface TerminologyChoice extends Choice {
  concepts: number;
  names: number;
  types: string[];
  learners: string[];
  /** What may find mentions, the best first. */
  recognisers: Choice[];
  /** Types that the first of them was trained to find; [] for all. */
  found: string[];
  /** How mentions may be linked, the terminology's own pipeline first. */
  pipelines: Choice[];
  digest: string;
}

/** How many predictions were made, in each twentieth of the probability. */
export interface PredictionCounts {
  by_probability: number[];
  unknown: number;
}

export interface Progress {
  documents: number;
  open: number;
  accepted: number;
  skipped: number;
  held_out: number;
  teaching: number;
  gold: number;
  user: number;
  predicted: number;
}

export interface Project {
  id: number;
  name: string;
  description: string;
  terminology: string;
  terminology_digest: string;
  mode: "shared" | "independent";
  types: string[];
  labels: string[];
  strategy: string;
  learners: string[];
  /** "": the last that suits the terminology. */
  recogniser: string;
  /** "": the terminology's own. */
  pipeline: string;
  min_probability: number;
  held_out: number;
  per_document: number;
  attributes: Attribute[];
  model: number;
  ready: boolean;
  created: string;
  created_by: string;
  role: ProjectRole;
  progress: Progress;
}

/** Effect of other types of a project: counts of the concepts they exclude, and of the annotations linked to those. */
export interface TypesChange {
  gold: number;
  user: number;
  predicted: number;
  concepts: number;
}

export interface FileReport {
  name: string;
  format: string;
  documents: number;
  mentions: number;
  accepted: number;
  empty: number;
  duplicates: string[];
  refused: string[];
  unknown: Record<string, number>;
  notes: string[];
  unread: boolean;
}

export interface ImportReport {
  documents: number;
  mentions: number;
  accepted: number;
  held_out: number;
  /** Number of files of which nothing could be added. */
  failed: number;
  files: FileReport[];
  job: number | null;
}

export interface RestoreReport {
  project: number;
  name: string;
  documents: number;
  annotations: number;
  log_entries: number;
  models: number;
  notes: string[];
}
