// Proves: the order of sort bytes is the order of values, for every kind; decoding gives the
// canonical value back; what a kind can't hold is refused.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FindlingError } from "../../errors/index.js";
import { compareBytes } from "./compare-bytes.js";
import { decodeSortBytes } from "./decode-sort-bytes.js";
import type { CanonicalValue } from "./document.js";
import type { DatetimePrecision, EngineField, FieldKind } from "./engine-schema.js";
import { formatInstant, INSTANT_SECONDS_MAX, INSTANT_SECONDS_MIN, parseInstant } from "./instant.js";
import { sortBytes } from "./sort-bytes.js";

function field(kind: FieldKind, precision?: DatetimePrecision): EngineField {
  const plain = { name: "f", kind, indexed: true, stored: true, multi: false };
  return precision === undefined ? plain : { ...plain, precision };
}

const canonicalInteger = (value: bigint): CanonicalValue =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

const instants = fc.record({
  seconds: fc.oneof(
    fc.integer({ min: INSTANT_SECONDS_MIN, max: INSTANT_SECONDS_MAX }),
    fc.integer({ min: -10, max: 10 }),
    fc.constantFrom(INSTANT_SECONDS_MIN, INSTANT_SECONDS_MAX),
  ),
  nanoseconds: fc.oneof(fc.nat({ max: 999_999_999 }), fc.constantFrom(0, 1, 500_000_000)),
});

const facetSegments = fc.array(fc.stringMatching(/^[a-c!.-]{1,2}$/), { minLength: 1, maxLength: 4 });

describe("sortBytes", () => {
  test.each([
    ["u64", 0n, 2n ** 64n - 1n],
    ["i64", -(2n ** 63n), 2n ** 63n - 1n],
  ] as const)("%s: order and round trip over the whole range", (kind, min, max) => {
    const values = fc.oneof(
      fc.bigInt({ min, max }),
      fc.constantFrom(min, max, 0n),
      fc.integer({ min: kind === "u64" ? 0 : -300, max: 300 }).map(BigInt),
    );
    fc.assert(
      fc.property(values, values, (left, right) => {
        const [leftBytes, rightBytes] = [left, right].map((value) =>
          sortBytes(field(kind), canonicalInteger(value)),
        );
        expect(compareBytes(leftBytes!, rightBytes!)).toBe(left < right ? -1 : left > right ? 1 : 0);
        expect(sortBytes(field(kind), String(left))).toEqual(leftBytes);
        expect(decodeSortBytes(field(kind), leftBytes!)).toBe(canonicalInteger(left));
      }),
    );
  });

  test("f64: order and round trip; -0 is 0", () => {
    const values = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, 5e-324, -5e-324),
    );
    fc.assert(
      fc.property(values, values, (left, right) => {
        const order = compareBytes(sortBytes(field("f64"), left), sortBytes(field("f64"), right));
        expect(order).toBe(left < right ? -1 : left > right ? 1 : 0);
        expect(decodeSortBytes(field("f64"), sortBytes(field("f64"), left))).toBe(left === 0 ? 0 : left);
      }),
    );
  });

  test("datetime: order, zone offsets and round trip to the nanosecond", () => {
    const nano = field("datetime", "nanoseconds");
    fc.assert(
      fc.property(instants, instants, fc.integer({ min: -1439, max: 1439 }), (left, right, offset) => {
        const text = formatInstant(left.seconds, left.nanoseconds);
        const bytes = sortBytes(nano, text);
        const order = left.seconds - right.seconds || left.nanoseconds - right.nanoseconds;
        expect(compareBytes(bytes, sortBytes(nano, formatInstant(right.seconds, right.nanoseconds)))).toBe(
          Math.sign(order),
        );
        expect(decodeSortBytes(nano, bytes)).toBe(text);
        const local = left.seconds + offset * 60;
        if (local < INSTANT_SECONDS_MIN || local > INSTANT_SECONDS_MAX) return;
        const zone = `${offset < 0 ? "-" : "+"}${new Date(Math.abs(offset) * 60_000).toISOString().slice(11, 16)}`;
        expect(sortBytes(nano, formatInstant(local, left.nanoseconds).replace("Z", zone))).toEqual(bytes);
      }),
    );
  });

  test("instants agree with the platform's calendar", () => {
    fc.assert(
      fc.property(instants, ({ seconds }) => {
        const platform = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
        expect(formatInstant(seconds, 0)).toBe(platform);
        expect(parseInstant(platform)).toEqual({ seconds, nanoseconds: 0, truncated: false });
      }),
    );
  });

  test("datetime is cut to the field's precision, not rounded", () => {
    const text = "2024-02-29T23:59:59.9876543219Z";
    const cut = (precision?: DatetimePrecision): CanonicalValue =>
      decodeSortBytes(field("datetime"), sortBytes(field("datetime", precision), text));
    expect(cut()).toBe("2024-02-29T23:59:59Z");
    expect(cut("milliseconds")).toBe("2024-02-29T23:59:59.987Z");
    expect(cut("microseconds")).toBe("2024-02-29T23:59:59.987654Z");
    expect(cut("nanoseconds")).toBe("2024-02-29T23:59:59.987654321Z");
    // Before the epoch cutting still goes back in time.
    expect(decodeSortBytes(field("datetime"), sortBytes(field("datetime"), "1969-12-31T23:59:59.9Z"))).toBe(
      "1969-12-31T23:59:59Z",
    );
  });

  test("keyword: order of code points, not of UTF-16 units", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (left, right) => {
        const order = compareBytes(sortBytes(field("keyword"), left), sortBytes(field("keyword"), right));
        expect(order).toBe(compareCodePoints(left, right));
        expect(decodeSortBytes(field("keyword"), sortBytes(field("keyword"), left))).toBe(left);
      }),
    );
    expect(compareBytes(sortBytes(field("keyword"), "\uffff"), sortBytes(field("keyword"), "😀"))).toBe(-1);
    expect(decodeSortBytes(field("keyword"), sortBytes(field("keyword"), "\ufeffa"))).toBe("\ufeffa");
    const long = "long".repeat(50);
    expect(decodeSortBytes(field("keyword"), sortBytes(field("keyword"), long))).toBe(long);
  });

  test("facet: a path's descendants follow it at once", () => {
    fc.assert(
      fc.property(facetSegments, facetSegments, (left, right) => {
        const order = compareBytes(
          sortBytes(field("facet"), `/${left.join("/")}`),
          sortBytes(field("facet"), `/${right.join("/")}`),
        );
        expect(order).toBe(compareSegments(left, right));
        const path = `/${left.join("/")}`;
        expect(decodeSortBytes(field("facet"), sortBytes(field("facet"), path))).toBe(path);
      }),
    );
  });

  test("facet: every path is taken, and nothing else, whatever letters and however long", () => {
    const unit = fc.constantFrom("/", "/", "a", "b", "\0", "é", "\ud83d\ude00", "x".repeat(70));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 8 }), fc.boolean(), (units, isPath) => {
        const text = `${isPath ? "/a" : ""}${units.join("")}`;
        const [head, ...segments] = text.split("/");
        const isValid =
          head === "" &&
          segments.length > 0 &&
          segments.every((segment) => segment !== "") &&
          !text.includes("\0");
        if (isValid) expect(decodeSortBytes(field("facet"), sortBytes(field("facet"), text))).toBe(text);
        else expect(() => sortBytes(field("facet"), text)).toThrow("a path such as");
      }),
      { numRuns: 500 },
    );
  });

  test.each<[FieldKind, number[]]>([
    ["bool", [2]],
    ["u64", [1, 2, 3]],
    ["f64", [0xff, 0xf0, 0, 0, 0, 0, 0, 0]],
    ["f64", [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ["datetime", [0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ["datetime", [0x80, 0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0]],
    ["keyword", [0xff]],
    ["facet", [0]],
    ["facet", [0x61]],
    ["facet", [0, 0x61, 0]],
    ["facet", [0, 0x61, 0x2f, 0x62]],
    ["text", [0x61]],
  ])("%s: decoding refuses bytes that no value has (%j)", (kind, bytes) => {
    expect(() => decodeSortBytes(field(kind), Uint8Array.from(bytes))).toThrowError(FindlingError);
  });

  test("bool", () => {
    expect([...sortBytes(field("bool"), false), ...sortBytes(field("bool"), true)]).toEqual([0, 1]);
    expect(decodeSortBytes(field("bool"), Uint8Array.of(1))).toBe(true);
  });

  test.each<[FieldKind, CanonicalValue[]]>([
    ["bool", ["true", 1, null]],
    [
      "u64",
      [-1, 1.5, "18446744073709551616", "-1", "1.0", "", " 1", "1e3", "9".repeat(1_000_000), 2 ** 64, true],
    ],
    ["i64", ["9223372036854775808", "-9223372036854775809", 2 ** 63, "--1", 0.5, null]],
    ["f64", ["1", Number.NaN, Number.POSITIVE_INFINITY, null, [1]]],
    [
      "datetime",
      [
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2024-01-01",
        "2024-01-01T00:00:00",
        "2024-01-01T24:00:00Z",
        "2024-13-01T00:00:00Z",
        "2024-01-01T00:00:60Z",
        "2024-01-01T00:00:00+24:00",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "0000-01-01T00:00:00Z",
        1_700_000_000,
      ],
    ],
    ["keyword", [1, null, ["a"]]],
    ["facet", ["", "/", "a", "a/b", "/a/", "//a", "/a//b", "/a\0b", 1]],
    ["text", ["a"]],
    ["opaque", [1]],
  ])("%s refuses what it can't hold", (kind, values) => {
    for (const value of values) {
      expect(() => sortBytes(field(kind), value), String(value).slice(0, 40)).toThrowError(FindlingError);
      try {
        sortBytes(field(kind), value);
      } catch (error) {
        expect((error as FindlingError).code).toBe("invalid_field_value");
        expect((error as FindlingError).message.length).toBeLessThan(300);
      }
    }
  });
});

function compareCodePoints(left: string, right: string): number {
  const [leftPoints, rightPoints] = [left, right].map((text) =>
    [...text].map((point) => point.codePointAt(0)!),
  );
  for (let i = 0; i < Math.min(leftPoints!.length, rightPoints!.length); i++) {
    if (leftPoints![i] !== rightPoints![i]) return leftPoints![i]! < rightPoints![i]! ? -1 : 1;
  }
  return Math.sign(leftPoints!.length - rightPoints!.length);
}

function compareSegments(left: readonly string[], right: readonly string[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareCodePoints(left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  return Math.sign(left.length - right.length);
}
