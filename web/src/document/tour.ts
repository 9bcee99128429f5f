/** Going from annotation to annotation, and what is done with the one selected by keys. */

import type { Annotation } from "../lib/types";
import { isDoubtful } from "./describe";
import type { Editor, Span } from "./editor.svelte";

/** The text as it is drawn. */
interface Drawn {
  focus(): void;
  /** Scroll an annotation into view, and announce it. */
  show(annotation: Annotation): void;
  reach(span: Span): void;
  inSight(): number | null;
}

export class Tour {
  /** text: null before it is drawn. */
  constructor(
    private readonly editor: Editor,
    private readonly text: () => Drawn | undefined,
  ) {}

  select(annotation: Annotation | undefined): void {
    if (!annotation) return;
    this.editor.look(annotation);
    this.text()?.show(annotation);
  }

  /** Select a place: its annotation, else its text. */
  reach(span: Span): void {
    if (span.end > (this.editor.document?.text.length ?? 0)) return;
    this.editor.mark(span, "stepping");
    this.text()?.reach(span);
  }

  /** Go to the next or previous annotation, from the selection or the window. */
  step(by: number): void {
    const list = this.editor.annotations;
    if (list.length === 0) return;
    const now = list.findIndex(({ id }) => id === this.editor.selected);
    let index = now + by;
    if (now < 0) {
      const from = this.editor.span?.start ?? this.text()?.inSight() ?? (by > 0 ? -1 : Infinity);
      const after = list.findIndex(({ start }) => start >= from);
      index = by > 0 ? (after < 0 ? 0 : after) : (after < 0 ? list.length : after) - 1;
    }
    this.select(list[(index + list.length) % list.length]);
  }

  /** Go to the next prediction that is not sure, from the selection on and around the end. */
  doubtful(): void {
    const { editor } = this;
    const list = editor.annotations.filter(isDoubtful);
    const from = (editor.current ?? editor.span)?.start ?? -1;
    const next = list.find(({ start, id }) => start > from || (start === from && id !== editor.selected)) ?? list[0];
    if (next) this.select(next);
    else editor.notice = { kind: "saved", text: "No prediction here is less than 90 % sure." };
  }

  async removeSame(): Promise<void> {
    const { current } = this.editor;
    if (!current) return;
    const done = await this.editor.allSame(current, "remove");
    if (done) this.select(this.editor.annotations.find(({ start }) => start >= current.start));
    this.text()?.focus();
  }

  /** Remove an annotation, and go to the one after it. */
  async drop(annotation: Annotation): Promise<void> {
    const { editor } = this;
    const index = editor.annotations.indexOf(annotation);
    const from = editor.document?.id;
    const done = await editor.remove(annotation);
    if (editor.document?.id !== from) return;
    if (done) this.select(editor.annotations[Math.min(index, editor.annotations.length - 1)]);
    this.text()?.focus();
  }
}
