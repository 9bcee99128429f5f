/** What is chosen for the selected annotation, or for the selected text, which becomes one then. */

import type { Project } from "../lib/types";
import type { Editor } from "./editor.svelte";

const NOTHING = Promise.resolve(false);

export class Choices {
  /** Label for the selected text; "" if none was chosen. */
  picked = $state("");

  /** usual: the label of text for which none was chosen and whose concept has no type of the project's; if it is left out,
   * that of most annotations of the document. */
  constructor(
    private readonly editor: Editor,
    private readonly project: () => Project | null,
    private readonly usual: () => string = () => this.mostFrequent(),
  ) {}

  private get labels(): readonly string[] {
    return this.project()?.labels ?? [];
  }

  /** Label of a new annotation with a concept of these types. */
  label(types: readonly string[]): string {
    return this.picked || (types.find((type) => this.labels.includes(type)) ?? this.usual());
  }

  private mostFrequent(): string {
    const counts = new Map<string, number>();
    for (const { type } of this.editor.annotations) counts.set(type, (counts.get(type) ?? 0) + 1);
    return [...this.labels].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))[0] ?? "";
  }

  /** The methods return whether it was saved. */
  link(concepts: string[], types: readonly string[]): Promise<boolean> {
    const { current, span } = this.editor;
    this.editor.marked = false;
    const type = this.label(types);
    if (current) return this.editor.change(current.id, { concepts, ...(current.type ? {} : { type }) }, "Linked");
    return span ? this.editor.make({ ...span, type, concepts }) : NOTHING;
  }

  /** One concept more. */
  add(concept: string, types: readonly string[]): Promise<boolean> {
    const present = this.editor.current?.concepts ?? [];
    return present.includes(concept) ? NOTHING : this.link([...present, concept], types);
  }

  /** NIL, or no longer. */
  nil(types: readonly string[] = []): Promise<boolean> {
    const { current, span } = this.editor;
    if (current) return this.editor.change(current.id, { nil: !current.nil }, current.nil ? "No longer NIL" : "NIL");
    return span ? this.editor.make({ ...span, type: this.label(types), nil: true }) : NOTHING;
  }

  /** The selected text becomes an annotation without a concept. */
  withoutConcept(types: readonly string[] = []): Promise<boolean> {
    const { span } = this.editor;
    return span ? this.editor.make({ ...span, type: this.label(types) }) : NOTHING;
  }

  async set(type: string): Promise<boolean> {
    this.picked = type;
    const { current } = this.editor;
    return current ? this.editor.change(current.id, { type }) : NOTHING;
  }

  /** The label after the present one, which for selected text is that of a concept of these types. */
  async setNext(types: readonly string[]): Promise<boolean> {
    const now = this.labels.indexOf(this.editor.current?.type ?? this.label(types));
    const next = this.labels[(now + 1) % this.labels.length];
    return next === undefined ? NOTHING : this.set(next);
  }

  /** Whether its concepts are parts of one, or each is meant. */
  composite(): Promise<boolean> {
    const { current } = this.editor;
    return current ? this.editor.change(current.id, { composite: !current.composite }) : NOTHING;
  }

  /** Move the start or end of the selected annotation by a character. */
  stretch(side: "start" | "end", by: number): Promise<boolean> {
    const { current, document } = this.editor;
    if (!current || !document) return NOTHING;
    const start = current.start + (side === "start" ? by : 0);
    const end = current.end + (side === "end" ? by : 0);
    if (start < 0 || end > document.text.length || start >= end) return NOTHING;
    return this.editor.change(current.id, { start, end }, `Span is now “${this.editor.text({ start, end })}”`);
  }
}
