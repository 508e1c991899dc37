/** How judged collections are read, what is asked of them, and how other engines' processes are asked. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadCranfield } from "../../bench/relevance/cranfield.js";
import { anyOfWords, FindlingRanker, separateWords } from "../../bench/relevance/findling-ranker.js";
import { rankByPeer } from "../../bench/relevance/peer-ranker.js";
import { rarestWords } from "../../bench/relevance/rarest-words.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-judged-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("loadCranfield", () => {
  test("is null where the collection isn't", () => {
    expect(loadCranfield(join(folder, "absent"))).toBeNull();
  });

  test("joins queries with their judgements and takes the better of two grades", () => {
    const documents = [{ id: "1", title: "wing", text: "lift", author: "x", source: "y" }];
    const queries = [
      { id: "1", text: "lift" },
      { id: "2", text: "unjudged" },
    ];
    const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    writeFileSync(join(folder, "docs.jsonl.gz"), gzipSync(lines(documents)));
    writeFileSync(join(folder, "queries.jsonl"), lines(queries));
    writeFileSync(join(folder, "qrels.tsv"), "1\t1\t2\n1\t1\t4\n1\t1\t3\n");
    expect(loadCranfield(folder)).toEqual({
      documents: [{ id: "1", title: "wing", text: "lift" }],
      queries: [{ id: "1", text: "lift", judgements: new Map([["1", 4]]) }],
    });
  });
});

describe("FindlingRanker", () => {
  test("asks for any of the words; a hyphenated one is a phrase unless its words are separated", async () => {
    const ranker = await FindlingRanker.build(
      [
        { id: "apart", title: "speed", text: "high" },
        { id: "phrase", title: "", text: "the high-speed wing" },
        { id: "other", title: "", text: "flow" },
      ],
      { isStemming: false },
    );
    expect(ranker.rank("exact", anyOfWords("(high-speed) and: - +flow?"))).toEqual(["other", "phrase"]);
    expect(ranker.rank("exact", separateWords("high-speed/flow")).sort()).toEqual([
      "apart",
      "other",
      "phrase",
    ]);
    expect(ranker.rank("fuzzy", "flwo")).toEqual(["other"]);
    expect(ranker.rank("exact", "flwo")).toEqual([]);
    expect(ranker.queryTokens("the High-speed")).toEqual(["high", "speed"]);
    await ranker.close();
  });

  test("stems where told to", async () => {
    const documents = [{ id: "1", title: "velocities", text: "" }];
    const stemmed = await FindlingRanker.build(documents, { isStemming: true });
    const plain = await FindlingRanker.build(documents, { isStemming: false });
    expect(stemmed.rank("exact", "velocity")).toEqual(["1"]);
    expect(plain.rank("exact", "velocity")).toEqual([]);
    await stemmed.close();
    await plain.close();
  });
});

test("rarestWords are the three words in the fewest documents, in the query's order", async () => {
  const documents = ["wing flow mach lift heat", "wing flow mach lift", "wing flow mach", "wing flow"].map(
    (text, i) => ({ id: String(i), title: "", text }),
  );
  const queries = [
    { id: "1", text: "heat flow of the mach lift at wing", judgements: new Map<string, number>() },
  ];
  const ranker = await FindlingRanker.build(documents, { isStemming: false });
  expect(rarestWords({ documents, queries }, ranker)).toEqual(["flow mach lift"]);
  await ranker.close();
});

describe("rankByPeer", () => {
  const documents = [{ id: "1", title: "two\twords", text: "a\nline" }];
  const peer = (script: string): string[] => [process.execPath, "-e", `${script}`];

  test("hands over documents and queries as lines and takes version and ids", () => {
    const command = peer(`
      const { readFileSync } = require("node:fs");
      const [analysis, documents, queries, limit] = process.argv.slice(1);
      console.log([analysis, limit, JSON.stringify(readFileSync(documents, "utf8"))].join(" "));
      for (const query of readFileSync(queries, "utf8").trimEnd().split("\\n")) console.log(query);`);
    const answer = rankByPeer(command, { analysis: "tokens", documents, queries: ["7 8", "9"] }, folder);
    expect(answer.version).toBe('tokens 1000 "1\\ttwo words\\ta line\\n"');
    expect(answer.rankings).toEqual([["7", "8"], ["9"]]);
  });

  test("refuses an answer that lacks queries, and takes an empty ranking", () => {
    const job = { analysis: "tokens", documents, queries: ["a", "b"] };
    expect(rankByPeer(peer('console.log("1\\n1\\n")'), job, folder).rankings).toEqual([["1"], []]);
    expect(() => rankByPeer(peer('process.stdout.write("1\\n2")'), job, folder)).toThrow("1 of 2 queries");
  });
});
