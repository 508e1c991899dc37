import { describe, expect, test } from "vitest";
import { maskedPath } from "./access-log.js";

describe("maskedPath", () => {
  test.each([
    ["/auth/key/Abcdef123456", "/auth/key/********"],
    ["//auth///key/Abcdef123456/", "/auth/key/********"],
    ["/%61uth/k%65y/Abcdef123456", "/auth/key/********"],
    ["/auth/key/Abcdef123456/more", "/auth/key/********"],
    ["/auth/key/check", "/auth/key/********"],
    ["/auth/key/check/15", "/auth/key/check/…"],
    ["/auth/key?key=Abcdef123456", "/auth/key"],
    ["/auth/key", "/auth/key"],
    ["/measure/user/someone@example.com", "/measure/user/********"],
    ["//measure/us%65r/someone/", "/measure/user/********"],
    ["/measure/user", "/measure/user"],
    ["/measure/dashboard/summary?user_id=someone", "/measure/dashboard/summary"],
    ["/index/books/search", "/index/books/search"],
    ["/index/%zz", "/index/%zz"],
  ])("logs %s as %s", (url, logged) => {
    expect(maskedPath(url)).toBe(logged);
  });

  test("cuts what is too long", () => {
    expect(maskedPath(`/index/${"x".repeat(5000)}`)).toHaveLength(1000);
  });
});
