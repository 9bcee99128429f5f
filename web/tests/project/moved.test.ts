import { expect, test } from "vitest";

import { hoursText } from "../../src/project/moved";

test("times are rounded to five minutes, and nothing left takes no time", () => {
  expect([0.01, 0.5, 1, 2.6, 12.4].map(hoursText)).toEqual(["5 min", "30 min", "1 h", "2 h 35 min", "12 h"]);
  expect(hoursText(0)).toBe("none");
});
