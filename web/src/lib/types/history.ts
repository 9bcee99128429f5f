/** The log. */

export interface LogEntry {
  id: number;
  at: string;
  by: string;
  /** Name of the API token with which a script did it; "" otherwise. */
  token: string;
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
