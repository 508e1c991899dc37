import { expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { SignInCodes } from "./sign-in-codes.js";

test("a code is good once", () => {
  const codes = new SignInCodes(new ManualClock());
  const code = codes.issue("the-key");
  expect(() => codes.redeem("another", true)).toThrow("is not known");
  expect(codes.redeem(code, true)).toBe("the-key");
  expect(() => codes.redeem(code, true)).toThrow("was used before");
});

test("for ten minutes", async () => {
  const clock = new ManualClock();
  const codes = new SignInCodes(clock);
  const code = codes.issue("the-key");
  await clock.advance(599_999);
  const other = new SignInCodes(clock);
  expect(() => other.redeem(code, true)).toThrow("is not known");
  await clock.advance(1);
  expect(() => codes.redeem(code, true)).toThrow("older than ten minutes");
});

test("from the machine itself only, and a refusal there doesn't use it up", () => {
  const codes = new SignInCodes(new ManualClock());
  const code = codes.issue("the-key");
  expect(() => codes.redeem(code, false)).toThrow(
    expect.objectContaining({ code: "insufficient_permissions" }),
  );
  expect(codes.redeem(code, true)).toBe("the-key");
});

test("a new code takes the place of the one before", () => {
  const codes = new SignInCodes(new ManualClock());
  const first = codes.issue("one");
  const second = codes.issue("two");
  expect(() => codes.redeem(first, true)).toThrow("is not known");
  expect(codes.redeem(second, true)).toBe("two");
});
