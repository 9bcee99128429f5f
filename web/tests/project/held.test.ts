import { expect, test } from "vitest";

import { held } from "../../src/project/held";

const row = (id: number, revision = 1) => ({ id, revision });
const ids = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);

test("a row that the list no longer has stays at its place, new ones come after all, and rows take their new values", () => {
  const { rows, gone, moved } = held([row(1), row(2), row(3)], [row(2, 5), row(3), row(4)]);
  expect(ids(rows)).toEqual([1, 2, 3, 4]);
  expect(rows[1]?.revision).toBe(5);
  expect([[...gone], moved]).toEqual([[1], false]);
});

test("another order is told, and not followed", () => {
  const { rows, moved } = held([row(1), row(2)], [row(2), row(1)]);
  expect([ids(rows), moved]).toEqual([[1, 2], true]);
  expect(held([row(1), row(2)], [row(9), row(1), row(2)])).toMatchObject({
    rows: [row(1), row(2), row(9)],
    moved: true,
  });
});

test("a row that comes back is not gone any more", () => {
  const { rows, gone } = held([row(1), row(2)], [row(1, 3), row(2)]);
  expect([rows[0]?.revision, gone.size]).toEqual([3, 0]);
});
