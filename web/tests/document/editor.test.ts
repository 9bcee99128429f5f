import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Editor } from "../../src/document/editor.svelte";
import { Outbox } from "../../src/lib/outbox.svelte";
import { session } from "../../src/lib/session.svelte";
import type { Change, Changes, DocumentView, Session } from "../../src/lib/types";
import { annotation } from "../annotations";

const TEXT = "😀 gout and asthma";
const view = (more: Partial<DocumentView> = {}): DocumentView =>
  ({
    id: 1,
    project: 1,
    name: "one",
    text: TEXT,
    revision: 3,
    state: "open",
    annotations: [],
    more: null,
    can_undo: false,
    can_redo: false,
    ...more,
  }) as DocumentView;
const change = (revision: number, more: Partial<Change> = {}): Change => ({
  revision,
  state: "open",
  changed: [],
  removed: [],
  complete: true,
  can_undo: true,
  can_redo: false,
  ...more,
});

const changes = (revision: number, more: Partial<Changes> = {}): Changes => ({
  ...change(revision),
  previous: null,
  next: null,
  ...more,
});

interface Sent {
  method: string;
  url: string;
  body: Record<string, unknown>;
  csrf: string | undefined;
  answer: (status: number, body: unknown) => void;
}

/** What was sent and waits for its answer, in order. */
let sent: Sent[] = [];
const next = async (): Promise<Sent> => {
  await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0), { interval: 1 });
  return sent.shift()!;
};

beforeEach(() => {
  sent = [];
  session.begin({ name: "ada", role: "annotator", csrf: "first", expires: "" } as Session);
  vi.stubGlobal(
    "fetch",
    (url: string, options: RequestInit) =>
      new Promise((done, refuse) => {
        options.signal?.addEventListener("abort", () => refuse(new DOMException("", "AbortError")));
        sent.push({
          method: options.method ?? "GET",
          url,
          body: options.body ? (JSON.parse(options.body as string) as Record<string, unknown>) : {},
          csrf: (options.headers as Record<string, string>)["X-CSRF-Token"],
          answer: (status, body) => done(new Response(JSON.stringify(body), { status })),
        });
      }),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  session.end();
});

async function opened(more: Partial<DocumentView> = {}, box = new Outbox()): Promise<Editor> {
  const editor = new Editor(null, box);
  const opening = editor.open(1);
  (await next()).answer(200, view(more));
  await opening;
  return editor;
}

test("a new annotation is sent in code points and shown in code units", async () => {
  const editor = await opened();
  const start = TEXT.indexOf("gout");
  editor.mark({ start, end: start + 4 });
  const made = editor.make({ start, end: start + 4, type: "Disease" });
  const request = await next();
  expect([request.method, request.url]).toEqual(["POST", "/api/documents/1/annotations"]);
  expect(request.body).toMatchObject({ start: 2, end: 6, type: "Disease", revision: 3 });
  expect(request.csrf).toBe("first");
  request.answer(201, change(4, { changed: [annotation(9, 2, 6, { revision: 4 })] }));
  expect(await made).toBe(true);
  expect(editor.annotations.map((one) => editor.text(one))).toEqual(["gout"]);
  expect([editor.selected, editor.span, editor.document?.revision, editor.document?.can_undo]).toEqual([
    9,
    null,
    4,
    true,
  ]);
});

test("changes go one after the other, each from the revision the one before it made", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  const both = [editor.change(9, { nil: true }), editor.step("undo"), editor.step("redo")];
  for (const revision of [3, 4, 5]) {
    const request = await next();
    expect(sent).toEqual([]);
    expect(request.body["revision"]).toBe(revision);
    request.answer(200, change(revision + 1, { can_redo: request.url.includes("/undo") }));
    await vi.waitFor(() => expect(editor.document?.revision).toBe(revision + 1), { interval: 1 });
    expect(editor.document?.can_redo).toBe(revision === 4);
  }
  expect(await Promise.all(both)).toEqual([true, true, true]);
});

test("undoing what was made takes it away, redoing brings it back", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  editor.look(editor.annotations[0]!);
  const undone = editor.step("undo");
  (await next()).answer(200, change(4, { removed: [9] }));
  await undone;
  expect([editor.annotations, editor.selected]).toEqual([[], null]);
  const redone = editor.step("redo");
  (await next()).answer(200, change(5, { changed: [annotation(9, 2, 6)] }));
  await redone;
  expect(editor.annotations.map((one) => one.id)).toEqual([9]);
});

test("a conflict shows the document as it is now, and says why", async () => {
  const editor = await opened();
  const done = editor.make({ start: 3, end: 7 });
  const now = view({ revision: 8, annotations: [annotation(4, 2, 6)] });
  (await next()).answer(409, { code: "conflict", message: "bob has changed this", fields: {}, document: now });
  expect(await done).toBe(false);
  expect([editor.document?.revision, editor.annotations.length, editor.notice?.text]).toEqual([
    8,
    1,
    "bob has changed this",
  ]);
});

test("what never reached the server waits, and is shown once it is saved", async () => {
  const box = new Outbox();
  const editor = await opened({}, box);
  const answering = globalThis.fetch;
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const made = editor.make({ start: 3, end: 7 });
  await vi.waitFor(() => expect(box.trouble).toMatch(/does not answer/), { interval: 1 });
  expect([editor.saving, box.edits.map(({ label, name }) => [label, name])]).toEqual([
    true,
    [["annotate “gout”", "one"]],
  ]);
  vi.stubGlobal("fetch", answering);
  box.retry();
  const request = await next();
  expect(request.body).toMatchObject({ start: 2, end: 6, revision: 3 });
  request.answer(201, change(4, { changed: [annotation(9, 2, 6, { revision: 4 })] }));
  expect(await made).toBe(true);
  expect([editor.annotations.length, editor.saving, box.edits, box.trouble]).toEqual([1, false, [], ""]);
});

test("a change whose answer was lost is shown as the server has it", async () => {
  const editor = await opened();
  editor.mark({ start: 3, end: 7 });
  const made = editor.make({ start: 3, end: 7 });
  const document = view({ revision: 4, annotations: [annotation(9, 2, 6, { revision: 4 })] });
  (await next()).answer(409, { code: "repeated", message: "This change is saved already.", fields: {}, document });
  expect(await made).toBe(true);
  expect([editor.document?.revision, editor.selected, editor.notice?.kind]).toEqual([4, 9, "saved"]);
});

test("a change that an expired session refuses is saved after signing in again", async () => {
  const editor = await opened();
  const first = editor.make({ start: 3, end: 7 });
  const second = editor.state("accepted");
  (await next()).answer(401, { code: "not_signed_in", message: "Sign in again.", fields: {} });
  await vi.waitFor(() => expect(session.expired).toBe(true), { interval: 1 });
  expect([editor.saving, sent]).toEqual([true, []]);
  session.begin({ name: "ada", role: "annotator", csrf: "second", expires: "" } as Session);
  const again = await next();
  expect([again.csrf, again.body["start"]]).toEqual(["second", 2]);
  again.answer(201, change(4, { changed: [annotation(9, 2, 6, { revision: 4 })] }));
  (await next()).answer(200, change(5, { state: "accepted" }));
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(editor.document?.state).toBe("accepted");
});

test("many news at once are one look, at what has changed since", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6), annotation(8, 0, 1)] });
  const looks = [editor.refresh("bob"), editor.refresh("bob"), editor.refresh("bob")];
  const request = await next();
  expect(request.url).toBe("/api/documents/1/changes?since=3");
  request.answer(200, changes(5, { changed: [annotation(4, 7, 10)], removed: [9], next: 7 }));
  await Promise.all(looks);
  expect([sent.length, editor.document?.revision, editor.document?.next]).toEqual([0, 5, 7]);
  expect(editor.annotations.map((one) => one.id)).toEqual([8, 4]);
  expect(editor.notice?.text).toMatch(/^bob changed/);
});

test("a look waits for one's own change, and what it finds old is dropped", async () => {
  const editor = await opened();
  const done = editor.state("accepted");
  const look = editor.refresh("bob");
  const request = await next();
  expect(sent).toEqual([]);
  request.answer(200, change(4, { state: "accepted" }));
  await done;
  (await next()).answer(200, changes(4, { state: "open" }));
  await look;
  expect([editor.document?.revision, editor.document?.state]).toEqual([4, "accepted"]);
});

test("where too much has changed, the document is read again", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  const look = editor.refresh("");
  (await next()).answer(200, changes(8, { complete: false }));
  const request = await next();
  expect(request.url).toBe("/api/documents/1?limit=2000");
  request.answer(200, view({ revision: 8, annotations: [annotation(4, 0, 2)] }));
  await look;
  expect([editor.document?.revision, editor.annotations.map((one) => one.id)]).toEqual([8, [4]]);
});

test("a change of very much reads the document again", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  const done = editor.state("accepted");
  const request = await next();
  expect(request.url).toBe("/api/documents/1/state?limit=5000");
  request.answer(200, change(4, { complete: false, state: "accepted" }));
  (await next()).answer(
    200,
    view({ revision: 4, state: "accepted", annotations: [annotation(9, 2, 6, { layer: "user" })] }),
  );
  expect(await done).toBe(true);
  expect([editor.document?.state, editor.annotations[0]?.layer, editor.notice?.text]).toEqual([
    "accepted",
    "user",
    "Accepted",
  ]);
});

test("where what changed cannot be read, the change is not made twice", async () => {
  const editor = await opened();
  const done = editor.step("undo");
  (await next()).answer(200, change(4, { complete: false }));
  (await next()).answer(503, { code: "unavailable", message: "", fields: {} });
  expect(await done).toBe(true);
  expect(editor.notice?.text).toMatch(/^Saved, but/);
  editor.notice?.again?.();
  expect((await next()).url).toBe("/api/documents/1/changes?since=3");
});

test("very many annotations come in pieces, and are changed between two of them", async () => {
  const editor = await opened({ annotations: [annotation(1, 0, 1)], more: "0.1.1" });
  expect([editor.reading, editor.annotations.length]).toEqual([true, 1]);
  const first = await next();
  expect(first.url).toBe("/api/documents/1/annotations?after=0.1.1&limit=10000");
  const removing = editor.remove(editor.annotations[0]!);
  first.answer(200, { revision: 3, annotations: [annotation(2, 2, 6)], more: "2.6.2" });
  (await next()).answer(200, change(4, { removed: [1] }));
  await removing;
  const second = await next();
  expect(second.url).toContain("after=2.6.2");
  second.answer(200, { revision: 4, annotations: [annotation(3, 11, 17)], more: null });
  await vi.waitFor(() => expect(editor.reading).toBe(false), { interval: 1 });
  expect(editor.annotations.map((one) => one.id)).toEqual([2, 3]);
});

test("pieces that cannot be read are said, and can be read again; those of another document are dropped", async () => {
  const editor = await opened({ more: "0.1.1" });
  (await next()).answer(503, { code: "unavailable", message: "The database does not answer.", fields: {} });
  await vi.waitFor(() => expect(editor.notice?.text).toMatch(/^Not all annotations could be loaded/), { interval: 1 });
  editor.notice?.again?.();
  const again = await next();
  expect(again.url).toContain("after=0.1.1");
  const opening = editor.open(2);
  (await next()).answer(200, view({ id: 2, annotations: [annotation(5, 0, 1)] }));
  await opening;
  again.answer(200, { revision: 3, annotations: [annotation(2, 2, 6)], more: "2.6.2" });
  await new Promise((done) => setTimeout(done, 5));
  expect([editor.annotations.map((one) => one.id), editor.reading, sent.length]).toEqual([[5], false, 0]);
});

test("marking what is annotated looks at it; while a span is moved, it becomes the annotation's", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  editor.mark({ start: 3, end: 7 });
  expect([editor.selected, editor.span]).toEqual([9, null]);
  editor.moving = true;
  editor.mark({ start: 12, end: 18 });
  expect((await next()).body).toEqual({ start: 11, end: 17, revision: 3 });
  expect(editor.moving).toBe(false);
});

test("of documents asked for one after the other, the last is shown, whichever answer comes first", async () => {
  const editor = await opened();
  const two = editor.open(2);
  const second = await next();
  const three = editor.open(3);
  expect([editor.opening, editor.document?.id]).toEqual([true, 1]);
  const third = await next();
  third.answer(200, view({ id: 3, name: "three" }));
  second.answer(200, view({ id: 2, name: "two" }));
  await Promise.all([two, three]);
  expect([editor.opening, editor.document?.id]).toEqual([false, 3]);
});

test("while another document is on its way, what is shown is not changed any more", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  const opening = editor.open(2);
  const request = await next();
  expect(await editor.change(9, { nil: true })).toBe(false);
  expect(await editor.state("accepted")).toBe(false);
  request.answer(200, view({ id: 2 }));
  await opening;
  expect(sent).toEqual([]);
});

test("what was asked for before another document is opened is saved first, in its own document", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  const both = [editor.change(9, { nil: true }), editor.change(9, { type: "Disease" })];
  const opening = editor.open(2);
  for (const revision of [3, 4]) {
    const request = await next();
    expect([request.url, request.body["revision"], sent]).toEqual(["/api/documents/1/annotations/9", revision, []]);
    request.answer(200, change(revision + 1, { changed: [annotation(9, 2, 6)] }));
  }
  const request = await next();
  expect(request.url).toBe("/api/documents/2?limit=2000");
  request.answer(200, view({ id: 2, revision: 1 }));
  await opening;
  expect([await Promise.all(both), editor.document?.id, editor.document?.revision, editor.annotations]).toEqual([
    [true, true],
    2,
    1,
    [],
  ]);
});

test("a change that failed while another document was opened is told there", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  const done = editor.change(9, { nil: true });
  const opening = editor.open(2);
  (await next()).answer(500, { code: "internal", message: "The disk is full.", fields: {} });
  (await next()).answer(200, view({ id: 2, name: "two" }));
  await opening;
  expect([await done, editor.notice?.kind, editor.notice?.text]).toEqual([
    false,
    "trouble",
    "Not saved in “one”. The disk is full.",
  ]);
});

test("a document is not accepted after a change that failed unseen", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6)] });
  const done = [editor.change(9, { nil: true }), editor.state("accepted")];
  (await next()).answer(500, { code: "internal", message: "The disk is full.", fields: {} });
  expect(await Promise.all(done)).toEqual([false, false]);
  expect([sent, editor.notice?.text]).toEqual([[], "The disk is full. The document is not accepted."]);
  const again = editor.state("accepted");
  (await next()).answer(200, change(4, { state: "accepted" }));
  expect(await again).toBe(true);
});

test("undo says what it undid, and looks at it", async () => {
  const editor = await opened({ annotations: [annotation(9, 2, 6, { text: "gout" })] });
  let place: unknown = null;
  const undone = editor.step("undo", (span) => (place = span));
  const was = { action: "annotation.remove", annotation: 9, text: "gout" };
  (await next()).answer(200, { ...change(4, { changed: [annotation(9, 2, 6, { text: "gout" })] }), ...was });
  await undone;
  expect([editor.notice?.text, editor.selected, place]).toMatchObject([
    "Undone: removed an annotation “gout”",
    9,
    { start: 3, end: 7 },
  ]);
});

test("a look that no event asked for says whose change it found", async () => {
  const editor = await opened();
  const look = editor.refresh("");
  (await next()).answer(200, changes(5, { changed: [annotation(4, 7, 10, { author: "bob", layer: "user" })] }));
  await look;
  expect(editor.notice?.text).toMatch(/^bob changed/);
});
