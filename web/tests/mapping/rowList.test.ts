import { afterEach, expect, test, vi } from "vitest";

import { RowList, SIZE } from "../../src/mapping/rowList.svelte";
import type { RowView, RowPage, Wanted } from "../../src/lib/types";

const WANTED: Wanted = { order: "urgency", status: "", attention: false, text: "", by: "", above: null, number: [] };
const row = (number: number, done: boolean): RowView =>
  ({ number, done, by: "", status: done ? "approved" : "unchecked", disagrees: false }) as RowView;

/** A server with rows of which some are decided; returns the offsets that it was asked for, with `since`. */
function server(total: number, isDone: (number: number) => boolean): [number, string | null][] {
  const asked: [number, string | null][] = [];
  vi.stubGlobal("fetch", async (url: string) => {
    const query = new URL(url, "http://here").searchParams;
    const offset = Number(query.get("offset") ?? 0);
    asked.push([offset, query.get("since")]);
    const numbers = Array.from({ length: total }, (_, number) => number);
    const next = numbers.find((number) => number >= offset && !isDone(number)) ?? null;
    const rows = numbers.slice(offset, offset + SIZE).map((number) => row(number, isDone(number)));
    const page: RowPage = { rows, offset, total, records: total, next, since: 7 };
    return { ok: true, status: 200, json: async () => page };
  });
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

test("a list opens at its first open row, and loads each page once", async () => {
  const asked = server(500, (number) => number < 320);
  const list = new RowList("/mapping", () => undefined);
  expect(await list.open(WANTED)).toBe(320);
  expect(list.total).toBe(500);
  list.want(300, 340);
  list.want(300, 349);
  await list.load(6);
  expect(list.at(320)?.number).toBe(320);
  expect(asked).toEqual([
    [0, null],
    [300, "7"],
  ]);
});

test("the next open row is known at once where its page is loaded", async () => {
  server(120, (number) => number !== 3 && number !== 110);
  const list = new RowList("/mapping", () => undefined);
  await list.open(WANTED);
  expect(list.openFrom(0)).toBe(3);
  expect(list.openFrom(4)).toBeUndefined();
  expect(await list.findOpen(4)).toBe(110);
  expect(await list.findOpen(111)).toBeNull();
});

test("pages without open rows are skipped", async () => {
  const asked = server(5000, (number) => number !== 4321);
  const list = new RowList("/mapping", () => undefined);
  expect(await list.open(WANTED)).toBe(4321);
  expect(await list.findOpen(0)).toBe(4321);
  expect(asked.map(([offset]) => offset)).toEqual([0, 4300]);
});

test("a row that is decided is shown as it is now", async () => {
  server(3, () => false);
  const list = new RowList("/mapping", () => undefined);
  await list.open(WANTED);
  list.replace(row(1, true));
  expect([0, 1, 2].map((place) => list.at(place)?.done)).toEqual([false, true, false]);
  expect(list.openFrom(1)).toBe(2);
});

test("a row that waits for a second person is open to others only", async () => {
  server(1, () => false);
  const list = new RowList("/mapping", () => undefined);
  const mine = { ...row(0, false), status: "approved", by: "ann" } as RowView;
  list.reviewer = "ann";
  expect(list.isOpen(mine)).toBe(false);
  expect(list.isOpen({ ...mine, disagrees: true })).toBe(true);
  list.reviewer = "bob";
  expect(list.isOpen(mine)).toBe(true);
});
