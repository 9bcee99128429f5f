/** What happens in the project that a page shows: a visible page asks the server every second. */

import { get } from "./api";
import type { Event, Job, ProjectChanges } from "./types";

/** A function for each kind of event, and for jobs that are new or have changed. */
export type Listener = Partial<Record<Event["kind"], (event: Event) => void>> & {
  job?: (job: Job) => void;
  /** All later events will arrive. Events while the page was loading may have been missed. */
  begun?: () => void;
  /** The server answers again. Missed events follow, but a page may reload its data. */
  back?: () => void;
  lost?: () => void;
};

/** Milliseconds between an answer and the next question; doubled with each failure, up to the most. */
const PAUSE = 1000;
const LONGEST = 8000;

/** Listen until the returned function is called. A hidden page asks nothing, and catches up when it is shown. */
export function listen(project: number, listener: Listener): () => void {
  const listening = new AbortController();
  const jobs = new Map<number, string>();
  let asking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let since = "";
  let failures = 0;

  async function ask(): Promise<void> {
    clearTimeout(timer);
    asking.abort();
    const { signal } = (asking = new AbortController());
    const answer = await get<ProjectChanges>(`/projects/${project}/changes`, { since }, signal).catch(() => null);
    if (signal.aborted || listening.signal.aborted) return;
    if (answer) receive(answer);
    else if (!failures++) listener.lost?.();
    timer = setTimeout(() => document.hidden || void ask(), Math.min(PAUSE * 2 ** failures, LONGEST));
  }

  function receive(answer: ProjectChanges): void {
    const [first, missed] = [!since, failures > 0];
    [since, failures] = [answer.since, 0];
    if (missed) listener.back?.();
    else if (first) listener.begun?.();
    for (const event of answer.events) listener[event.kind]?.(event);
    for (const job of answer.jobs) {
      const state = JSON.stringify(job);
      if (jobs.get(job.id) !== state) listener.job?.(job);
      jobs.set(job.id, state);
    }
  }

  const wake = (): void => void (document.hidden || ask());
  for (const type of ["online", "focus"]) addEventListener(type, wake, { signal: listening.signal });
  document.addEventListener("visibilitychange", wake, { signal: listening.signal });
  void ask();
  return () => {
    listening.abort();
    asking.abort();
    clearTimeout(timer);
  };
}
