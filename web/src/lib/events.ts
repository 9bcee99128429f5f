/** What happens in a project while a page shows it. */

import { get } from "./api";
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
  /** The connection is back after it was lost: what was missed comes, but a page may want to look itself. */
  back?: () => void;
  lost?: () => void;
}

/** Listen until the returned function is called. The browser connects again by itself, naming the last event it has seen. */
export function listen(project: number, listener: Listener): () => void {
  let source: EventSource;
  let lost = false;
  let stopped = false;
  let again: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    source = new EventSource(`/api/projects/${project}/events`);
    source.onopen = () => {
      if (lost) listener.back?.();
      lost = false;
    };
    source.onerror = () => {
      if (!lost) listener.lost?.();
      lost = true;
      // Some answers end it for good: a proxy's 502, or that the session has expired, which a request asks to renew.
      if (source.readyState !== EventSource.CLOSED || stopped) return;
      const retry = (): void => {
        if (!stopped) again = setTimeout(open, 3000);
      };
      get(`/projects/${project}`).then(retry, retry);
    };
    const on = <T>(kind: string, call: ((data: T) => void) | undefined): void => {
      if (call) source.addEventListener(kind, (event) => call(JSON.parse((event as MessageEvent<string>).data) as T));
    };
    on("job", listener.job);
    on("document", listener.document);
    on("documents", listener.documents);
    on("model", listener.model);
    on("project", listener.project);
  };
  open();
  return () => {
    stopped = true;
    clearTimeout(again);
    source.close();
  };
}
