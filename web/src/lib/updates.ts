/** How events change what a page shows. */

import type { DocumentView, Event, Job } from "./types";

/** Whether the document that a page shows is older than an event. */
export function outdated(event: Event, shown: Pick<DocumentView, "id" | "revision"> | null): boolean {
  return shown !== null && event.document === shown.id && (event.revision === null || event.revision > shown.revision);
}

/** The jobs with a new or updated one, newest first. ended: whether it has just ended. */
export function withJob(jobs: readonly Job[], job: Job): { jobs: Job[]; ended: boolean } {
  const before = jobs.find(({ id }) => id === job.id);
  const over = job.state !== "queued" && job.state !== "running";
  return {
    jobs: [job, ...jobs.filter(({ id }) => id !== job.id)].sort((a, b) => b.id - a.id),
    ended: over && before?.state !== job.state,
  };
}
