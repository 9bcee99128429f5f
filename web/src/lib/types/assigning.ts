/** Assignment of documents, and progress of people. */

import type { ProjectRole } from "./accounts";

/** assigned, accepted, skipped, left: documents. curated: documents whose curated sheet they accepted. hours: of work, without pauses. hours_left: at the pace so far. */
export interface Person {
  name: string;
  role: ProjectRole;
  takes_part: boolean;
  assigned: number;
  accepted: number;
  skipped: number;
  left: number;
  curated: number;
  mentions: number;
  /** Of these, predictions accepted unchanged. */
  unchanged: number;
  hours: number;
  mentions_per_hour: number | null;
  hours_left: number | null;
  last: string | null;
}

/** lacking: number of open documents with fewer people than the project wants. */
export interface TeamProgress {
  people: Person[];
  lacking: number;
}

/** Number of documents by the name of who got them, and of who lost them; kept: those that stay where they are. */
export interface Moved {
  given: Record<string, number>;
  taken: Record<string, number>;
  kept: number;
  lacking: number;
}
