/** Refusals. */

import type { DocumentView } from "./documents";

export interface Problem {
  code: string;
  message: string;
  fields: Record<string, string>;
  by?: string;
  document?: DocumentView | null;
}
