/** The server's answers, as `src/linnet/annotate/api/schemas/` defines them. Offsets of annotations count code points;
 * `document/editor.svelte.ts` converts them to UTF-16 code units for the rest of the page. */

/** none: on a curated sheet, the decision that there is no mention. */
export type Layer = "gold" | "user" | "pred" | "none";
export type State = "open" | "accepted" | "skipped";
/** On the server. */
export type Role = "admin" | "annotator";
export type ProjectRole = "annotator" | "curator" | "manager";

export interface Problem {
  code: string;
  message: string;
  fields: Record<string, string>;
  by?: string;
  document?: DocumentView | null;
}

export interface Session {
  name: string;
  role: Role;
  csrf: string;
  expires: string;
}

export interface Status {
  version: string;
  set_up: boolean;
  session: Session | null;
}

export interface Account {
  name: string;
  role: Role;
  active: boolean;
  created: string;
}

export interface Member {
  name: string;
  role: ProjectRole;
  active: boolean;
  created: string;
}

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
  min_probability: number;
  held_out: number;
  model: number;
  ready: boolean;
  created: string;
  created_by: string;
  role: ProjectRole;
  progress: Progress;
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
  files: FileReport[];
  job: number | null;
}

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
  author: string;
  model: number | null;
  revision: number;
  changed: string;
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
  revision: number;
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
}

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

export type JobKind = "prepare" | "predict" | "train" | "correct";
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
}

export interface Metrics {
  documents: number;
  mentions: number;
  spans: Scores;
  weak: Scores;
  strong: Scores;
  linking: number;
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

export interface LogEntry {
  id: number;
  at: string;
  by: string;
  action: string;
  document: number | null;
  document_name: string;
  revision: number | null;
  model: number | null;
  changes: unknown;
  annotations: number;
  texts: Record<string, string>;
  names: Record<string, string>;
  undoes: number | null;
}

export interface LogPage {
  entries: LogEntry[];
  before: number | null;
}

export interface PairAgreement {
  first: string;
  second: string;
  documents: number;
  first_mentions: number;
  second_mentions: number;
  spans: number;
  span_f1: number | null;
  same_concepts: number | null;
  kappa: number | null;
  span_f1_interval: [number, number] | null;
  aligned_kappa: Measure;
}

export type Kind = "missing" | "span" | "type" | "concept" | "agreed";

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

export interface Agreement {
  pairs: PairAgreement[];
  curated: PairAgreement[];
  annotators: string[];
  documents: number;
  alpha: Measure;
  curated_documents: number;
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

/** Effect of other types of a project: counts of the concepts they exclude, and of the annotations linked to those. */
export interface TypesChange {
  gold: number;
  user: number;
  predicted: number;
  concepts: number;
}
