// Codes, part numbers, addresses and names with signs are found whole, in every mode, among texts that
// hold the same parts otherwise.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ParsedJson, READ, WireServer } from "./wire-server.js";

interface Code {
  readonly code: string;
  readonly notIn: readonly string[];
}

const CODES = JSON.parse(
  readFileSync(new URL("../../src/analysis/test-packs/codes/codes.json", import.meta.url), "utf8"),
) as readonly Code[];

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("codes", {
    language: "en",
    enable_language_stemming: true,
    search_fields: ["text"],
    fields: { id: { type: "text" }, text: { type: "text" } },
  });
  await server.addCommitted("codes", [
    ...CODES.flatMap(({ notIn }, i) => notIn.map((text, j) => ({ id: `other-${i}-${j}`, text }))),
    ...CODES.map(({ code }, i) => ({ id: `code-${i}`, text: code.replace(/^=/, "") })),
  ]);
});
afterAll(() => server.stopAndRemove());

async function hitsOf(mode: "exact" | "fuzzy" | "dynamic", ctx: string): Promise<ParsedJson[]> {
  const body = { query: { [mode]: { ctx } }, limit: 200 };
  const answer = await server.post("/index/codes/search", body, READ);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.hits;
}

const idsOf = (hits: readonly ParsedJson[]): string[] => hits.map(({ doc }) => doc.id);

/** Those that share the greatest score. */
function best(hits: readonly ParsedJson[]): string[] {
  return idsOf(hits.filter(({ score }) => score === hits[0]!.score));
}

describe("each code finds its document", () => {
  test.each(CODES.map(({ code }, i) => [code, i] as const))("%s", async (code, i) => {
    const quoted = `"${code.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
    // Stopwords in a phrase are any word (contract 5.4), so that others may be found as well, and before it.
    expect(idsOf(await hitsOf("exact", quoted))).toContain(`code-${i}`);
    expect(idsOf(await hitsOf("dynamic", code))).toContain(`code-${i}`);
    const fuzzy = best(await hitsOf("fuzzy", code));
    expect(fuzzy).toContain(`code-${i}`);
    // What is written in several parts may have them in any order.
    if (/\s/.test(code)) return;
    expect(fuzzy.filter((id) => id.startsWith(`other-${i}-`))).toEqual([]);
  });
});
