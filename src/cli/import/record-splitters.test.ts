// Properties: wherever the chunks break, a splitter finds the same records as a reader that has the
// whole text at once; line numbers are those of the records' first bytes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvSplitter, parseCsvRow } from "../../intake/csv-splitter.js";
import { LineSplitter } from "../../intake/line-splitter.js";
import type { RecordSplitter } from "../../intake/raw-record.js";
import { JsonSplitter } from "./json-splitter.js";

interface SplitRecord {
  readonly line: number;
  readonly text: string;
  readonly problem?: string;
}

/** Cuts the text at the given places, which may fall inside a character, and splits it. */
function split(splitter: RecordSplitter, text: string, cuts: readonly number[]): readonly SplitRecord[] {
  const bytes = Buffer.from(text, "utf8");
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  const records: SplitRecord[] = [];
  let start = 0;
  for (const end of [...places, bytes.length]) {
    // A copy, so that a splitter holding on to a chunk that is used again would show.
    const chunk = Uint8Array.from(bytes.subarray(start, end));
    for (const { bytes: record, ...rest } of splitter.push(chunk))
      records.push({ ...rest, text: Buffer.from(record).toString() });
    start = end;
  }
  for (const { bytes: record, ...rest } of splitter.end())
    records.push({ ...rest, text: Buffer.from(record).toString() });
  return records;
}

/** Line of every index of a text, from 1. */
function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 30 });
const awkward = fc.string({
  unit: fc.constantFrom("a", '"', "\\", ",", "{", "}", "[", "]", "\n", "\r", " ", ";", "é", "🜨"),
});
const jsonDocument = fc.dictionary(
  awkward,
  fc.oneof(awkward, fc.integer(), fc.array(awkward), fc.constant(null)),
  { maxKeys: 3 },
);
const blank = fc.constantFrom("", " ", "\n", "\r\n", "\t", " \n ");

describe("LineSplitter", () => {
  it("finds the lines that are not blank", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "{}", "\n", "\r\n", " ", "ü")), cuts, (parts, places) => {
        const text = parts.join("");
        const expected = text
          .split("\n")
          .map((line, position) => ({ line: position + 1, text: line.replace(/\r$/, "") }))
          .filter(({ text: line }) => line.trim() !== "");
        expect(split(new LineSplitter(), text, places)).toEqual(expected);
      }),
    );
  });
});

describe("JsonSplitter", () => {
  it("finds the elements of an array, whatever is in their strings", () => {
    const element = fc.oneof(jsonDocument, fc.integer(), awkward);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(blank, element, blank, fc.boolean())),
        blank,
        cuts,
        (elements, around, places) => {
          let text = `${around}[`;
          const expected: { line: number; value: unknown }[] = [];
          for (const [position, [before, value, after, isPretty]] of elements.entries()) {
            text += `${position === 0 ? "" : ","}${before}`;
            expected.push({ line: lineAt(text, text.length), value });
            text += `${isPretty ? JSON.stringify(value, null, 2) : JSON.stringify(value)}${after}`;
          }
          text += `${elements.length === 0 ? around : ""}]${around}`;
          const found = split(new JsonSplitter(), text, places);
          expect(
            found.map((record) => ({ line: record.line, value: JSON.parse(record.text) as unknown })),
          ).toEqual(expected);
        },
      ),
    );
  });

  it("finds objects that follow one another", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(jsonDocument, blank)), cuts, (documents, places) => {
        const text = documents.map(([value, after]) => JSON.stringify(value) + after).join("");
        const found = split(new JsonSplitter(), text, places).map(
          (record) => JSON.parse(record.text) as unknown,
        );
        expect(found).toEqual(documents.map(([value]) => value));
      }),
    );
  });

  it.each([
    ['[{"a":1}', 1, "ends before its array", 0],
    ['[{"a":1', 0, "is not closed", 0],
    ["[1,2", 1, "ends before its array", 0],
    ['[{"a":1} {"a":2}]', 1, "a comma or ]", 1],
    ['[{"a":1},]', 1, "a document is missing", 0],
    ['[,{"a":1},{"a":2}]', 0, "a document is missing", 2],
    ['[{"a":1}] x', 1, "something follows", 0],
    ["hello", 0, "must begin with", 0],
    ['{"a":1},{"a":2}', 1, "other than an object", 1],
  ])("names what is wrong in %s and goes on behind it", (text, before, problem, after) => {
    const found = split(new JsonSplitter(), text, [3]);
    expect(found.map((record) => record.problem)).toEqual([
      ...Array<undefined>(before).fill(undefined),
      expect.stringContaining(problem),
      ...Array<undefined>(after).fill(undefined),
    ]);
  });
});

describe("CsvSplitter and parseCsvRow", () => {
  const cell = fc.oneof(awkward, fc.constantFrom("", "plain", 'with "quotes"', "two\nlines", "a,b"));
  const rows = fc
    .integer({ min: 1, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })));

  it("reads back what RFC 4180 writes, quoted only where it must or everywhere", () => {
    const lineEnd = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(",", ";", "\t"),
        lineEnd,
        fc.boolean(),
        cuts,
        (table, delimiter, end, quotesAll, places) => {
          const write = (value: string): string =>
            quotesAll || /["\r\n]/.test(value) || value.includes(delimiter)
              ? `"${value.replaceAll('"', '""')}"`
              : value;
          // A row of empty cells is a blank line unless they are quoted.
          const expected = table.filter((row) => quotesAll || row.some((value) => value !== ""));
          let text = "";
          const lines: number[] = [];
          for (const row of expected) {
            lines.push(lineAt(text, text.length));
            text += row.map(write).join(delimiter) + end;
          }
          const found = split(new CsvSplitter(delimiter), text, places);
          expect(found.map((record) => parseCsvRow(record.text, delimiter))).toEqual(expected);
          expect(found.map((record) => record.line)).toEqual(lines);
        },
      ),
    );
  });

  it("ends rows by CR alone where the first one ends so, wherever the bytes are cut", () => {
    fc.assert(
      fc.property(cuts, (places) => {
        const text = 'id,title\r1,"a\rb"\r\r2,c\nd\r3,"e\r4,f\r';
        expect(split(new CsvSplitter(","), text, places)).toEqual([
          { line: 1, text: "id,title" },
          { line: 2, text: '1,"a\rb"' },
          { line: 5, text: "2,c\nd" },
          { line: 6, text: '3,"e', problem: expect.stringContaining("never closed") as string },
          { line: 7, text: "4,f" },
        ]);
      }),
    );
  });

  it("passes over rows of empty cells, and all CRs before a line end", () => {
    const text = ',,\r\r\nid,n,t\r\r\n,,\r\n1,2,\r\r\n,,\r\n"",,\r\n,,';
    expect(split(new CsvSplitter(","), text, [3, 9])).toEqual([
      { line: 2, text: "id,n,t" },
      { line: 4, text: "1,2," },
      { line: 6, text: '"",,' },
    ]);
  });

  it("takes a quote inside an unquoted cell as it is", () => {
    const found = split(new CsvSplitter(","), 'size,name\n5" disk,x\n', []);
    expect(found.map((record) => parseCsvRow(record.text, ","))).toEqual([
      ["size", "name"],
      ['5" disk', "x"],
    ]);
  });

  it("needs no line break at the end", () => {
    expect(split(new CsvSplitter(","), "a,b\n1,2", [4])).toEqual([
      { line: 1, text: "a,b" },
      { line: 2, text: "1,2" },
    ]);
  });

  it("leaves out only the line with a quote that is never closed", () => {
    expect(split(new CsvSplitter(","), 'a,b\n1,"2\n3,4\n"5",6\n7,"8', [9])).toEqual([
      { line: 1, text: "a,b" },
      { line: 2, text: '1,"2', problem: expect.stringContaining("never closed") as string },
      { line: 3, text: "3,4" },
      { line: 4, text: '"5",6' },
      { line: 5, text: '7,"8', problem: expect.stringContaining("never closed") as string },
    ]);
  });

  it("refuses text after a closing quote", () => {
    expect(() => parseCsvRow('"a"b,c', ",")).toThrow("goes on after its closing quote");
  });
});
