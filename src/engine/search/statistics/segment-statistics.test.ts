// Property: where a term is depends on its field and itself, whatever was asked for before.
import { expect, test, vi } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import { SegmentStatistics } from "./segment-statistics.js";

const schema = defineSchema({ title: "text", body: "text" });

test("terms of several fields, known and unknown ones in turns", async () => {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  builder.add("0".repeat(32), { title: "red red", body: "green" });
  builder.add("1".repeat(32), { title: "blue", body: "green red" });
  await builder.write(directory, "s");
  const statistics = new SegmentStatistics(await openSegment(directory, "s", schema, null));
  const docFreqs = { title: { red: 1, blue: 1, green: 0 }, body: { red: 1, blue: 0, green: 2 } };
  const fields = ["title", "body", "title", "absent"] as const;
  // Each may have been asked for just before.
  for (let turn = 0; turn < 3; turn++) {
    for (const term of ["red", "green", "blue", "blue", "red"] as const) {
      for (const field of fields) {
        const expected = field === "absent" ? 0 : docFreqs[field][term];
        const known = statistics.term(field, term);
        expect(known === null ? 0 : statistics.docFreq(field, known.ordinal)).toBe(expected);
        expect(statistics.term(field, term)).toBe(known);
        if (known !== null) expect(known.terms).toBe(statistics.segment.terms(field));
      }
    }
  }
});

test("terms that share a slot are told apart", async () => {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  // One is in a document, two in two, ...: alike but for their second letter.
  const terms = ["abcda", "aocda", "axcda"];
  for (let n = 0; n < terms.length; n++) {
    builder.add(`${n}`.repeat(32), { title: terms.slice(n).join(" ") });
  }
  await builder.write(directory, "s");
  const statistics = new SegmentStatistics(await openSegment(directory, "s", schema, null));
  for (const term of [...terms, ...terms.toReversed(), "aycda", "", ...terms]) {
    const docFreq = terms.indexOf(term) + 1;
    expect(statistics.term("title", term)?.place.docFreq ?? 0).toBe(docFreq);
  }
});

test("terms longer than those of documents aren't kept: each is looked up anew", async () => {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  builder.add("0".repeat(32), { title: "some words" });
  await builder.write(directory, "s");
  const segment = await openSegment(directory, "s", schema, null);
  const statistics = new SegmentStatistics(segment);
  const lookUp = vi.spyOn(segment.terms("title")!, "ordinalOf");
  for (const term of ["a".repeat(100_000), "words"])
    for (let n = 0; n < 2; n++) statistics.term("title", term);
  expect(lookUp).toHaveBeenCalledTimes(3);
});
