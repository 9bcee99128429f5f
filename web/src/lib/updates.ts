/** What an event means to a page that shows something already. */

import type { DocumentEvent } from "./events";
import type { DocumentView, Job } from "./types";

/** Whether a page that shows a document has to look at it again. */
export function outdated(event: DocumentEvent, shown: Pick<DocumentView, "id" | "revision"> | null): boolean {
  return event.id === shown?.id && (event.revision === null || event.revision > shown.revision);
}

/** Jobs, the newest first, after something was heard of one; ended: whether it has just come to its end. */
export function withJob(jobs: readonly Job[], job: Job): { jobs: Job[]; ended: boolean } {
  const before = jobs.find((one) => one.id === job.id);
  const over = job.state !== "queued" && job.state !== "running";
  return {
    jobs: [job, ...jobs.filter((one) => one.id !== job.id)].sort((a, b) => b.id - a.id),
    ended: over && before?.state !== job.state,
  };
}
