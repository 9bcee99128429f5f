/** The attributes that the rules guess for the selected text, before it becomes an annotation. */

import { get } from "../lib/api";
import type { AttributeValues, Project } from "../lib/types";
import type { Editor } from "./editor.svelte";

export class Guesses {
  private last: AttributeValues | null = null;
  private place = "";

  constructor(
    private readonly editor: Editor,
    private readonly project: () => Project | null,
  ) {}

  /** Propose what is guessed at a place, "START END", for this label, unless the user has changed the proposal there.
   * Returns what gives the question up. */
  ask(place: string, label: string): (() => void) | undefined {
    const { editor } = this;
    const { span, document } = editor;
    if (place === this.place && editor.proposed !== this.last) return undefined;
    this.place = place;
    editor.proposed = this.last = null;
    if (!span || !document || !this.project()?.attributes.some((attribute) => attribute.guess)) return undefined;
    const abort = new AbortController();
    get<{ attributes: AttributeValues }>(
      `/documents/${document.id}/guess`,
      { ...editor.points(span), type: label },
      abort.signal,
    )
      // Without an answer, the server guesses when the annotation is made.
      .then(
        ({ attributes }) => (editor.proposed ??= this.last = attributes),
        () => undefined,
      );
    return () => abort.abort();
  }
}
