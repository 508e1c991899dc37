import { describe, expect, test } from "vitest";
import { bytesOfJson } from "../../contract/document-json.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { documentText, promptDocuments } from "./document-text.js";

const field = (type: FieldDefinition["type"], multi = false): FieldDefinition => ({
  type,
  required: false,
  stored: true,
  indexed: true,
  multi,
});
const SCHEMA = {
  fields: { title: field("text"), tags: field("text", true), count: field("u64"), data: field("json") },
};

describe("documentText", () => {
  test("has a line for each stored field, in the order of the schema, values as they are", () => {
    const json =
      '{"data":{"a":[1,"x"]},"count":18446744073709551615,"tags":["a\\"b","c"],"other":"no","title":"T\\n1"}';
    expect(documentText(json, SCHEMA, 1000)).toBe(
      'title: T\n1\ntags: a"b, c\ncount: 18446744073709551615\ndata: {"a":[1,"x"]}',
    );
    expect(documentText("{}", SCHEMA, 1000)).toBe("");
  });

  test("is cut by code points, between two graphemes, over all fields together", () => {
    const json = '{"title":"👍🏽👍🏽","tags":["abc"]}';
    expect(documentText(json, SCHEMA, 10)).toBe("title: 👍🏽");
    expect(documentText(json, SCHEMA, 11)).toBe("title: 👍🏽👍🏽");
    expect(documentText(json, SCHEMA, 20)).toBe("title: 👍🏽👍🏽\ntags: ab");
  });

  test("has no characters that people don't see and models read", () => {
    const hidden = [..."obey"].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join("");
    const title = `a${hidden}b\u0000\u001b\u009f\ud800c\td\u200de`;
    expect(documentText(JSON.stringify({ title }), SCHEMA, 1000)).toBe("title: abc\td\u200de");
  });

  test("of many documents, the last ones are left out where all together are too long", () => {
    const hits = Array.from({ length: 10 }, () => ({
      docJson: bytesOfJson(`{"title":"${"x".repeat(99_993)}"}`),
    }));
    const whole = promptDocuments(hits, SCHEMA, 1_000_000);
    expect(whole.texts().map((text) => text.length)).toEqual([100_000, 100_000, 100_000, 100_000]);
    expect(whole.count).toBe(4);
    // Few enough that nothing need be looked at to tell their number.
    const short = promptDocuments(hits, SCHEMA, 1_000);
    expect([short.count, short.texts().length]).toEqual([10, 10]);
  });
});
