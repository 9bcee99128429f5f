/** What is left to do before a single letter may sign a document off. */

/** "" for nothing. draft: whether a comment is written and not sent. */
export function unfinished(draft: boolean): string {
  if (draft) return "a comment is not sent yet";
  return getSelection()?.isCollapsed === false ? "something on the page is selected" : "";
}

/** Why a letter did not sign the document off. selected: text of the selection; null for none. */
export const notYet = (selected: string | null, left: string): string =>
  selected === null
    ? `Not done: ${left}. The buttons still work.`
    : `“${selected}” is selected. Press Esc first, or Ctrl Enter to accept.`;
