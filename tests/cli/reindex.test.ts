/** `findling reindex`: a new index with the old one's documents and alias, or everything as it was. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CliError } from "../../src/cli/cli-error.js";
import { type ReindexOptions, runReindex } from "../../src/cli/commands/reindex-command.js";
import { Output } from "../../src/cli/terminal/output.js";
import { ADMIN, type ParsedJson, WireServer } from "../wire/wire-server.js";
import { FaultyProxy } from "./faulty-proxy.js";

const FIELDS = {
  sku: { type: "text" },
  title: { type: "text" },
  price: { type: "text" },
  "maker.name": { type: "text" },
};
const COUNT = 2_345;

let server: WireServer;
let folder = "";
let from = "";
let into = "";
let alias = "";
let count = 0;
beforeAll(async () => {
  server = await WireServer.start();
  folder = await mkdtemp(join(tmpdir(), "findling-reindex-test-"));
});
afterAll(async () => {
  await server.stopAndRemove();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  count++;
  [from, into, alias] = [`v${count}-old`, `v${count}-new`, `v${count}`];
  await server.createIndex(from, { fields: FIELDS });
  await server.put(`/alias/${alias}`, { index: from });
  const documents = Array.from({ length: COUNT }, (_, i) => ({
    sku: `s${i}`,
    title: `thing ${i}`,
    price: `${i}.5`,
    maker: { name: "Ada" },
  }));
  await server.addCommitted(from, documents);
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

const url = (): string => `http://127.0.0.1:${server.running.address.port}`;

async function reindex(options: Partial<ReindexOptions> = {}, source = from): Promise<ParsedJson> {
  const said = new Said();
  await runReindex(source, { into, url: url(), key: ADMIN, ...options }, said);
  return { ...said.results, notes: said.notes };
}

async function refusal(work: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Error) return failure;
  throw new Error("it wasn't refused");
}

async function schemaFile(schema: object): Promise<string> {
  const path = join(folder, `${into}.json`);
  await writeFile(path, JSON.stringify(schema));
  return path;
}

async function found(name: string, ctx: string): Promise<ParsedJson> {
  const answer = await server.post(`/index/${name}/search`, { query: { exact: { ctx } }, limit: 3 });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

async function expectUntouched(): Promise<void> {
  expect((await server.get(`/index/${into}`)).status).toBe(404);
  const aliases = (await server.get("/alias")).json.data as { alias: string; index: string }[];
  expect(aliases.find((each) => each.alias === alias)?.index).toBe(from);
  expect((await found(from, "*")).count).toBe(COUNT);
}

test("another schema, all documents, dictionaries and the alias; the old index stays", async () => {
  await server.post(`/index/${from}/synonyms`, ["thing:object,a\\:b"]);
  await server.post(`/index/${from}/stopwords`, ["gmbh"]);
  await server.post(`/index/${from}/documents`, [{ sku: "pending" }]);
  const schema = await schemaFile({
    fields: { ...FIELDS, price: { type: "f64" } },
    primary_key: "sku",
  });
  const result = await reindex({ schema, swap: [alias] }, alias);
  expect(result).toMatchObject({ from, index: into, documents: COUNT, skipped: 0, swapped: [alias] });
  expect(
    (await found(alias, "price:<1 OR price:2.5")).hits.map((hit: ParsedJson) => [hit.doc, hit.source_index]),
  ).toEqual([
    [{ sku: "s0", title: "thing 0", price: 0.5, maker: { name: "Ada" } }, into],
    [{ sku: "s2", title: "thing 2", price: 2.5, maker: { name: "Ada" } }, into],
  ]);
  expect((await found(into, "*")).count).toBe(COUNT);
  expect((await server.get(`/index/${into}/synonyms`)).json.data).toEqual({ thing: ["object", "a:b"] });
  expect((await server.get(`/index/${into}/stopwords`)).json.data).toContain("gmbh");
  expect((await found(from, "*")).count).toBe(COUNT);
});

test("as the old one is where no schema is named, without any alias", async () => {
  expect(await reindex()).toMatchObject({ documents: COUNT, swapped: [] });
  const [old, made] = await Promise.all([server.get(`/index/${from}`), server.get(`/index/${into}`)]);
  expect({ ...made.json.data, name: from }).toEqual(old.json.data);
  expect((await found(alias, "s5")).hits[0]?.source_index ?? from).toBe(from);
});

describe("is refused, with nothing changed", () => {
  test("where the new index is there, which --restart deletes", async () => {
    await server.createIndex(into);
    expect((await refusal(reindex())).message).toContain("exists already");
    expect(await reindex({ restart: true })).toMatchObject({ documents: COUNT });
  });

  test("where the alias is none of the old index, or there is none", async () => {
    await server.createIndex(`${from}-other`);
    await server.put(`/alias/${alias}-other`, { index: `${from}-other` });
    expect((await refusal(reindex({ swap: [alias, `${alias}-other`] }))).message).toContain("stands for");
    expect((await refusal(reindex({ swap: ["nothing"] }))).message).toContain("is no alias");
    await expectUntouched();
  });

  test("by a document that the schema doesn't take; --skip-bad leaves it out", async () => {
    await server.addCommitted(from, [{ sku: "odd", price: "a lot" }]);
    const schema = await schemaFile({ fields: { ...FIELDS, price: { type: "f64" } } });
    const failure = await refusal(reindex({ schema, swap: [alias] }));
    expect(failure).toBeInstanceOf(CliError);
    expect(failure.message).toMatch(/document [0-9a-f]{32}: 'price' must be a finite number/);
    expect((await server.get(`/index/${into}`)).status).toBe(404);
    expect((await refusal(reindex({ schema, dryRun: true }))).message).toContain("'price'");
    expect(await reindex({ schema, swap: [alias], skipBad: true })).toMatchObject({
      documents: COUNT,
      skipped: 1,
    });
  });

  test("where two documents share a value of the new key", async () => {
    await server.addCommitted(from, [{ sku: "s7" }]);
    const schema = await schemaFile({ fields: FIELDS, primary_key: "sku" });
    expect((await refusal(reindex({ schema }))).message).toContain("1 document of");
    expect((await server.get(`/index/${into}`)).status).toBe(404);
  });

  test("where values aren't stored, unless they may be dropped", async () => {
    await server.patch(`/index/${from}/fields`, { title: { stored: false } });
    const refused = await refusal(reindex());
    expect(refused.message).toContain("'title'");
    await expectUntouched();
    expect(await reindex({ dropUnstored: true })).toMatchObject({ documents: COUNT });
    expect((await found(into, "thing")).count).toBe(0);
    await server.patch(`/index/${from}/fields`, { title: { stored: true } });
    expect(await reindex({ restart: true })).toMatchObject({ documents: COUNT });
    expect((await found(into, "thing")).count).toBe(COUNT);
  });
});

test("a dry run reads everything and makes nothing", async () => {
  const schema = await schemaFile({ fields: { sku: { type: "text" } } });
  expect(await reindex({ schema, dryRun: true, swap: [alias] })).toMatchObject({
    documents: COUNT,
    ignored_fields: ["title", "price", "maker"],
    swapped: [],
  });
  await expectUntouched();
});

test("a connection that breaks leaves all as it was, or all done", async () => {
  let number = 0;
  let faulty = 0;
  const proxy = await FaultyProxy.start(url(), () => (++number === faulty ? "lost after" : "pass"));
  const outcomes = new Set<boolean>();
  // Each request once, until a run meets none any more.
  for (faulty = 1; ; faulty++) {
    number = 0;
    const isDone = await reindex({ url: proxy.url, swap: [alias], retrySeconds: 20 }).then(
      () => true,
      () => false,
    );
    outcomes.add(isDone);
    if (!isDone) await expectUntouched();
    else {
      expect((await found(into, "*")).count).toBe(COUNT);
      expect((await found(alias, "s7")).hits[0].source_index).toBe(into);
      await server.put(`/alias/${alias}`, { index: from });
      await server.delete(`/index/${into}`);
    }
    if (number < faulty) break;
  }
  await proxy.stop();
  expect([...outcomes].sort()).toEqual([false, true]);
});
