// `cursor`: every page is as of the moment of the first, whatever is written, rewritten or dropped meanwhile.
import { readdirSync, readlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { ADMIN, isOnCluster, type ParsedJson, READ, type WireAnswer, WireServer } from "./wire-server.js";

const FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  note: { type: "text" },
  n: { type: "u64", fast: true },
  kind: { type: "facet" },
};
const COUNT = 25;

let server: WireServer;
let made = 0;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

/** A new index of 25 documents in three segments. */
async function newIndex(): Promise<string> {
  const name = `index${++made}`;
  await server.createIndex(name, { fields: FIELDS, search_fields: ["title"] });
  const documents = Array.from({ length: COUNT }, (_, i) => ({
    id: String(i),
    title: "running ".repeat(1 + (i % 4)),
    note: "kept",
    n: i % 5,
    kind: i % 2 === 0 ? "/even" : "/odd",
  }));
  for (let from = 0; from < COUNT; from += 10)
    await server.addCommitted(name, documents.slice(from, from + 10));
  return name;
}

const RUNNING = { query: { exact: { ctx: "running" } } };
const post = (path: string, body: object, key = READ): Promise<WireAnswer> =>
  server.post(`/${path}/search`, body, key);
async function page(path: string, body: object): Promise<ParsedJson> {
  const answer = await post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

/** The pages from the first on, each asked for after `between`. */
async function readAll(
  path: string,
  first: object,
  between: (pages: number) => Promise<unknown> = async () => undefined,
): Promise<ParsedJson[]> {
  const pages = [await page(path, { ...first, cursor: true })];
  while (pages.at(-1).cursor !== undefined) {
    await between(pages.length);
    pages.push(await page(path, { cursor: pages.at(-1).cursor }));
  }
  return pages;
}

describe("the pages of a cursor", () => {
  test.each<[string, object]>([
    ["by relevance", {}],
    ["by a value", { order_by: "n" }],
    ["by several", { order_by: ["n:asc", "_score", "title"] }],
    ["from an offset, shown as asked", { offset: 3, highlight: true, fields: ["id"], explain: true }],
    ["with chosen facets", { facets: { kind: { own_filter: false } } }],
  ])("put together are one big page, %s", async (_, more) => {
    const path = `index/${await newIndex()}`;
    const whole = await page(path, { ...RUNNING, ...more, limit: 200 });
    const pages = await readAll(path, { ...RUNNING, ...more, limit: 4 });
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.flatMap(({ hits }) => hits)).toEqual(whole.hits);
    for (const { count, facets, hits } of pages) {
      expect(count).toBe(COUNT);
      expect(facets).toEqual(whole.facets);
      expect(hits.length).toBeLessThanOrEqual(4);
    }
    expect(new Set(pages.map((each) => each.time_taken)).size).toBe(pages.length);
  });

  test("are of the first one's moment: through commits, deletes, a new analysis, a replacement and the end of the index", async () => {
    const name = await newIndex();
    const path = `index/${name}`;
    const whole = await page(path, { ...RUNNING, limit: 200, highlight: true });
    const steps: (() => Promise<WireAnswer>)[] = [
      () => server.post(`/index/${name}/documents`, [{ id: "new", title: "running" }]),
      () => server.post(`/index/${name}/commit`),
      () => server.delete(`/index/${name}/documents/query`, { query: { exact: { ctx: "id:20" } } }),
      () => server.post(`/index/${name}/commit`),
      () => server.patch(`/index/${name}`, { language: "en", enable_language_stemming: true }),
      () => server.delete(`/index/${name}/documents/all`),
      () => server.post(`/index/${name}/commit`),
      () => server.put(`/index/${name}`, { index: { fields: { id: { type: "text" } } } }),
      () => server.delete(`/index/${name}`),
    ];
    const pages = await readAll(path, { ...RUNNING, limit: 2, highlight: true }, async (done) => {
      const answer = await steps[done - 1]?.();
      expect(answer?.status ?? 200, answer?.text).toBe(200);
    });
    expect(pages.length).toBeGreaterThan(steps.length + 2);
    expect(pages.flatMap(({ hits }) => hits)).toEqual(whole.hits);
    expectError(await post(path, RUNNING, ADMIN), 404, "index_not_found");
  });

  test("can be asked for again, with another limit, too", async () => {
    const path = `index/${await newIndex()}`;
    const first = await page(path, { ...RUNNING, limit: 5, cursor: true });
    const second = await page(path, { cursor: first.cursor });
    const again = await page(path, { cursor: first.cursor });
    expect({ ...again, time_taken: 0 }).toEqual({ ...second, time_taken: 0 });
    const wide = await page(path, { cursor: first.cursor, limit: 12 });
    expect(wide.hits).toHaveLength(12);
    const after = await page(path, { cursor: wide.cursor });
    expect(after.hits).toHaveLength(5);
    const rest = await page(path, { cursor: after.cursor, limit: 200 });
    expect(rest.hits).toHaveLength(3);
    expect(rest).not.toHaveProperty("cursor");
  });

  test("work in a federation", async () => {
    const names = [await newIndex(), await newIndex()];
    const federation = { name: "two", index_configurations: names.map((name) => ({ name })) };
    await server.post("/federation", federation);
    const path = "federation/two";
    for (const more of [{}, { order_by: ["n", "id:asc"] }]) {
      const whole = await page(path, { ...RUNNING, ...more, limit: 200 });
      const pages = await readAll(path, { ...RUNNING, ...more, limit: 7 });
      expect(pages.flatMap(({ hits }) => hits)).toEqual(whole.hits);
      expect(pages[3].facets).toEqual(whole.facets);
    }
    const pages = await readAll(path, { ...RUNNING, limit: 7 }, () => server.delete(`/index/${names[0]}`));
    expect(pages.flatMap(({ hits }) => hits)).toHaveLength(2 * COUNT);
    expect(await page(path, { query: { exact: { ctx: "nowhere:1" } }, cursor: true })).toEqual({
      hits: [],
      count: 0,
      time_taken: expect.any(Number),
      facets: [{ kind: [] }],
    });
  });
});

test("there is no cursor where it isn't asked for, or nothing follows", async () => {
  const path = `index/${await newIndex()}`;
  for (const body of [
    { ...RUNNING, limit: 2 },
    { ...RUNNING, limit: 2, cursor: false },
    { ...RUNNING, limit: COUNT, cursor: true },
    { ...RUNNING, offset: 1000, cursor: true },
    { query: "nothing", cursor: true },
  ]) {
    expect(await page(path, body)).not.toHaveProperty("cursor");
  }
});

test("a cursor is good at its path only, until its end", async () => {
  const name = await newIndex();
  const other = await newIndex();
  const { cursor } = await page(`index/${name}`, { ...RUNNING, limit: 20, cursor: true });
  expectError(await post(`index/${other}`, { cursor }), 400, "cursor_expired");
  expectError(await post("index/nowhere", { cursor }, ADMIN), 404, "index_not_found");
  expectError(await post("federation/nowhere", { cursor }, ADMIN), 404, "federation_not_found");
  const last = await page(`index/${name}`, { cursor });
  expect(last.hits).toHaveLength(5);
  const ended = await post(`index/${name}`, { cursor });
  expectError(ended, 400, "cursor_expired");
  expect(ended.json.message).toContain("'cursor': true");
});

test("a key reads on only what is in its scope", async () => {
  const names = [await newIndex(), await newIndex()];
  await server.post("/federation", { name: "scoped", index_configurations: names.map((name) => ({ name })) });
  const created = await server.post("/auth/key", {
    name: "narrow",
    permissions: 1,
    allowed_indexes: [names[1]],
  });
  const { key } = created.json.data;
  const { cursor } = await page("federation/scoped", { ...RUNNING, limit: 5, cursor: true });
  expectError(await post("federation/scoped", { cursor }, key), 403, "index_not_allowed");
  await server.put("/federation/scoped", { index_configurations: [{ name: names[1] }] });
  expect((await post("federation/scoped", { ...RUNNING }, key)).status).toBe(200);
  // The cursor goes on with both.
  expectError(await post("federation/scoped", { cursor }, key), 403, "index_not_allowed");
  expect((await page("federation/scoped", { cursor })).hits).toHaveLength(5);
});

describe("is refused:", () => {
  test.each<[object, string]>([
    [{ ...RUNNING, cursor: 1 }, "cursor"],
    [{ ...RUNNING, cursor: {} }, "cursor"],
    [{ ...RUNNING, cursor: true, limit: 0 }, "limit"],
    [{ cursor: true }, "query"],
    [{ cursor: 5 }, "cursor"],
    [{ cursor: ["x"], limit: 5 }, "cursor"],
    [{ cursor: "x", limit: 0 }, "limit"],
    [{ cursor: "x", limit: "5" }, "limit"],
    [{ ...RUNNING, cursor: "x" }, "query"],
    [{ cursor: "x", offset: 5 }, "offset"],
    [{ cursor: "x", order_by: "n" }, "order_by"],
    [{ cursor: "x", fields: ["id"] }, "fields"],
  ])("%j", async (body, place) => {
    const answer = await post(`index/index1`, body);
    expectError(answer, 400, "invalid_request");
    expect(answer.json.message).toMatch(new RegExp(`^'${place}'`));
  });

  test("a token that leads nowhere, whatever it looks like; a limit above the greatest", async () => {
    const { cursor } = await page("index/index1", { ...RUNNING, limit: 2, cursor: true });
    const [id, position] = cursor.split(".");
    const bad = [
      "",
      "x",
      id,
      `${id}.`,
      `${id}.zz`,
      `${id}.-1`,
      `${id.slice(1)}A.${position}`,
      `.${position}`,
    ];
    for (const token of [...bad, "é".repeat(24), "a".repeat(100_000)]) {
      expectError(await post("index/index1", { cursor: token }), 400, "cursor_expired");
    }
    expectError(await post("index/index1", { cursor, limit: 201 }), 400, "limit_too_large");
    expect((await page("index/index1", { cursor, fields: null, more: 1 })).hits).toHaveLength(2);
  });
});

function openFiles(folder: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(folder) && target.includes(".doc") ? [target] : [];
    } catch {
      return [];
    }
  });
}

test.runIf(process.platform === "linux" && !isOnCluster())(
  "closed cursors leave no file open: at the end, and at the stop",
  async () => {
    const own = await WireServer.start();
    const create = async (name: string): Promise<void> => {
      await own.createIndex(name, { fields: FIELDS });
      await own.addCommitted(name, [{ id: "a" }, { id: "b" }, { id: "c" }]);
    };
    const all = { query: { exact: { ctx: "*" } }, limit: 1, cursor: true };
    const search = async (name: string, body: object): Promise<ParsedJson> =>
      (await own.post(`/index/${name}/search`, body)).json.data;
    await create("one");
    await create("two");
    const { cursor } = await search("one", all);
    expect((await search("two", all)).cursor).toEqual(expect.any(String));
    await own.delete("/index/one");
    // Each thread that knows an index has its files open; of the deleted one it is the cursor's alone.
    const isDeleted = (file: string): boolean => file.endsWith(" (deleted)");
    const deleted = (): readonly string[] => openFiles(own.folder).filter(isDeleted);
    // Polled: other threads let go of it when they are told, as far as they knew it.
    await expect.poll(deleted).toHaveLength(1);
    expect((await search("one", { cursor, limit: 5 })).hits).toHaveLength(2);
    await expect.poll(deleted).toEqual([]);
    expect(openFiles(own.folder)).not.toEqual([]);
    await own.stopAndRemove();
    expect(openFiles(own.folder)).toEqual([]);
  },
);
