/** Searches go by the state that a server saw last, and yet see what others have committed before they begin. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSearchHindrance } from "../../kit/opensearch-node.js";
import { expectError } from "../../wire/expect-error.js";
import type { ParsedJson, WireServer } from "../../wire/wire-server.js";
import { startTwoServers, type TwoServers } from "./two-servers.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;
const COMMITS = 5;

describe.skipIf(hindrance !== undefined)(title, () => {
  let two: TwoServers;
  let servers: readonly [WireServer, WireServer];

  beforeAll(async () => {
    two = await startTwoServers();
    ({ servers } = two);
    await servers[0].createIndex("books");
    await two.bothKnow("/index/books");
  });
  afterAll(() => two?.stop());

  const search = async (server: WireServer, ctx: string): Promise<ParsedJson> => {
    const answer = await server.post("/index/books/search", { query: { exact: { ctx } } });
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data;
  };

  test("a commit of one is seen by the other's next search", async () => {
    for (let commits = 1; commits <= COMMITS; commits++) {
      const [writer, reader] = commits % 2 === 0 ? servers : servers.toReversed();
      await writer!.addCommitted("books", [{ id: `b${commits}`, title: `tale number${commits}` }]);
      const { count, hits } = await search(reader!, "tale");
      expect(count).toBe(commits);
      expect(hits).toHaveLength(commits);
      // Statistics are of the same moment: the words of the writer's own searches, too.
      const [own] = (await search(writer!, "tale")).hits;
      expect(hits[0].score).toBeCloseTo(own.score, 4);
    }
  });

  test("what is pending or rolled back is not seen", async () => {
    await servers[0].post("/index/books/documents", [{ id: "late", title: "tale" }]);
    expect((await search(servers[1], "tale")).count).toBe(COMMITS);
    await servers[0].post("/index/books/rollback");
    expect((await search(servers[1], "tale")).count).toBe(COMMITS);
  });

  test("an index that the other has deleted is not found", async () => {
    await search(servers[1], "tale");
    expect((await servers[0].delete("/index/books")).status).toBe(200);
    await expect
      .poll(async () => (await servers[1].post("/index/books/search", {})).status, { timeout: 60_000 })
      .toBe(404);
    expectError(await servers[1].post("/index/books/search", { query: { exact: { ctx: "tale" } } }), 404);
  });
});
