import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/errors/index.js";
import { expectError } from "./expect-error.js";
import type { WireServer } from "./wire-server.js";

const DOCUMENTS = [
  {
    id: "a-1",
    title: "red shoes",
    body: "comfortable leather",
    tags: ["evolution", "deep space"],
    kind: "/clothes/shoes",
    active: true,
    price: 10,
    balance: -5,
    rating: 4.5,
    at: "2024-01-01T00:00:00Z",
  },
  {
    id: "b-2",
    title: "blue shoes",
    kind: ["/clothes/shoes", "/sale"],
    active: false,
    price: 20,
    balance: 0,
    rating: 9,
    at: "2024-06-01T12:30:00Z",
  },
  {
    id: "c-3",
    title: "red hat",
    body: "winter",
    kind: "/clothes/hats",
    price: 30,
    balance: 7,
    rating: 9.5,
    at: "2024-12-31T23:59:59Z",
    seen: "2024-05-01T00:00:00.123Z",
  },
  {
    id: "d-4",
    title: "wi-fi router",
    body: "desert winter",
    kind: "/electronics/New York",
    active: true,
    price: 40,
  },
  { id: "e-5", title: "lord of the rings", tags: ["colonization"], price: 50 },
  { id: "f-6", title: "wi fight", body: "engine desert", hidden: "engine" },
];

/** Makes the index `shop` with those documents, small enough to check every answer by eye. */
export async function createShop(server: WireServer): Promise<void> {
  await server.createIndex("shop", {
    fields: {
      id: { type: "text", indexed: false },
      title: { type: "text" },
      body: { type: "text" },
      tags: { type: "text", multi: true },
      kind: { type: "facet", multi: true },
      active: { type: "bool" },
      price: { type: "u64" },
      balance: { type: "i64" },
      rating: { type: "f64" },
      at: { type: "datetime" },
      seen: { type: "datetime", precision: "milliseconds" },
      hidden: { type: "text", indexed: false },
      raw: { type: "json" },
      blob: { type: "bytes" },
    },
  });
  await server.addCommitted("shop", DOCUMENTS);
}

/** The first letters of the matching documents' ids, in order of the alphabet. */
export async function foundInShop(server: WireServer, ctx: string): Promise<string> {
  const ids = (await server.idsOf("shop", ctx)) as string[];
  return ids
    .map((id) => id.charAt(0))
    .toSorted()
    .join("");
}

export interface ShopRules {
  /** Tests that each query string finds the documents of these letters. */
  rule(name: string, cases: readonly (readonly [ctx: string, expected: string])[]): void;
  /** Tests that each query string is 400 with the code; a syntax error names its character. */
  refused(name: string, cases: readonly string[], code: ErrorCode): void;
}

/** @param server asked for when a test runs */
export function shopRules(server: () => WireServer): ShopRules {
  return {
    rule(name, cases) {
      describe(name, () => {
        test.each(cases)("%s finds '%s'", async (ctx, expected) =>
          expect(await foundInShop(server(), ctx)).toBe(expected),
        );
      });
    },
    refused(name, cases, code) {
      test.each(cases)(`${name}: %s`, async (ctx) => {
        const answer = await server().post("/index/shop/search", { query: { exact: { ctx } } });
        expectError(answer, 400, code);
        if (code === "query_syntax") expect(answer.json.message).toMatch(/at character [1-9][0-9]*: /);
      });
    },
  };
}
