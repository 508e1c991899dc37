import { describe, expect, test } from "vitest";
import { announcesJson } from "./json-body.js";

describe("announcesJson (contract 1.1)", () => {
  test.each([
    undefined,
    "",
    "application/json",
    "Application/JSON; charset=utf-8",
    "application/json;charset=iso-8859-1;x=y",
    "application/vnd.api+json",
    "application/ld+json; profile=x",
  ])("takes %s", (contentType) => expect(announcesJson(contentType)).toBe(true));

  test.each([
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "application/json2",
    "application/+json",
    "application/jsonx; a=application/json",
    "multipart/form-data; boundary=x",
    "garbage",
  ])("refuses %s", (contentType) => expect(announcesJson(contentType)).toBe(false));
});
