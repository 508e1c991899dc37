// Properties: every format arrives whole; a bad line is named and stops the import without a trace, or
// is skipped when asked; an import that was killed, or whose server was, ends with each document once.
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FindlingClientError } from "../../src/client/index.js";
import {
  allValues,
  type CliResult,
  resultOf,
  runCli,
  ServerProcess,
  spawnCli,
  temporaryFolder,
} from "./cli-harness.js";

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let files: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ServerProcess;
let adminKey: string;

beforeAll(async () => {
  data = await temporaryFolder();
  server = await ServerProcess.start(data.path);
  adminKey = server.keyOf("admin");
});
beforeEach(async () => {
  files = await temporaryFolder();
});
afterEach(() => files.remove());
afterAll(async () => {
  await server.end("SIGTERM");
  await data.remove();
});

const file = (name: string): string => join(files.path, name);
const client = () => server.client(adminKey);

function runImport(...args: readonly string[]): Promise<CliResult> {
  return runCli(["import", ...args, ...server.flags], { cwd: files.path });
}

const books = [
  { id: "1", title: "The Winter's Tale", year: 1623, tags: ["/play/comedy"], read: true },
  {
    id: "2",
    title: 'Quotes " and, commas\nand lines',
    year: 1999,
    tags: ["/novel", "/novel/crime"],
    read: false,
  },
  { id: "3", title: "Ümläute 🜨", year: 2020 },
];
const lines = (documents: readonly object[]): string =>
  documents.map((each) => `${JSON.stringify(each)}\n`).join("");
const many = (count: number): { id: string; text: string }[] =>
  Array.from({ length: count }, (_, position) => ({
    id: String(position).padStart(6, "0"),
    text: `document number ${position} with some words to index`,
  }));

describe("findling import", () => {
  it.each([
    ["NDJSON", "books.ndjson", lines(books)],
    ["gzip", "books.jsonl.gz", gzipSync(lines(books))],
    ["a JSON array", "books.json", JSON.stringify(books, null, 2)],
    ["JSON without a telling name", "books", JSON.stringify(books)],
    ["NDJSON with a byte order mark", "books-bom.ndjson", `\ufeff${lines(books)}`],
  ])("reads %s and guesses the schema", async (_, name, content) => {
    await writeFile(file(name), content);
    const index = name.replaceAll(".", "-");
    const result = await runImport(file(name), "--index", index, "--json");
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(result.stdout)).toMatchObject({ index, created: true, documents: 3, skipped: 0 });
    const view = await client().getIndex(index);
    expect(Object.entries(view.fields).map(([field, { type, multi }]) => [field, type, multi])).toEqual([
      ["id", "text", false],
      ["title", "text", false],
      ["year", "u64", false],
      ["tags", "facet", true],
      ["read", "bool", false],
    ]);
    const answer = await client().searchIndex(index, {
      query: { exact: { ctx: "*" } },
      order_by: "id",
      sort: "asc",
    });
    expect(answer.hits.map((hit) => hit.doc)).toEqual(books);
  });

  it("reads CSV from standard input, cells by the field's type, empty ones as absent", async () => {
    const csv =
      'id;Release Date;price;in stock;title\r\n1;2024-02-29;9.50;true;"Tea; ""green"""\r\n2;;12;false;Cup\r\n';
    const result = await runCli(["import", "-", "--index", "goods", "--delimiter", ";", ...server.flags], {
      cwd: files.path,
      stdin: csv,
    });
    expect(result.stderr).toContain("column 'Release Date' becomes field 'Release_Date'");
    expect(result.stderr).toMatch(/price +f64/);
    expect(result).toMatchObject({ code: 0 });
    const answer = await client().searchIndex("goods", {
      query: { exact: { ctx: "*" } },
      order_by: "id",
      sort: "asc",
    });
    expect(answer.hits.map((hit) => hit.doc)).toEqual([
      { id: "1", Release_Date: "2024-02-29T00:00:00Z", price: 9.5, in_stock: true, title: 'Tea; "green"' },
      { id: "2", price: 12, in_stock: false, title: "Cup" },
    ]);
  });

  it("makes the index by a schema file", async () => {
    await writeFile(file("books.ndjson"), lines(books));
    await writeFile(
      file("schema.json"),
      // As some editors of Windows begin a file.
      `\uFEFF${JSON.stringify({ index: { name: "x", fields: { id: { type: "text" }, title: { type: "text" } } } })}`,
    );
    const result = await runImport(
      file("books.ndjson"),
      "--index",
      "by-schema",
      "--schema",
      file("schema.json"),
    );
    expect(result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("3 documents imported into 'by-schema'") as string,
    });
    expect(result.stderr).toContain("not in the schema, so dropped: year, tags, read");
    expect(Object.keys((await client().getIndex("by-schema")).fields)).toEqual(["id", "title"]);
  });

  it("sends nothing in a dry run", async () => {
    await writeFile(file("books.ndjson"), `${lines(books)}nonsense\n`);
    const result = await runCli([
      "import",
      file("books.ndjson"),
      "--index",
      "dry",
      "--dry-run",
      "--skip-bad",
      "--json",
      "--url",
      "http://127.0.0.1:1",
    ]);
    expect(JSON.parse(result.stdout)).toMatchObject({
      dry_run: true,
      documents: 3,
      skipped: 1,
      index: { name: "dry" },
    });
    expect(result.code).toBe(0);
  });

  it("names a bad line, stops, and leaves nothing behind, so that the mended file is looked at anew", async () => {
    await writeFile(
      file("bad.ndjson"),
      `${lines(books)}\n{"id":"4","year":"unknown"}\n{"id":"5",\n${lines(books)}`,
    );
    const args = [file("bad.ndjson"), "--index", "bad-line"];
    const result = await runImport(...args);
    expect(result.code).toBe(5);
    expect(result.stderr).toMatch(
      /bad\.ndjson:6: not valid JSON.*nothing was imported, and the index made for it is removed again/,
    );
    expect((await client().listIndexes()).index_names.includes("bad-line")).toBe(false);
    expect(await readdir(files.path)).toEqual(["bad.ndjson"]);
    await writeFile(file("bad.ndjson"), lines(books));
    expect(await runImport(...args)).toMatchObject({ code: 0 });
    expect((await client().getIndex("bad-line")).fields["year"]!.type).toBe("u64");
  });

  it("names a line, or a schema file, that is nested too deep", async () => {
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    await writeFile(file("deep.ndjson"), `${lines(books)}\n{"id":"4","more":${deep}}\n`);
    const result = await runImport(file("deep.ndjson"), "--index", "deep");
    expect(result.code).toBe(5);
    expect(result.stderr).toMatch(/deep\.ndjson:\d+: not valid JSON: .* nested more than 511 deep/);
    await writeFile(file("schema.json"), `{"fields":{"id":{"type":"text"}},"ingestion":${deep}}`);
    const args = ["--index", "deep", "--schema", file("schema.json")];
    expect(await runImport(file("deep.ndjson"), ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is nested more than 512 levels deep") as string,
    });
  });

  it("leaves nothing pending in an index that was there before", async () => {
    await client().createIndex({ name: "before", fields: { id: { type: "text" } } });
    await writeFile(file("bad.ndjson"), `${lines(many(2_500))}nonsense\n`);
    const result = await runImport(file("bad.ndjson"), "--index", "before");
    expect(result).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("nothing was imported; mend it") as string,
    });
    await client().commitIndex("before");
    expect(await client().getIndexStats("before")).toEqual({ document_count: 0 });
  });

  it("ends in order when it is interrupted, and goes on", async () => {
    const documents = many(8_000);
    await writeFile(file("interrupted.ndjson"), lines(documents));
    const args = [file("interrupted.ndjson"), "--index", "interrupted", "--commit-every", "1000"];
    const child = spawnCli(["import", ...args, ...server.flags], { cwd: files.path });
    const result = resultOf(child);
    while ((await count("interrupted")) === 0) await sleep(5);
    child.kill("SIGINT");
    const { code, stderr } = await result;
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /the first [\d,]+ documents are committed; go on with --resume\nfindling: the import was interrupted\n$/,
    );
    await client().commitIndex("interrupted");
    expect((await count("interrupted")) % 1_000).toBe(0);
    expect(await runImport(...args, "--resume")).toMatchObject({ code: 0 });
    expect(await allValues(client(), "interrupted", "id")).toEqual(documents.map(({ id }) => id));
  });

  it("says so when an index has documents already", async () => {
    await writeFile(file("books.ndjson"), lines(books));
    const args = [file("books.ndjson"), "--index", "twice"];
    expect((await runImport(...args)).stderr).toContain("to search it:");
    const again = await runImport(...args);
    expect(again.stderr).toContain("'twice' has 3 documents already; these are added");
    expect(await client().getIndexStats("twice")).toEqual({ document_count: 6 });
  });

  it("prints a schema in a dry run that --schema takes", async () => {
    await writeFile(file("books.ndjson"), lines(books));
    const dry = await runImport(file("books.ndjson"), "--index", "x", "--dry-run");
    expect(dry.stderr).toMatch(/guessed from 3 documents:[\s\S]*year +u64 +100 %[\s\S]*nothing was sent/);
    await writeFile(file("schema.json"), dry.stdout.replace('"u64"', '"i64"'));
    expect(
      await runImport(file("books.ndjson"), "--index", "dry-schema", "--schema", file("schema.json")),
    ).toMatchObject({ code: 0 });
    expect((await client().getIndex("dry-schema")).fields["year"]!.type).toBe("i64");
  });

  it("names the line of a document that the server refuses", async () => {
    await writeFile(
      file("refused.ndjson"),
      lines([
        { id: "1", year: 1 },
        { id: "2", year: 2 },
      ]),
    );
    expect((await runImport(file("refused.ndjson"), "--index", "refused")).code).toBe(0);
    await writeFile(
      file("more.ndjson"),
      lines([
        { id: "3", year: 3 },
        { id: "4", year: "soon" },
        { id: "5", year: 5 },
        { id: "6", year: "later" },
      ]),
    );
    const stopped = await runImport(file("more.ndjson"), "--index", "refused", "--json");
    expect(stopped.code).toBe(5);
    const { error } = JSON.parse(stopped.stderr) as { error: { code: string; message: string } };
    expect(error.code).toBe("bad_document");
    expect(error.message).toMatch(/more\.ndjson:2: .*year/);
    const skipping = await runImport(file("more.ndjson"), "--index", "refused", "--json", "--skip-bad");
    expect(JSON.parse(skipping.stdout)).toMatchObject({
      documents: 2,
      skipped: 2,
      bad: [
        { place: expect.stringMatching(/more\.ndjson:2$/) as string },
        { place: expect.stringMatching(/more\.ndjson:4$/) as string },
      ],
    });
    expect(await allValues(client(), "refused", "id")).toEqual(["1", "2", "3", "5"]);
  });

  it("inserts documents in the order of the input, however large they are", async () => {
    const documents = many(6_000).map((each, position) =>
      position % 3_000 < 1_000 ? { ...each, text: each.text.repeat(60) } : each,
    );
    await writeFile(file("ordered.ndjson"), lines(documents));
    expect(await runImport(file("ordered.ndjson"), "--index", "ordered")).toMatchObject({ code: 0 });
    const exported = await runCli(["export", "ordered", ...server.flags]);
    expect(exported.stdout === lines(documents)).toBe(true);
  });

  it("goes on after a mended line, once the user says so", async () => {
    const documents = many(3_000);
    const broken = lines(documents).replace('{"id":"002500"', '{"id" "002500"');
    await writeFile(file("mended.ndjson"), broken);
    const args = [file("mended.ndjson"), "--index", "mended", "--commit-every", "1000"];
    const stopped = await runImport(...args);
    expect(stopped).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/mended\.ndjson:2501: /) as string,
    });
    expect(await allValues(client(), "mended", "id")).toEqual(documents.slice(0, 2_000).map(({ id }) => id));
    await writeFile(file("mended.ndjson"), lines(documents));
    expect(await runImport(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("go on with --resume") as string,
    });
    const resumed = await runImport(...args, "--resume", "--json");
    expect(JSON.parse(resumed.stdout)).toMatchObject({ documents: 1_000, resumed_after: 2_000 });
    expect(await allValues(client(), "mended", "id")).toEqual(documents.map(({ id }) => id));
    expect(await runImport(...args, "--resume")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no import to go on with") as string,
    });
  });

  it("doesn't go on with another input", async () => {
    await writeFile(file("other.ndjson"), `${lines(many(2_000))}nonsense\n`);
    const args = [file("other.ndjson"), "--index", "other", "--commit-every", "1000"];
    expect((await runImport(...args)).code).toBe(5);
    await writeFile(file("other.ndjson"), lines(many(3_000).slice(1)));
    expect(await runImport(...args, "--resume")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("are not the ones that were imported") as string,
    });
  });

  it("ends with each document once after the importer was killed", async () => {
    const documents = many(8_000);
    await writeFile(file("killed.ndjson"), lines(documents));
    const args = [
      "import",
      file("killed.ndjson"),
      "--index",
      "killed",
      "--commit-every",
      "1000",
      ...server.flags,
    ];
    let kills = 0;
    for (;;) {
      const child = spawnCli(kills === 0 ? args : [...args, "--resume"], { cwd: files.path });
      const result = resultOf(child);
      const isOver =
        kills < 2 &&
        (await Promise.race([once(child, "close").then(() => true), progressed(kills).then(() => false)]));
      if (kills === 2 || isOver) {
        expect(await result).toMatchObject({ code: 0 });
        break;
      }
      child.kill("SIGKILL");
      await result;
      kills++;
    }
    expect(kills).toBeGreaterThan(0);
    expect(await allValues(client(), "killed", "id")).toEqual(documents.map(({ id }) => id));

    /** Until some more of the import is committed, and a little further. */
    async function progressed(earlier: number): Promise<void> {
      const before = earlier === 0 ? 0 : await committed();
      while ((await committed()) <= before) await sleep(5);
      await sleep(earlier * 20);
    }
    async function committed(): Promise<number> {
      try {
        const text = await readFile(file(".findling-import-killed.json"), "utf8");
        return (JSON.parse(text) as { committed: { records: number } }).committed.records;
      } catch {
        return 0;
      }
    }
  });

  it("ends with each document once although the server was killed and came back", async () => {
    const documents = many(10_000);
    await writeFile(file("outage.ndjson"), lines(documents));
    const child = spawnCli(
      [
        "import",
        file("outage.ndjson"),
        "--index",
        "outage",
        "--commit-every",
        "2000",
        "--json",
        ...server.flags,
      ],
      { cwd: files.path },
    );
    const result = resultOf(child);
    while ((await count("outage")) === 0) await sleep(10);
    const { port } = server;
    await server.end("SIGKILL");
    server = await ServerProcess.start(data.path, { port });
    const { code, stdout } = await result;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ documents: 10_000 });
    expect(await allValues(client(), "outage", "id")).toEqual(documents.map(({ id }) => id));
  });
});

async function count(index: string): Promise<number> {
  try {
    return (await client().getIndexStats(index)).document_count;
  } catch (error) {
    if (error instanceof FindlingClientError && error.code === "index_not_found") return 0;
    throw error;
  }
}
