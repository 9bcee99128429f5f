import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Refused } from "../../src/lib/api";
import { Outbox, type Edit } from "../../src/lib/outbox.svelte";
import { session } from "../../src/lib/session.svelte";
import type { Change, Session } from "../../src/lib/types";
import { annotation } from "../annotations";

/** The browser's storage. */
function storage(room = true): Record<string, string> {
  const kept: Record<string, string> = {};
  const methods = {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, value: string) => {
      if (!room) throw new DOMException("", "QuotaExceededError");
      kept[name] = value;
    },
    removeItem: (name: string) => void delete kept[name],
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(kept, name, { value, enumerable: false });
  vi.stubGlobal("localStorage", kept);
  return kept;
}

interface Sent {
  method: string;
  url: string;
  body: Record<string, unknown> | null;
  token: string;
}

/** What was sent, in order; each with the answer of `answers`, else none: the server is away. */
let sent: Sent[] = [];
let answers: ({ status: number; body: unknown } | "away")[] = [];
const signIn = (name: string): void => session.begin({ name, role: "annotator", csrf: "c", expires: "" } as Session);
const saved = (revision: number, more: Partial<Change> = {}) => ({
  status: 200,
  body: { revision, state: "open", changed: [], removed: [], complete: true, can_undo: true, can_redo: false, ...more },
});
const refused = (status: number, message = "", code = "conflict", document: unknown = null) => ({
  status,
  body: { code, message, fields: {}, document },
});
const edit = (label: string, more: Partial<Edit> = {}): Edit => ({
  document: 1,
  sheet: null,
  name: "case-01",
  method: "PATCH",
  path: "/documents/1/annotations/9",
  body: { nil: true },
  revision: 3,
  label,
  about: { annotation: 9 },
  ...more,
});
const accept = (): Edit =>
  edit("accept the document", { method: "POST", path: "/documents/1/state", body: { state: "accepted" }, about: {} });
const labels = (box: Outbox): string[] => box.edits.map(({ label }) => label);
const rest = (): Promise<void> => new Promise((done) => setTimeout(done, 10));

beforeEach(() => {
  [sent, answers] = [[], []];
  storage();
  session.end();
  signIn("ada");
  vi.stubGlobal("fetch", async (url: string, options: RequestInit) => {
    const body = options.body ? (JSON.parse(options.body as string) as Record<string, unknown>) : null;
    sent.push({
      method: options.method ?? "",
      url,
      body,
      token: (options.headers as Record<string, string>)["Idempotency-Key"] ?? "",
    });
    const answer = answers.shift() ?? "away";
    if (answer === "away") throw new TypeError("Failed to fetch");
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  session.end();
});

test("two changes made while the server is away are both sent, in order, each from the revision that the one before it made", async () => {
  const box = new Outbox();
  const both = [box.add(edit("one")), box.add(edit("two", { method: "DELETE", body: {} }))];
  await rest();
  expect([labels(box), box.trouble, sent.length]).toEqual([
    ["one", "two"],
    "The server does not answer. Try again when it is back.",
    1,
  ]);
  answers = [saved(4), saved(5)];
  box.retry();
  expect((await Promise.all(both)).map(({ change }) => change?.revision)).toEqual([4, 5]);
  expect(sent.slice(1).map(({ url, body }) => [url, body?.["revision"]])).toEqual([
    ["/api/documents/1/annotations/9", 3],
    ["/api/documents/1/annotations/9?revision=4", undefined],
  ]);
  expect(new Set(sent.map(({ token }) => token)).size).toBe(2);
  expect([sent[0]?.token, box.edits, box.trouble, Object.keys(localStorage)]).toEqual([sent[1]?.token, [], "", []]);
});

test("it tries again by itself, at longer and longer intervals, and nobody needs to click", async () => {
  vi.useFakeTimers();
  const box = new Outbox();
  const done = box.add(edit("one"));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.length).toBe(1);
  for (const [seconds, tries] of [
    [1, 2],
    [2, 3],
    [4, 4],
  ] as const) {
    await vi.advanceTimersByTimeAsync(1000 * seconds - 1);
    expect(sent.length).toBe(tries - 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent.length).toBe(tries);
  }
  answers = [saved(4)];
  await vi.advanceTimersByTimeAsync(8000);
  expect((await done).change?.revision).toBe(4);
});

test("what waits survives a reload, is sent under the same token, and is nobody else's", async () => {
  void new Outbox().add(edit("one"));
  await rest();
  session.end();
  signIn("bob");
  const other = new Outbox();
  other.load();
  expect([labels(other), sent.length]).toEqual([[], 1]);
  session.end();
  signIn("ada");
  answers = [saved(4)];
  const again = new Outbox();
  again.load();
  expect(labels(again)).toEqual(["one"]);
  await again.quiet(1);
  expect([sent.length, sent[1]?.token, Object.keys(localStorage)]).toEqual([2, sent[0]?.token, []]);
});

test("a change whose answer was lost is not made twice: the server knows its token", async () => {
  const box = new Outbox();
  const done = box.add(edit("one"));
  await rest();
  answers = [refused(409, "This change is saved already.", "repeated", { id: 1, revision: 4 })];
  box.retry();
  expect(await done).toMatchObject({ change: null, view: { revision: 4 } });
  expect([box.edits, box.refused]).toEqual([[], []]);
});

test("after a refusal, the document is not signed off, and other changes go on; what had waited is told until it is seen", async () => {
  const box = new Outbox();
  const [first, second, last] = [
    box.add(edit("one")),
    box.add(accept()),
    box.add(edit("two", { document: 2, path: "/documents/2/annotations/8" })),
  ];
  const reasons = Promise.allSettled([first, second]);
  await rest();
  answers = [refused(409, "bob has changed this."), saved(8)];
  box.retry();
  expect((await last).change?.revision).toBe(8);
  expect((await reasons).map((each) => (each as PromiseRejectedResult).reason.message)).toEqual([
    "bob has changed this.",
    "bob has changed this. The document is not accepted.",
  ]);
  expect(box.refused.map(({ label, refusal }) => [label, refusal])).toEqual([
    ["one", "bob has changed this."],
    ["accept the document", "bob has changed this. The document is not accepted."],
  ]);
  const reloaded = new Outbox();
  reloaded.load();
  expect([labels(reloaded), reloaded.refused.length]).toEqual([[], 2]);
  reloaded.seen();
  expect(Object.keys(localStorage)).toEqual([]);
});

test("a refusal at once is told by the page alone", async () => {
  answers = [refused(422, "No such concept.", "invalid")];
  const box = new Outbox();
  await expect(box.add(edit("one"))).rejects.toThrow(Refused);
  expect([box.refused, Object.keys(localStorage)]).toEqual([[], []]);
});

test("where somebody else has changed what the next change is about, it is not made on top of that", async () => {
  const box = new Outbox();
  const [first, second, third] = [
    box.add(edit("one", { about: { annotation: 9 } })),
    box.add(edit("two", { about: { annotation: 7 } })),
    box.add(edit("three", { about: { start: 20, end: 24 } })),
  ];
  await rest();
  const changed = [annotation(9, 0, 4, { revision: 6 }), annotation(7, 10, 14, { revision: 5, author: "bob" })];
  answers = [saved(6, { changed }), saved(7)];
  box.retry();
  await first;
  await expect(second).rejects.toThrow("bob has changed this in the meantime.");
  expect((await third).change?.revision).toBe(7);
  expect(sent.map(({ body }) => body?.["revision"])).toEqual([3, 3, 6]);
});

test("a server that is not ready is waited for; any other refusal is final", async () => {
  for (const status of [429, 502, 503, 504, 507]) {
    answers = [refused(status, "Later.", "unavailable")];
    const box = new Outbox();
    void box.add(edit("one")).catch(() => undefined);
    await rest();
    expect([status, labels(box), box.trouble]).toEqual([status, ["one"], "Later."]);
    box.discard();
  }
  for (const status of [403, 404, 409, 413, 422, 500]) {
    answers = [refused(status, "No.")];
    const box = new Outbox();
    await expect(box.add(edit("one"))).rejects.toThrow("No.");
    expect([status, labels(box)]).toEqual([status, []]);
  }
});

test("what another tab has sent is not sent again; what this page waits for is", async () => {
  void new Outbox().add(edit("one"));
  await rest();
  const other = new Outbox();
  other.load();
  const mine = other.add(edit("two"));
  await rest();
  expect(labels(other)).toEqual(["one", "two"]);
  for (const { token } of other.edits) other.sentElsewhere(token);
  expect(labels(other)).toEqual(["two"]);
  answers = [saved(4)];
  other.retry();
  expect((await mine).change?.revision).toBe(4);
});

test("without room in the browser, changes are sent all the same, and the page knows that they would be lost", async () => {
  storage(false);
  const box = new Outbox();
  const done = box.add(edit("one"));
  await rest();
  expect([box.safe, labels(box)]).toEqual([false, ["one"]]);
  answers = [saved(4)];
  box.retry();
  expect((await done).change?.revision).toBe(4);
});

test("discarded changes are not sent, and the page that made them hears of it", async () => {
  const box = new Outbox();
  const done = box.add(edit("one"));
  await rest();
  box.discard();
  await expect(done).rejects.toThrow("you discarded it");
  box.retry();
  await rest();
  expect([sent.length, Object.keys(localStorage)]).toEqual([1, []]);
});
