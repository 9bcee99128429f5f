import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Sending, type Job } from "../../src/mapping/sending.svelte";

let sent: { url: string; body: Record<string, unknown>; header: string | undefined }[] = [];
let away = false;
let status = 200;
let kept: Record<string, string> = {};

beforeEach(() => {
  [sent, away, status, kept] = [[], false, 200, {}];
  vi.useFakeTimers();
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, value: string) => void (kept[name] = value),
    removeItem: (name: string) => void delete kept[name],
  });
  vi.stubGlobal("fetch", async (url: string, { body, headers }: { body: string; headers: Record<string, string> }) => {
    if (away) throw new TypeError("away");
    sent.push({ url, body: JSON.parse(body), header: headers["X-Linnet"] });
    const changed = { row: { number: 1, entry: 40 + sent.length }, progress: {} };
    return {
      ok: status === 200,
      status,
      json: async () => (status === 200 ? changed : { code: "invalid", message: "No.", fields: {} }),
    };
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const decision = (row: number, label = "a"): Job => ({ row, label, kind: "decision", body: { concepts: [] } });
const undo = (row: number): Job => ({ row, label: "undo", kind: "undo", body: {} });
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test("changes are sent in their order, with the header, and an undo names the entry", async () => {
  const answers: boolean[] = [];
  const sending = new Sending(
    "/mapping",
    "",
    (_, last) => answers.push(last),
    () => undefined,
  );
  sending.add(decision(1));
  sending.add(undo(1));
  await settle();
  expect(sent.map(({ url }) => url)).toEqual(["/api/mapping/rows/1/decision", "/api/mapping/rows/1/undo"]);
  expect(sent.map(({ header }) => header)).toEqual(["review", "review"]);
  expect(sent[1]?.body["entry"]).toBe(41);
  expect(answers).toEqual([false, true]);
  expect(kept).toEqual({});
});

test("what a server that is away has not taken is kept, and sent again in order", async () => {
  away = true;
  const sending = new Sending(
    "/mapping",
    "",
    () => undefined,
    () => undefined,
  );
  sending.add(decision(1));
  sending.add(decision(2));
  await settle();
  expect(sending.trouble).toContain("does not answer");
  expect(JSON.parse(kept["linnet-review-unsent"] ?? "[]")).toHaveLength(2);
  away = false;
  const reloaded = new Sending(
    "/mapping",
    "",
    () => undefined,
    () => undefined,
  );
  await settle();
  expect(sent.map(({ url }) => url)).toEqual(["/api/mapping/rows/1/decision", "/api/mapping/rows/2/decision"]);
  expect(reloaded.jobs).toEqual([]);
});

test("a refused decision is told, with its undo dropped, and the others go on", async () => {
  const reloaded: number[] = [];
  const sending = new Sending(
    "/mapping",
    "",
    () => undefined,
    (row) => reloaded.push(row),
  );
  status = 422;
  sending.add(decision(1, "gout: x"));
  sending.add(undo(1));
  await settle();
  expect(sending.refused).toEqual(["gout: x: No."]);
  expect(reloaded).toEqual([1]);
  expect(sent).toHaveLength(1);
  expect(sending.trouble).toBe("");
});

test("what a server could not save is kept until it is discarded", async () => {
  const reloaded: number[] = [];
  const sending = new Sending(
    "/mapping",
    "",
    () => undefined,
    (row) => reloaded.push(row),
  );
  status = 500;
  sending.add(decision(1));
  sending.add(decision(2));
  await settle();
  expect([sending.jobs.length, sending.trouble]).toEqual([2, "No."]);
  sending.discard();
  expect([sending.jobs.length, sending.trouble, reloaded, kept]).toEqual([0, "", [1, 2], {}]);
});
