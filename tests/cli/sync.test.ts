/** `findling sync` and `import --replace`: an index equal to its source in one commit, or as it was. */
import type { ChildProcess } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CliError } from "../../src/cli/cli-error.js";
import { type ImportOptions, runImport } from "../../src/cli/commands/import-command.js";
import { runSync, type SyncOptions } from "../../src/cli/commands/sync-command.js";
import { Output } from "../../src/cli/terminal/output.js";
import { ADMIN, type ParsedJson, WireServer } from "../wire/wire-server.js";
import { resultOf, spawnCli } from "./cli-harness.js";
import { type Fault, FaultyProxy } from "./faulty-proxy.js";

interface Item {
  readonly sku: string;
  readonly title?: string;
  readonly price?: number;
}

let server: WireServer;
let folder = "";
let index = "";
let count = 0;
beforeAll(async () => {
  server = await WireServer.start();
  folder = await mkdtemp(join(tmpdir(), "findling-sync-test-"));
});
afterAll(async () => {
  await server.stopAndRemove();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  index = `sync-${++count}`;
});

class Said extends Output {
  readonly notes: string[] = [];
  results: ParsedJson = undefined;

  constructor() {
    super(false);
  }

  override result(value: object): void {
    this.results = value;
  }

  override note(text: string): void {
    this.notes.push(text);
  }
}

/** A later run takes away what the killed one has left for longer than any run takes to claim its folder. */
async function expectLeftGone(path: string): Promise<void> {
  const left = async (): Promise<readonly string[]> =>
    (await readdir(folder)).filter((name) => /^findling-sync-[A-Za-z0-9]{6}$/.test(name));
  const names = await left();
  expect(names).toHaveLength(1);
  await utimes(join(folder, names[0]!), 1_000_000, 1_000_000);
  const options = ["--index", index, "--url", url(), "--key", ADMIN, "--primary-key", "sku", "--dry-run"];
  await resultOf(spawnCli(["sync", path, ...options], { env: { TMPDIR: folder } }));
  expect(await left()).toEqual([]);
}

const url = (): string => `http://127.0.0.1:${server.running.address.port}`;

async function sync(sources: readonly string[], options: Partial<SyncOptions> = {}): Promise<ParsedJson> {
  const said = new Said();
  await runSync(sources, { index, url: url(), key: ADMIN, primaryKey: "sku", ...options }, said);
  return { ...said.results, notes: said.notes };
}

async function refusal(work: Promise<unknown>): Promise<CliError> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof CliError) return failure;
  throw new Error("it wasn't refused", { cause: failure });
}

async function file(name: string, items: readonly object[]): Promise<string> {
  const path = join(folder, `${index}-${name}`);
  await writeFile(path, items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  return path;
}

/** What the index shows, by key, with the internal ids. */
async function shown(): Promise<Map<string, { doc: Item; id: string }>> {
  const found = new Map<string, { doc: Item; id: string }>();
  for (let offset = 0; ; offset += 100) {
    const body = { query: { exact: { ctx: "*" } }, limit: 100, offset, facets: false };
    const { hits } = (await server.post(`/index/${index}/search`, body)).json.data;
    for (const { doc, document_id } of hits) {
      expect(found.has(doc.sku)).toBe(false);
      found.set(doc.sku, { doc, id: document_id });
    }
    if (hits.length < 100) return found;
  }
}

const docs = async (): Promise<Item[]> => [...(await shown()).values()].map(({ doc }) => doc);

const ITEMS: readonly Item[] = [
  { sku: "a", title: "one", price: 1.5 },
  { sku: "b", title: "two", price: 2.5 },
  { sku: "c", title: "three", price: 3.5 },
];
const NEXT: readonly Item[] = [
  { sku: "b", title: "two", price: 2.5 },
  { sku: "c", title: "three again", price: 3.5 },
  { sku: "d", title: "four", price: 4.5 },
];

describe("findling sync", () => {
  test("makes the index, then adds, replaces and deletes what differs and leaves the rest", async () => {
    expect(await sync([await file("1.ndjson", ITEMS)])).toMatchObject({ created: true, added: 3 });
    const before = await shown();
    const result = await sync([await file("2.ndjson", NEXT)]);
    expect(result).toMatchObject({ created: false, added: 1, replaced: 1, deleted: 1, unchanged: 1 });
    const after = await shown();
    expect([...after.values()].map(({ doc }) => doc).sort((x, y) => x.sku.localeCompare(y.sku))).toEqual(
      NEXT,
    );
    expect(after.get("b")!.id).toBe(before.get("b")!.id);
    expect(after.get("c")!.id).not.toBe(before.get("c")!.id);
    expect(await sync([await file("2.ndjson", NEXT)])).toMatchObject({
      added: 0,
      replaced: 0,
      deleted: 0,
      unchanged: 3,
    });
  });

  test("a dry run says the same and changes nothing", async () => {
    const empty = await sync([await file("1.ndjson", ITEMS)], { dryRun: true });
    expect(empty).toMatchObject({ dry_run: true, added: 3 });
    expect((await server.get(`/index/${index}`)).status).toBe(404);
    await sync([await file("1.ndjson", ITEMS)]);
    const result = await sync([await file("2.ndjson", NEXT)], { dryRun: true });
    expect(result).toMatchObject({ added: 1, replaced: 1, deleted: 1, unchanged: 1 });
    expect(await docs()).toEqual(ITEMS);
  });

  test.each([
    ["0", true],
    ["1", false],
    ["33%", true],
    ["34 %", false],
  ])("--max-deletes %s refuses one of three: %s", async (maxDeletes, isRefused) => {
    await sync([await file("1.ndjson", ITEMS)]);
    const work = sync([await file("2.ndjson", NEXT)], { maxDeletes });
    if (isRefused) {
      const failure = await refusal(work);
      expect(failure.code).toBe("too_many_deletes");
      expect(failure.message).toContain("1 document of 3");
      expect(await docs()).toEqual(ITEMS);
    } else {
      expect(await work).toMatchObject({ deleted: 1 });
    }
  });

  test("a line that can't be read changes nothing, or with --skip-bad deletes nothing", async () => {
    await sync([await file("1.ndjson", ITEMS)]);
    const path = join(folder, "bad.ndjson");
    await writeFile(
      path,
      '{"sku": "d", "title": "four"}\n{"sku": \n{"sku": "e", "price": "much"}\n{"title": "no key"}\n',
    );
    const failure = await refusal(sync([path]));
    expect(failure.message).toContain(`${path}:2: not valid JSON`);
    expect(await docs()).toEqual(ITEMS);
    const result = await sync([path], { skipBad: true });
    expect(result).toMatchObject({ added: 1, deleted: 0, skipped: 3 });
    expect(result.bad.map(({ place }: { place: string }) => place)).toEqual(
      [2, 3, 4].map((line) => `${path}:${line}`),
    );
    expect([...(await shown()).keys()]).toEqual(["a", "b", "c", "d"]);
  });

  test("a source without a document deletes nothing unless that is meant", async () => {
    await sync([await file("1.ndjson", ITEMS)]);
    const none = await file("none.ndjson", []);
    expect((await refusal(sync([none]))).code).toBe("no_documents");
    expect(await docs()).toEqual(ITEMS);
    expect(await sync([none], { allowEmpty: true })).toMatchObject({ deleted: 3 });
    expect(await docs()).toEqual([]);
  });

  test("a folder is its files by name, the last of several documents with one key counts", async () => {
    const path = join(folder, `${index}-folder`);
    await mkdir(path);
    await writeFile(join(path, "b.csv"), "sku,title,price\na,later,1.5\n");
    await writeFile(join(path, "a.json"), JSON.stringify(ITEMS));
    await writeFile(join(path, ".hidden"), "nothing to read");
    expect(await sync([path])).toMatchObject({ added: 3 });
    expect((await shown()).get("a")!.doc.title).toBe("later");
    await writeFile(join(path, "b.csv"), "sku,title,price\nb,x,1\nb,two,2.5\n");
    expect(await sync([path])).toMatchObject({ replaced: 1, unchanged: 2 });
    expect((await shown()).get("b")!.doc).toEqual(ITEMS[1]);
  });

  test("an empty file beside others deletes what it had, and is told, and so are keys that come twice", async () => {
    const path = join(folder, `${index}-folder`);
    await mkdir(path);
    await writeFile(join(path, "a.ndjson"), ITEMS.map((item) => JSON.stringify(item)).join("\n"));
    await writeFile(join(path, "b.csv"), "sku,title,price\nd,four,1.5\n");
    expect(await sync([path])).toMatchObject({ added: 4, empty_files: [], repeated: 0 });
    await writeFile(join(path, "b.csv"), "");
    await writeFile(join(path, "c.csv"), "sku,title,price\nb,two,2.5\na,other,1\na,last,1\n");
    const result = await sync([path]);
    expect(result).toMatchObject({ replaced: 1, deleted: 1, unchanged: 2, repeated: 3 });
    expect(result.empty_files).toEqual([join(path, "b.csv")]);
    expect(result.notes).toContain(`${join(path, "b.csv")} holds no document`);
    const [a, c] = [join(path, "a.ndjson"), join(path, "c.csv")];
    expect(result.notes.filter((note: string) => note.startsWith("key "))).toEqual([
      `key 'b' is in ${a} and again at ${c}:2, which counts`,
      `key 'a' is in ${a} and again at ${c}:3, which counts`,
      `key 'a' is in ${c} and again at ${c}:4, which counts`,
    ]);
    expect((await shown()).get("a")!.doc.title).toBe("last");
    await writeFile(join(path, "a.ndjson"), "");
    await writeFile(join(path, "c.csv"), "sku,title,price\n");
    expect((await refusal(sync([path]))).code).toBe("no_documents");
    expect((await shown()).size).toBe(3);
  });

  test("of many keys that come twice a few are named and the rest counted", async () => {
    const items = Array.from({ length: 20 }, (_, i) => ({ sku: `${i % 10}`, title: "x" }));
    const result = await sync([await file("twice.ndjson", items)]);
    expect(result).toMatchObject({ added: 10, repeated: 10 });
    expect(result.notes.filter((note: string) => note.startsWith("key "))).toHaveLength(5);
    expect(result.notes.join()).toContain("5 other documents have a key that came before");
  });

  test("an empty key is a bad document", async () => {
    const path = await file("1.ndjson", [...ITEMS, { sku: "", title: "none" }]);
    expect((await refusal(sync([path]))).message).toContain(`${path}:4: 'sku', the key, is empty`);
    expect(await sync([path], { skipBad: true })).toMatchObject({ added: 3, skipped: 1 });
  });

  test.each(["0", "0%", "100%"])(
    "--max-deletes %s, and nothing written where it refuses",
    async (maxDeletes) => {
      await sync([await file("1.ndjson", ITEMS)]);
      const before = await shown();
      const others = await file("others.ndjson", [{ sku: "x", title: "all are gone", price: 1.5 }]);
      const same = await file("same.ndjson", [...ITEMS].reverse());
      expect(await sync([same], { maxDeletes })).toMatchObject({ deleted: 0 });
      if (maxDeletes === "100%") {
        expect(await sync([others], { maxDeletes })).toMatchObject({ deleted: 3, added: 1 });
        return;
      }
      expect((await refusal(sync([others], { maxDeletes }))).code).toBe("too_many_deletes");
      expect((await refusal(sync([others], { maxDeletes, dryRun: true }))).code).toBe("too_many_deletes");
      await server.post(`/index/${index}/commit`);
      expect(await shown()).toEqual(before);
    },
  );

  test("a file or folder that changes while it is read changes nothing in the index", async () => {
    const path = join(folder, `${index}-folder`);
    await mkdir(path);
    await writeFile(join(path, "a.ndjson"), ITEMS.map((item) => JSON.stringify(item)).join("\n"));
    await sync([path]);
    const [a, b] = [join(path, "a.ndjson"), join(path, "b.ndjson")];
    const changes: readonly [string, string, () => Promise<void>][] = [
      [a, "input_changed", () => appendFile(a, '\n{"sku": "d", "title": "four"}')],
      [b, "input_changed", () => writeFile(b, '{"sku": "e", "title": "five"}')],
      [a, "file_not_readable", () => rm(a)],
    ];
    await server.post(`/index/${index}/documents`, { sku: "gone", title: "to be deleted", price: 1.5 });
    await server.post(`/index/${index}/commit`);
    for (const [name, code, change] of changes) {
      // The index is read between the two looks at the source.
      let isChanged = false;
      const proxy = await FaultyProxy.start(url(), (_method, at) => {
        if (!at.endsWith("/search") || isChanged) return "pass";
        isChanged = true;
        return change().then((): Fault => "pass");
      });
      try {
        const failure = await refusal(sync([path], { url: proxy.url }));
        expect(failure.code).toBe(code);
        expect(failure.message).toContain(name);
      } finally {
        await proxy.stop();
      }
      expect((await shown()).size).toBe(4);
    }
  });

  test("two at once: the second is told, and once the first has ended it runs", async () => {
    const path = await file("1.ndjson", ITEMS);
    const next = await file("2.ndjson", NEXT);
    await sync([path]);
    let second: CliError | undefined;
    const proxy = await FaultyProxy.start(url(), async (method, at): Promise<Fault> => {
      if (method === "POST" && at.endsWith("/documents"))
        second ??= await refusal(sync([path], { url: proxy.url }));
      return "pass";
    });
    try {
      expect(await sync([next], { url: proxy.url })).toMatchObject({ added: 1, deleted: 1 });
      expect(second).toMatchObject({ code: "already_running" });
      expect(await sync([path], { url: proxy.url })).toMatchObject({ added: 1, deleted: 1, replaced: 1 });
    } finally {
      await proxy.stop();
    }
  });

  test.each([NEXT, [ITEMS[0]!]])(
    "what another machine's took back is told, and the next mends it",
    async (...next) => {
      await sync([await file("1.ndjson", ITEMS)]);
      const path = await file("2.ndjson", next);
      const proxy = await FaultyProxy.start(url(), async (_method, at): Promise<Fault> => {
        if (at.endsWith("/commit")) await server.post(`/index/${index}/rollback`);
        return "pass";
      });
      try {
        const failure = await refusal(sync([path], { url: proxy.url }));
        expect(failure.code).toBe("conflict");
        expect(failure.message).toContain("run the sync again");
      } finally {
        await proxy.stop();
      }
      await sync([path]);
      expect((await docs()).sort((x, y) => x.sku.localeCompare(y.sku))).toEqual(next);
    },
  );

  test.each([true, false])(
    "killed in the middle, it leaves what it found (an index: %s), and the next does all",
    async (isThere) => {
      if (isThere) await sync([await file("1.ndjson", ITEMS)]);
      const path = await file("2.ndjson", NEXT);
      let child: ChildProcess | undefined;
      const proxy = await FaultyProxy.start(url(), (_method, at) => {
        if (!at.endsWith("/commit") || child === undefined) return "pass";
        child.kill("SIGKILL");
        return "lost before";
      });
      try {
        const options = ["--index", index, "--url", proxy.url, "--key", ADMIN, "--primary-key", "sku"];
        // What it can't take away itself goes with the test's folder.
        child = spawnCli(["sync", path, ...options], { env: { TMPDIR: folder } });
        expect((await resultOf(child)).code).toBeNull();
        expect(proxy.faults).toBe(1);
        child = undefined;
        await expectLeftGone(path);
        expect(await docs()).toEqual(isThere ? ITEMS : []);
        expect(await sync([path], { url: proxy.url })).toMatchObject(
          isThere ? { added: 1, replaced: 1, deleted: 1, unchanged: 1 } : { added: 3, created: false },
        );
      } finally {
        await proxy.stop();
      }
      expect((await docs()).sort((x, y) => x.sku.localeCompare(y.sku))).toEqual(NEXT);
    },
  );

  test("the output of a command counts if it ends well", async () => {
    const path = await file("1.ndjson", ITEMS);
    expect(await sync([], { command: `cat '${path}'` })).toMatchObject({ added: 3 });
    const failure = await refusal(sync([], { command: `head -n 1 '${path}'; exit 3` }));
    expect(failure.code).toBe("command_failed");
    expect(failure.message).toContain("with status 3");
    expect(await docs()).toEqual(ITEMS);
    expect((await refusal(sync([]))).code).toBe("usage");
  });

  test("keys are of one field that tells documents apart", async () => {
    const path = await file("1.ndjson", ITEMS);
    expect((await refusal(sync([path], { primaryKey: "nope" }))).code).toBe("no_key");
    expect((await server.get(`/index/${index}`)).status).toBe(404);
  });

  test("an index that it makes has the key, and by it the next sync goes without being told", async () => {
    await sync([await file("1.ndjson", ITEMS)]);
    expect((await server.get(`/index/${index}`)).json.data.primary_key).toBe("sku");
    const said = new Said();
    const options = { index, url: url(), key: ADMIN };
    await runSync([await file("2.ndjson", NEXT)], options, said);
    expect(said.results).toMatchObject({ added: 1, replaced: 1, deleted: 1, unchanged: 1 });
    const other = await refusal(sync([await file("2.ndjson", NEXT)], { primaryKey: "title" }));
    expect(other.code).toBe("other_key");
  });

  test("an index without a key of its own is kept equal all the same, twice the same among it", async () => {
    const fields = { sku: { type: "text" }, title: { type: "text" }, price: { type: "f64" } };
    await server.post("/index", { index: { name: index, fields } });
    await server.post(`/index/${index}/documents`, [...ITEMS, ITEMS[0]]);
    await server.post(`/index/${index}/commit`);
    const result = await sync([await file("1.ndjson", ITEMS)]);
    expect(result).toMatchObject({ added: 0, replaced: 1, deleted: 0, unchanged: 2 });
    expect((await shown()).size).toBe(3);
  });

  test("documents with fields that aren't stored are replaced, as nobody can compare them", async () => {
    const fields = { sku: { type: "text" }, title: { type: "text", stored: false }, price: { type: "f64" } };
    await server.post("/index", { index: { name: index, fields } });
    const path = await file("1.ndjson", ITEMS);
    expect(await sync([path])).toMatchObject({ added: 3 });
    expect(await sync([path])).toMatchObject({ replaced: 3, unchanged: 0 });
  });

  test("a connection that is lost on the way leaves everything as it was", async () => {
    await sync([await file("1.ndjson", ITEMS)]);
    const path = await file("2.ndjson", NEXT);
    const proxy = await FaultyProxy.start(url(), (method, at) =>
      method === "POST" && at.endsWith("/documents") ? "lost after" : "pass",
    );
    try {
      const failure = await refusal(sync([path], { url: proxy.url, retrySeconds: 1 }));
      expect(proxy.faults).toBe(1);
      expect(failure.code).toBe("connection_lost");
      expect(failure.message).toContain("has changed");
    } finally {
      await proxy.stop();
    }
    await server.post(`/index/${index}/commit`);
    expect(await docs()).toEqual(ITEMS);
  });

  test("whatever came before, the index is its source afterwards", async () => {
    const item = fc.record(
      {
        sku: fc.constantFrom("a", "b", "c", "d", "A", "a b", "é"),
        title: fc.constantFrom("x", "y"),
        price: fc.nat(3),
      },
      { requiredKeys: ["sku"] },
    );
    await sync([await file("first.ndjson", [{ sku: "z", title: "x", price: 0.5 }])]);
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 12 }), async (items) => {
        const expected = new Map(items.map((each): [string, Item] => [each.sku, each]));
        const before = new Map([...(await shown())].map(([key, { doc }]) => [key, doc]));
        const result = await sync([await file("random.ndjson", items)]);
        const after = new Map([...(await shown())].map(([key, { doc }]) => [key, doc]));
        expect(after).toEqual(expected);
        const isSame = (key: string): boolean => {
          const [old, now] = [before.get(key), expected.get(key)];
          return old?.title === now?.title && old?.price === now?.price;
        };
        const kept = [...expected.keys()].filter((key) => before.has(key));
        expect(result).toMatchObject({
          added: expected.size - kept.length,
          replaced: kept.filter((key) => !isSame(key)).length,
          unchanged: kept.filter(isSame).length,
          deleted: before.size - kept.length,
        });
      }),
      { numRuns: 15 },
    );
  });

  test("tells what is wrong with its source before it asks a server", async () => {
    const nowhere = { url: "http://127.0.0.1:9" };
    const good = await file("good.ndjson", ITEMS);
    const none = join(folder, "none.csv");
    const empty = join(folder, `${index}-empty`);
    await mkdir(empty);
    const wrong: readonly [readonly string[], Partial<SyncOptions>, string][] = [
      [[none], {}, "file_not_readable"],
      [[good, none], {}, "file_not_readable"],
      [[empty], {}, "no_documents"],
      [[good], { schema: none }, "schema_file"],
      [[good], { encoding: "none" }, "usage"],
      [[good], { delimiter: "none" }, "usage"],
      [[good], { maxDeletes: "none" }, "usage"],
    ];
    for (const [sources, options, code] of wrong)
      expect((await refusal(sync(sources, { ...nowhere, ...options }))).code).toBe(code);
  });
});

describe("import --replace", () => {
  const run = async (path: string, options: Partial<ImportOptions> = {}): Promise<ParsedJson> => {
    const said = new Said();
    const base = { index, url: url(), key: ADMIN, yes: true, replace: true, commitEvery: 50_000 };
    await runImport([path], { ...base, ...options }, said);
    return said.results;
  };

  test("puts the documents in the place of all others, in one commit", async () => {
    await run(await file("1.ndjson", ITEMS));
    expect(await docs()).toEqual(ITEMS);
    expect(await run(await file("2.ndjson", NEXT))).toMatchObject({ documents: 3, created: false });
    expect(await docs()).toEqual(NEXT);
  });

  test("leaves them where the input is bad, empty or goes on with another", async () => {
    await run(await file("1.ndjson", ITEMS));
    const path = join(folder, "bad-replace.ndjson");
    await writeFile(path, '{"sku": "x"}\n{"sku": "y", "price": "much"}\n');
    const failure = await refusal(run(path));
    expect(failure.message).toContain(`${path}:2: 'price' must be a finite number`);
    expect(failure.message).toContain("nothing has changed");
    expect((await refusal(run(await file("none.ndjson", [])))).code).toBe("no_documents");
    expect((await refusal(run(path, { resume: true }))).code).toMatch(/usage|nothing_to_resume/);
    await server.post(`/index/${index}/commit`);
    expect(await docs()).toEqual(ITEMS);
    expect(await run(path, { skipBad: true })).toMatchObject({ documents: 1, skipped: 1 });
    expect((await docs()).map(({ sku }) => sku)).toEqual(["x"]);
  });
});

describe("import --primary-key", () => {
  const run = async (items: readonly object[], options: Partial<ImportOptions> = {}): Promise<ParsedJson> => {
    const said = new Said();
    const base = { index, url: url(), key: ADMIN, yes: true, primaryKey: "sku", commitEvery: 50_000 };
    await runImport([await file("keyed.ndjson", items)], { ...base, ...options }, said);
    return { ...said.results, notes: said.notes };
  };

  test("documents replace those with the same value, and the rest stays", async () => {
    await run(ITEMS);
    const result = await run([...NEXT, { sku: "d", title: "four, corrected" }]);
    expect(result).toMatchObject({ documents: 4, replaced: 2 });
    expect(new Map([...(await shown())].map(([key, { doc }]) => [key, doc.title]))).toEqual(
      new Map([
        ["a", "one"],
        ["b", "two"],
        ["c", "three again"],
        ["d", "four, corrected"],
      ]),
    );
  });

  test("an index that is there gets the key, unless its documents forbid it", async () => {
    const fields = { sku: { type: "text" }, title: { type: "text" }, price: { type: "f64" } };
    await server.post("/index", { index: { name: index, fields } });
    await server.post(`/index/${index}/documents`, ITEMS);
    await server.post(`/index/${index}/commit`);
    expect((await run(NEXT)).notes).toContain(`'sku' is the primary key of '${index}' now`);
    expect((await shown()).size).toBe(4);
  });
});
