import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Editor, type Notice } from "../../src/document/editor.svelte";
import { SignOff } from "../../src/document/signoff.svelte";
import type { DocumentView } from "../../src/lib/types";

/** Paths that were asked for, in order, and what is answered next. */
let asked: string[] = [];
let answer: (path: string) => object = () => ({});
/** Documents that were gone to, and what was told there. */
let gone: [number, Notice][] = [];

const view = (id: number, more: Partial<DocumentView> = {}): DocumentView =>
  ({
    id,
    project: 1,
    name: `doc ${id}`,
    text: "Gout.",
    revision: 3,
    state: "open",
    annotations: [],
    more: null,
    previous: null,
    next: id + 1,
    ...more,
  }) as DocumentView;
const changed = (state: string): object => ({
  revision: 4,
  state,
  changed: [],
  removed: [],
  complete: true,
  can_undo: true,
  can_redo: false,
});

beforeEach(() => {
  vi.useFakeTimers();
  [asked, gone] = [[], []];
  answer = (path) =>
    /\/(state|undo)/.test(path) ? changed(path.includes("undo") ? "open" : "accepted") : view(Number(/\d+/.exec(path)));
  vi.stubGlobal("fetch", (url: string, options: RequestInit) => {
    const path = url.replace(/^\/api|\?.*$/g, "");
    asked.push(`${options.method} ${path}`);
    return Promise.resolve(new Response(JSON.stringify(answer(path))));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function shown(id = 1): Promise<{ editor: Editor; signoff: SignOff }> {
  const editor = new Editor();
  const signoff = new SignOff(editor, (document, notice) => gone.push([document, notice]));
  await editor.open(id);
  return { editor, signoff };
}

test("a document that has only just appeared is not accepted, a moment later it is", async () => {
  const { editor, signoff } = await shown();
  await signoff.finish("accepted");
  expect([asked, editor.notice?.text]).toEqual([
    ["GET /documents/1"],
    "Not accepted: “doc 1” has only just opened. Press again to confirm.",
  ]);
  vi.advanceTimersByTime(1000);
  await signoff.finish("accepted");
  expect(asked).toEqual(["GET /documents/1", "POST /documents/1/state"]);
  expect(gone).toMatchObject([[2, { text: "Accepted “doc 1”. Undo reopens it." }]]);
});

test("undo right after accepting opens the accepted document again; after a change it is of that change", async () => {
  const { editor, signoff } = await shown();
  vi.advanceTimersByTime(1000);
  await signoff.finish("accepted");
  await editor.open(2);
  expect(signoff.last).toMatchObject({ id: 1, state: "accepted", revision: 4 });
  await signoff.takeBack();
  expect(asked.at(-1)).toBe("POST /documents/1/undo");
  expect(gone.at(-1)).toMatchObject([1, { text: "Undone: accepted “doc 1”. It is open again." }]);
  expect(signoff.last).toBeNull();

  await editor.open(1);
  vi.advanceTimersByTime(1000);
  await signoff.finish("skipped");
  await editor.open(2);
  await editor.remove({ id: 5, text: "x" } as never);
  expect(signoff.last).toBeNull();
});

test("a document that was accepted already leaves nothing to take back", async () => {
  answer = (path) => (path.endsWith("/state") ? changed("accepted") : view(1, { state: "accepted" }));
  const { editor, signoff } = await shown();
  vi.advanceTimersByTime(1000);
  await signoff.finish("accepted");
  await editor.open(2);
  expect(signoff.last).toBeNull();
});

test("two key presses at once accept one document", async () => {
  const { signoff } = await shown();
  vi.advanceTimersByTime(1000);
  await Promise.all([signoff.finish("accepted"), signoff.finish("skipped"), signoff.finish("accepted")]);
  expect(asked).toEqual(["GET /documents/1", "POST /documents/1/state"]);
  expect(gone.length).toBe(1);
});
