import { describe, expect, test } from "vitest";
import { JsonText, successAnswer, WrittenAnswer } from "./envelope.js";
import type { JsonWriter } from "./json-writer.js";

describe("successAnswer", () => {
  test("wraps any value, and repeats nothing unless the route is mirrored", () => {
    for (const data of ["done", [1, 2], { a: 1 }]) {
      expect(JSON.parse(String(successAnswer(data, false)))).toEqual({ status: 200, data });
    }
  });

  test("repeats the members of an object, but for the envelope's own four names", () => {
    const data = { name: "k", status: "active", message: "m", error: "e", data: 1, deep: { status: 1 } };
    expect(JSON.parse(String(successAnswer(data, true)))).toEqual({
      status: 200,
      data,
      name: "k",
      deep: { status: 1 },
    });
  });

  test("repeats nothing of what is not an object", () => {
    for (const data of ["done", [1, 2]]) {
      expect(JSON.parse(String(successAnswer(data, true)))).toEqual({ status: 200, data });
    }
  });

  test("takes a whole answer as it is", () => {
    class Whole extends WrittenAnswer {
      override writeTo(writer: JsonWriter): void {
        writer.ascii('{"status":200,').text('"data":{"a":"ü"}}');
      }
    }
    expect(String(successAnswer(new Whole(), false))).toBe('{"status":200,"data":{"a":"ü"}}');
  });

  test("splices JSON text in as it is", () => {
    expect(successAnswer(new JsonText('{"a": 1.0}'), false)).toBe('{"status":200,"data":{"a": 1.0}}');
  });
});
