/** A bound term tells of each segment what that has, in whatever order segments and terms are asked for. */
import { expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import { Bm25Similarity } from "../similarity/bm25-similarity.js";
import { SegmentStatistics } from "../statistics/segment-statistics.js";
import { BoundTerm } from "./bound-term.js";

const FIELDS = ["title", "body"] as const;
const WORDS = ["one", "two", "three"];
/** Longer than terms of documents are: nobody has it. */
const ASKED = [...WORDS, "x".repeat(300)];
const schema = defineSchema({ title: "text", body: "text" });
const analyzer = createAnalyzer({ version: 1 });

test("a term is where each segment has it, in one field after the other", async () => {
  const random = new SeededRandom(5);
  const directory = new MemoryDirectory();
  const segments: SegmentStatistics[] = [];
  /** By segment: the words of each field. */
  const held: Record<(typeof FIELDS)[number], readonly string[]>[] = [];
  for (let n = 0; n < 5; n++) {
    const words = (): string[] => WORDS.filter(() => random.next() < 0.5);
    const own = { title: words(), body: words() };
    const builder = new SegmentBuilder(schema, analyzer);
    builder.add(`${n}`.padStart(32, "0"), { title: own.title.join(" "), body: own.body.join(" ") });
    await builder.write(directory, `s${n}`);
    segments.push(new SegmentStatistics(await openSegment(directory, `s${n}`, schema, null)));
    held.push(own);
  }
  const field = { similarity: Bm25Similarity.of({ docCount: 5, tokenCount: 10 }), docCount: 5 };
  const bound = FIELDS.flatMap((name) => ASKED.map((word) => new BoundTerm(name, word, field, 1)));
  for (let asked = 0; asked < 1000; asked++) {
    const term = random.pick(bound);
    const segment = random.below(segments.length);
    const known = term.in(segments[segment]!);
    const name = FIELDS.find((each) => each === term.field)!;
    expect(known !== null).toBe(held[segment]![name].includes(term.term));
    if (known === null) continue;
    expect(known.terms).toBe(segments[segment]!.segment.terms(name));
    expect(Buffer.from(known.terms.termBytes(known.ordinal)).toString()).toBe(term.term);
  }
});
