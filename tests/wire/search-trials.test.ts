// A search may try settings that the index doesn't have, and be told where its time went.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  for (const name of ["books", "films"]) {
    await server.createIndex(name, {
      fields: { id: { type: "text" }, title: { type: "text" }, body: { type: "text" } },
      weight_multipliers: { title: 3 },
    });
    await server.addCommitted(name, [
      { id: "1", title: "garden", body: "about nothing else" },
      { id: "2", title: "about nothing", body: "garden garden" },
      { id: "3", title: "yard", body: "something" },
    ]);
    await server.post(`/index/${name}/synonyms`, ["garden:yard"]);
  }
  const members = ["books", "films"].map((name) => ({ name }));
  await server.post("/federation", { name: "all", index_configurations: members });
});
afterAll(() => server.stopAndRemove());

const TARGETS = ["/index/books/search", "/federation/all/search"];

const idsOf = async (path: string, body: object): Promise<string[]> => {
  const answer = await server.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.hits
    .filter(({ source_index }: { source_index: string }) => source_index === "books")
    .map(({ doc }: { doc: { id: string } }) => doc.id);
};

describe.each(TARGETS)("%s", (path) => {
  test("weight_multipliers take the place of the index's, for this search alone", async () => {
    const query = { fuzzy: { ctx: "garden" } };
    const own = await idsOf(path, { query, synonyms: false });
    expect(own).toEqual(["1", "2"]);
    expect(await idsOf(path, { query, synonyms: false, weight_multipliers: { title: 0.1 } })).toEqual([
      "2",
      "1",
    ]);
    expect(await idsOf(path, { query, synonyms: false, weight_multipliers: { body: 50 } })).toEqual([
      "2",
      "1",
    ]);
    expect(await idsOf(path, { query, synonyms: false })).toEqual(own);
  });

  test("they are the same as the index's own would be", async () => {
    const query = { fuzzy: { ctx: "garden nothing" } };
    const asked = (await server.post(path, { query, weight_multipliers: { title: 3, body: 1 } })).json.data;
    const own = (await server.post(path, { query })).json.data;
    expect(asked.hits).toEqual(own.hits);
  });

  test("synonyms: false leaves them out", async () => {
    for (const query of ["garden", { fuzzy: { ctx: "garden" } }]) {
      expect((await idsOf(path, { query })).toSorted()).toEqual(["1", "2", "3"]);
      expect((await idsOf(path, { query, synonyms: true })).toSorted()).toEqual(["1", "2", "3"]);
      expect((await idsOf(path, { query, synonyms: false })).toSorted()).toEqual(["1", "2"]);
    }
  });

  test("profile tells the phases, in order, and nothing else changes", async () => {
    const body = { query: { fuzzy: { ctx: "gardn" } }, highlight: true, explain: true };
    const plain = (await server.post(path, body)).json.data;
    for (let i = 0; i < 3; i++) {
      const { profile, time_taken, ...rest } = (await server.post(path, { ...body, profile: true })).json
        .data;
      expect(profile.phases.map(({ name }: { name: string }) => name)).toEqual([
        "read",
        "compile",
        "wait",
        "match",
        "documents",
        "show",
      ]);
      const ms = profile.phases.map((phase: { ms: number }) => phase.ms);
      expect(ms.every((each: number) => each >= 0)).toBe(true);
      expect(ms.reduce((sum: number, each: number) => sum + each, 0)).toBeLessThanOrEqual(
        time_taken * 1000 + 0.1,
      );
      expect(rest).toEqual({ hits: plain.hits, count: plain.count });
    }
    expect(plain.profile).toBeUndefined();
  });

  test.each([
    [{ weight_multipliers: 7 }],
    [{ weight_multipliers: { title: -1 } }],
    [{ weight_multipliers: { title: 101 } }],
    [{ weight_multipliers: { title: "2" } }],
    [{ synonyms: "no" }],
    [{ profile: 1 }],
  ])("refuses %j", async (members) => {
    expectError(await server.post(path, { query: "garden", ...members }), 400, "invalid_request");
  });
});

test("an index refuses weights of fields that it doesn't have; a federation passes over them", async () => {
  const body = { query: "garden", weight_multipliers: { titel: 2 } };
  expectError(await server.post("/index/books/search", body), 400, "unknown_field");
  expect((await server.post("/federation/all/search", body)).status).toBe(200);
});
