/** What happens in a project while a page shows it. */

import { get } from "./api";
import { Tabs } from "./stream/tabs";
import type { Job } from "./types";

export interface DocumentEvent {
  id: number;
  revision: number | null;
  by: string;
  action: string;
}

export interface Listener {
  job?: (job: Job) => void;
  document?: (event: DocumentEvent) => void;
  documents?: () => void;
  model?: (event: { number: number }) => void;
  project?: () => void;
  /** From now on nothing is missed; what happened while the page was read may have been. */
  begun?: () => void;
  /** The connection is back after it was lost: what was missed comes, but a page may want to look itself. */
  back?: () => void;
  lost?: () => void;
}

let tabs: Tabs | undefined;
/** Milliseconds after which a refused stream is tried again. */
const RETRY = 3000;

/** Listen until the returned function is called. All pages of a browser share one stream, which connects again by itself. */
export function listen(project: number, listener: Listener): () => void {
  let begun = false;
  let lost = false;
  let stopped = false;
  let asking = false;
  const shared = (tabs ??= new Tabs());
  const lose = (): void => {
    if (!lost) listener.lost?.();
    lost = true;
  };
  /** A request finds out whether the session has expired, and asks to renew it. */
  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    await get(`/projects/${project}`).catch(() => undefined);
    await new Promise((done) => setTimeout(done, RETRY));
    asking = false;
    if (!stopped && lost) shared.again();
  };
  const stop = shared.add({
    project,
    news: ({ kind, data }) => call(listener, kind, data),
    condition: (condition) => {
      if (condition === "begun") {
        if (lost) listener.back?.();
        else if (!begun) listener.begun?.();
        [begun, lost] = [true, false];
        return;
      }
      lose();
      if (condition === "refused") void ask();
    },
  });
  return () => {
    stopped = true;
    stop();
  };
}

function call(listener: Listener, kind: string, data: unknown): void {
  if (kind === "job") listener.job?.(data as Job);
  else if (kind === "document") listener.document?.(data as DocumentEvent);
  else if (kind === "documents") listener.documents?.();
  else if (kind === "model") listener.model?.(data as { number: number });
  else if (kind === "project") listener.project?.();
}
