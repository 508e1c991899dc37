// Proves: a data folder of every format that was ever released opens in place, complete; one that is newer than this
// build is refused, and no byte of it changes.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileCatalog } from "../../src/adapters/catalog/file-catalog.js";
import { FileDirectory } from "../../src/engine/directory/file-directory.js";
import { checkIndex } from "../../src/engine/inspect/check-index.js";
import { filesBelow } from "../kit/files-below.js";
import { eventsOnceThere } from "../wire/measured-events.js";
import { type ParsedJson, WireServer } from "../wire/wire-server.js";
import { NEWER_VERSIONS } from "./newer-versions.js";

const FORMATS = fileURLToPath(new URL(".", import.meta.url));

/** What a build recorded of the data folder that it made. */
interface Expected {
  readonly adminKey: string;
  readonly secretKey: string;
  readonly llmApiKey: string;
  readonly committed: readonly Recorded[];
  readonly afterCommit: readonly Recorded[];
  /** By name. */
  readonly events: Readonly<Record<string, number>>;
}

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly data: unknown;
}

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-formats-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const formats = readdirSync(FORMATS, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test("there are saved formats", () => {
  expect(formats.length).toBeGreaterThan(0);
});

describe.each(formats.map(({ name }) => name))("%s", (format) => {
  const expected = JSON.parse(readFileSync(join(FORMATS, format, "expected.json"), "utf8")) as Expected;
  beforeEach(() => cpSync(join(FORMATS, format, "data"), folder, { recursive: true }));

  const countUnbound = async (): Promise<number> => {
    let count = 0;
    for (const name of readdirSync(join(folder, "indexes"))) {
      count += (await checkIndex(FileDirectory.of(join(folder, "indexes", name)), name)).unbound.length;
    }
    return count;
  };

  const start = (): Promise<WireServer> =>
    WireServer.start({ adminKey: expected.adminKey, secretKey: expected.secretKey }, { folder });

  test("opens in place, with all that was committed, and what was pending to be committed", async () => {
    const unboundBefore = await countUnbound();
    expect(unboundBefore).toBeGreaterThan(0);
    const server = await start();
    try {
      await expectAnswers(server, expected.committed, expected.adminKey);
      for (const index of ["shop", "english"]) {
        const answer = await server.post(`/index/${index}/commit`, undefined, expected.adminKey);
        expect(answer.status).toBe(200);
      }
      await expectAnswers(server, expected.afterCommit, expected.adminKey);
    } finally {
      await server.stop();
    }
    const again = await start();
    try {
      await expectAnswers(again, expected.afterCommit, expected.adminKey);
    } finally {
      await again.stop();
    }
    for (const name of readdirSync(join(folder, "indexes"))) {
      expect((await checkIndex(FileDirectory.of(join(folder, "indexes", name)), name)).problems).toEqual([]);
    }
    // Whatever was written since says whose it is: commit points at least.
    expect(await countUnbound()).toBeLessThan(unboundBefore);
  });

  test("opens the secrets that it holds", async () => {
    const keyFile = join(folder, "secret.key");
    const catalog = await FileCatalog.open(join(folder, "catalog"), {
      keyFile,
      configuredKey: expected.secretKey,
    });
    await catalog.close();
    expect(catalog.openLlmApiKey("shop", catalog.index("shop")!.schema.ai!)).toBe(expected.llmApiKey);
  });

  test("brings waiting usage events to those that are stored", async () => {
    const server = await start();
    try {
      const total = Object.values(expected.events).reduce((sum, count) => sum + count, 0);
      const all = "?date_start=2020-01-01&date_end=2200-01-01";
      const counts: Record<string, number> = {};
      for (const { eventName } of await eventsOnceThere(server, total, all, expected.adminKey)) {
        counts[eventName] = (counts[eventName] ?? 0) + 1;
      }
      expect(counts).toEqual(expected.events);
    } finally {
      await server.stop();
    }
  });
});

test("facet values that are longer than they may be now are searched, counted to their limits and committed", async () => {
  cpSync(join(FORMATS, "2-c84ed5b", "deep-facets", "data"), folder, { recursive: true });
  const key = "fixture-admin-key-0123456789";
  const server = await WireServer.start({ adminKey: key, secretKey: "f1c5".repeat(16) }, { folder });
  try {
    const query = { query: { exact: { ctx: "winter" } }, facets: { path: true } };
    for (const count of [3, 4]) {
      const found = await server.post("/index/bomb/search", query, key);
      expect([found.status, found.json.data.count]).toEqual([200, count]);
      expect(JSON.stringify(found.json.data.facets)).toContain("/b");
      expect((await server.post("/index/bomb/commit", undefined, key)).status).toBe(200);
    }
    const under = { query: { exact: { ctx: "path:/a/a/a" } } };
    expect((await server.post("/index/bomb/search", under, key)).json.data.count).toBe(2);
    const refused = { id: "5", title: "winter", path: ["/a".repeat(300)] };
    expect((await server.post("/index/bomb/documents", refused, key)).status).toBe(400);
  } finally {
    await server.stop();
  }
  for (const name of readdirSync(join(folder, "indexes")))
    expect((await checkIndex(FileDirectory.of(join(folder, "indexes", name)), name)).problems).toEqual([]);
});

describe("files of a newer version", () => {
  const format = formats.at(-1)!.name;
  const expected = JSON.parse(readFileSync(join(FORMATS, format, "expected.json"), "utf8")) as Expected;
  beforeEach(() => cpSync(join(FORMATS, format, "data"), folder, { recursive: true }));

  test.each(NEWER_VERSIONS)("$kind", async ({ files, raise, isCatalog }) => {
    const names = [...filesBelow(folder).keys()].filter((path) => files.test(path));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) writeFileSync(name, raise(readFileSync(name)));
    const before = filesBelow(folder);
    const settings = { adminKey: expected.adminKey, secretKey: expected.secretKey };
    if (isCatalog) {
      await expect(WireServer.start(settings, { folder })).rejects.toThrow(/format 99 is not known/);
    } else {
      const server = await WireServer.start(settings, { folder });
      try {
        const query = { query: { exact: { ctx: "*" } } };
        const found = await server.post("/index/shop/search", query, expected.adminKey);
        expect([found.status, found.json.data.code]).toEqual([500, "storage_corrupt"]);
        const wrote = await server.post("/index/shop/documents", { id: "new" }, expected.adminKey);
        expect([wrote.status, wrote.json.data.code]).toEqual([500, "storage_corrupt"]);
      } finally {
        await server.stop();
      }
      expect(server.logLines.join("")).toMatch(/version (is )?99, this (program|build) reads/);
    }
    expectUnchanged(before, new Set(names.map((name) => dirname(name))));
  });
});

/** Whatever was in the folders of files that are of a newer version is there. */
function expectUnchanged(before: ReadonlyMap<string, Buffer>, folders: ReadonlySet<string>): void {
  const after = filesBelow(folder);
  for (const [path, bytes] of before) {
    if (!folders.has(dirname(path))) continue;
    expect([path, after.get(path)?.equals(bytes)]).toEqual([path, true]);
  }
}

async function expectAnswers(server: WireServer, recorded: readonly Recorded[], key: string): Promise<void> {
  for (const { method, path, body, data } of recorded) {
    // Languages' lists are others since; what somebody added is asked for by searches.
    if (path.endsWith("/stopwords")) continue;
    const answer = await server.send(method, path, { key, body });
    expect(answer.status, answer.text).toBe(200);
    const isStemmed = STEMMED.test(path);
    const found = recordedOf(answer.json.data);
    expect(isStemmed ? unordered(found) : found, `${path} ${JSON.stringify(body)}`).toEqual(
      path.startsWith("/auth/") ? withIds(data) : isStemmed ? unordered(data) : data,
    );
  }
}

/** Searches of indexes with stemming: words as they are written come before others of their stem since. */
const STEMMED = /^\/(index\/(german|english)|federation\/both)\/search$/;

function unordered({ docs, ids, ...rest }: ParsedJson): unknown {
  const sorted = (list: readonly ParsedJson[] | undefined): readonly ParsedJson[] | undefined =>
    list?.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...rest, docs: sorted(docs), ids: sorted(ids) };
}

/** Access keys have ids since. */
function withIds(keys: unknown): unknown {
  return (keys as readonly object[]).map((key) => ({ ...key, id: expect.stringMatching(/^[0-9a-f]{16}$/) }));
}

/** As in `make-fixture.mjs`. */
function recordedOf(data: ParsedJson): unknown {
  if (data.hits === undefined) return data;
  const docs = data.hits.map(({ doc }: ParsedJson) => doc);
  if (docs.length <= 3) return { count: data.count, docs };
  return { count: data.count, facets: data.facets, ids: docs.map(({ id }: ParsedJson) => id) };
}
