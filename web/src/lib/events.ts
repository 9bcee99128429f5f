/** Events of the project that a page shows. */

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
  /** Somebody commented on a document, or changed a comment. */
  comments?: (event: { id: number; by: string }) => void;
  model?: (event: { number: number }) => void;
  project?: () => void;
  /** All later events will arrive. Events while the page was loading may have been missed. */
  begun?: () => void;
  /** The connection is restored. Missed events follow, but a page may reload its data. */
  back?: () => void;
  lost?: () => void;
}

let tabs: Tabs | undefined;
/** Milliseconds until a refused stream is tried again. */
const RETRY = 3000;

/** Listen until the returned function is called. All tabs of a browser share one stream, which reconnects by itself. */
export function listen(project: number, listener: Listener): () => void {
  let begun = false;
  let lost = false;
  let stopped = false;
  let checking = false;
  const shared = (tabs ??= new Tabs());
  /** Reconnect. The request before it asks the user to sign in if the session has expired. */
  const reconnect = async (): Promise<void> => {
    if (checking) return;
    checking = true;
    await get(`/projects/${project}`).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, RETRY));
    checking = false;
    if (!stopped && lost) shared.reconnect();
  };
  const stop = shared.add({
    project,
    event: ({ kind, data }) => call(listener, kind, data),
    condition: (condition) => {
      if (condition === "begun") {
        if (lost) listener.back?.();
        else if (!begun) listener.begun?.();
        [begun, lost] = [true, false];
        return;
      }
      if (!lost) listener.lost?.();
      lost = true;
      if (condition === "refused") void reconnect();
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
  else if (kind === "comments") listener.comments?.(data as { id: number; by: string });
  else if (kind === "documents") listener.documents?.();
  else if (kind === "model") listener.model?.(data as { number: number });
  else if (kind === "project") listener.project?.();
}
