import { describe, expect, test } from "vitest";
import { nearestName } from "./nearest-name.js";

describe("nearestName", () => {
  const known = ["port", "host", "put_creates", "max_result_limit"];

  test.each([
    ["prot", "port"],
    ["hosts", "host"],
    ["put_create", "put_creates"],
    ["max_results", undefined],
    ["maxresultlimit", "max_result_limit"],
    ["", undefined],
    ["completely_different_thing", undefined],
  ])("finds for '%s' %s", (typed, nearest) => {
    expect(nearestName(typed, known)).toBe(nearest);
  });
});
