/** Cursors that one server begins and another reads on, of indexes and federations, whatever happens meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSearchHindrance } from "../../kit/opensearch-node.js";
import { expectError } from "../../wire/expect-error.js";
import type { ParsedJson, WireServer } from "../../wire/wire-server.js";
import { startTwoServers, type TwoServers } from "./two-servers.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;

describe.skipIf(hindrance !== undefined)(title, () => {
  let two: TwoServers;
  let servers: readonly [WireServer, WireServer];

  beforeAll(async () => {
    two = await startTwoServers();
    ({ servers } = two);
    for (const name of ["books", "films"]) {
      await servers[0].createIndex(name);
      const ids = Array.from({ length: 20 }, (_, i) => `${name}-${i}`);
      await servers[0].addCommitted(
        name,
        ids.map((id, i) => ({ id, title: "tale ".repeat(1 + (i % 3)) })),
      );
    }
    const members = [{ name: "books" }, { name: "films" }];
    await servers[0].post("/federation", { name: "both", index_configurations: members });
    await two.bothKnow("/federation/both");
  });
  afterAll(() => two?.stop());

  const page = async (server: WireServer, path: string, body: object): Promise<ParsedJson> => {
    const answer = await server.post(`/${path}/search`, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data;
  };
  const idsOf = ({ hits }: ParsedJson): string[] => hits.map((hit: ParsedJson) => hit.doc.id);
  const TALES = { query: { fuzzy: { ctx: "tale" } } };

  /** Every page by the other server than the one before it. */
  async function readInTurn(path: string, between: (page: number) => Promise<void>): Promise<string[]> {
    let last = await page(servers[0], path, { ...TALES, limit: 6, cursor: true, explain: true });
    const ids = idsOf(last);
    for (let i = 1; last.cursor !== undefined; i++) {
      await between(i);
      last = await page(servers[i % 2]!, path, { cursor: last.cursor });
      ids.push(...idsOf(last));
    }
    return ids;
  }

  test.each(["index/books", "federation/both"])("%s is read in turn", async (path) => {
    const whole = idsOf(await page(servers[0], path, { ...TALES, limit: 200 }));
    expect(await readInTurn(path, async () => undefined)).toEqual(whole);
  });

  test("where the cluster has lost the point in time, another one shows the same documents", async () => {
    const whole = idsOf(await page(servers[0], "federation/both", { ...TALES, limit: 200 }));
    const ids = await readInTurn("federation/both", async (i) => {
      if (i > 2) return;
      await servers[1].post("/index/films/documents", [{ id: `late-${i}`, title: "tale" }]);
      await servers[0].post("/index/films/commit");
      await two.cluster.request("DELETE", "/_search/point_in_time/_all");
    });
    expect(ids.toSorted()).toEqual(whole.toSorted());
  });

  test("is read to its end once the index is gone, and only once to its end", async () => {
    const whole = idsOf(await page(servers[0], "index/films", { ...TALES, limit: 200 }));
    const first = await page(servers[1], "index/films", { ...TALES, limit: 15, cursor: true });
    const { cursor } = first;
    expect((await servers[0].delete("/index/films")).status).toBe(200);
    const second = await page(servers[0], "index/films", { cursor, limit: 100 });
    expect([...idsOf(first), ...idsOf(second)]).toEqual(whole);
    expect(second).not.toHaveProperty("cursor");
    for (const server of servers) {
      expectError(await server.post("/index/books/search", { cursor }), 400, "cursor_expired");
    }
  });
});
