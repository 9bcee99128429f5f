/** Converts between the browser's selection and offsets of the text. Each stretch of text is a `[data-start]` with one
 * text node. */

import { firstIndex } from "../lib/bisect";
import type { Span } from "./editor.svelte";

/** The span selected within `root`, or null. */
export function selectedSpan(root: HTMLElement): Span | null {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!root.contains(range.startContainer) && !root.contains(range.endContainer)) return null;
  const start = offsetOf(root, range.startContainer, range.startOffset);
  const end = offsetOf(root, range.endContainer, range.endOffset);
  return start < end ? { start, end } : null;
}

/** The browser's range of a span; null if its text is missing. */
export function rangeOf(root: HTMLElement, span: Span): Range | null {
  const start = placeOf(root, span.start, false);
  const end = placeOf(root, span.end, true);
  if (!start || !end) return null;
  const range = document.createRange();
  range.setStart(start.node, start.offset);
  range.setEnd(end.node, end.offset);
  return range;
}

/** Scroll a span into view: as little as possible, or, from far away, to the upper third of the window.
 *
 * The `scroll-margin` of `root` tells which parts of the window are covered.
 */
export function reveal(root: HTMLElement, span: Span): void {
  const box = rangeOf(root, span)?.getBoundingClientRect();
  if (!box) return;
  const { scrollMarginTop, scrollMarginBottom } = getComputedStyle(root);
  const top = parseFloat(scrollMarginTop);
  const bottom = innerHeight - parseFloat(scrollMarginBottom);
  if (box.bottom < -innerHeight || box.top > 2 * innerHeight) scrollBy({ top: box.top - top - (bottom - top) / 3 });
  else if (box.top < top) scrollBy({ top: box.top - top });
  else if (box.bottom > bottom) scrollBy({ top: Math.min(box.bottom - bottom, box.top - top) });
}

/** The rectangle of a span's first character. */
export function boxOf(root: HTMLElement, span: Span): DOMRect | null {
  const start = placeOf(root, span.start, false);
  if (!start) return null;
  const range = document.createRange();
  range.setStart(start.node, start.offset);
  range.setEnd(start.node, Math.min(start.offset + 1, start.node.data.length));
  return range.getBoundingClientRect();
}

function offsetOf(root: HTMLElement, node: Node, offset: number): number {
  if (node instanceof Text) return Number(node.parentElement?.dataset["start"] ?? 0) + offset;
  if (!root.contains(node)) {
    // The selection begins before the text, or ends after it.
    return root.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING ? 0 : (root.textContent?.length ?? 0);
  }
  // Between two elements: the start of the next stretch of text.
  const inside = document.createRange();
  inside.setStart(root, 0);
  inside.setEnd(node, offset);
  return inside.toString().length;
}

function placeOf(root: HTMLElement, offset: number, ending: boolean): { node: Text; offset: number } | null {
  const pieces = root.querySelectorAll<HTMLElement>("[data-start]");
  const begins = (index: number): number => Number(pieces[index]?.dataset["start"] ?? 0);
  const beyond = firstIndex(pieces.length, (index) => (ending ? begins(index) >= offset : begins(index) > offset));
  const at = Math.max(0, beyond - 1);
  const node = Array.from(pieces[at]?.childNodes ?? []).find((child) => child instanceof Text);
  return node ? { node, offset: Math.min(offset - begins(at), node.data.length) } : null;
}
