/** Jobs, versions of the model, and what they have learnt. */

export type JobKind = "prepare" | "predict" | "train" | "correct" | "map";
export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

export interface Job {
  id: number;
  project: number;
  kind: JobKind;
  state: JobState;
  progress: number;
  message: string;
  reason: string;
  attempts: number;
  created: string;
  created_by: string;
  started: string | null;
  ended: string | null;
  version: number | null;
}

export interface Scores {
  precision: number;
  recall: number;
  f1: number;
  /** 95 % interval of F1. */
  interval: [number, number] | null;
}

export interface Metrics {
  documents: number;
  mentions: number;
  /** Accepted unchanged, so not counted; null where they were counted. */
  unchanged: number | null;
  spans: Scores;
  weak: Scores;
  strong: Scores;
  linking: number;
  linking_interval: [number, number] | null;
}

export interface ModelVersion {
  number: number;
  parent: number | null;
  created: string;
  created_by: string;
  digest: string;
  documents: number;
  mentions: number;
  learned: Record<string, string>;
  before: Metrics | null;
  after: Metrics | null;
  current: boolean;
}

export interface CurvePoint {
  version: number;
  created: string;
  documents: number;
  mentions: number;
  metrics: Metrics;
}

export interface LearnedName {
  text: string;
  concept: string;
  name: string;
  mentions: number | null;
  documents: number | null;
  removed: boolean;
}

export interface LearnedStop {
  text: string;
  seen: number | null;
  annotated: number | null;
  documents: number | null;
  removed: boolean;
}

export interface Learned {
  total: number;
  offset: number;
  version: number;
  names?: LearnedName[];
  stops?: LearnedStop[];
}

export interface Removal {
  id: number;
  kind: "name" | "stop";
  text: string;
  concept: string;
  name: string;
  created: string;
  created_by: string;
}
