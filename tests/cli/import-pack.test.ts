/**
 * Files as programs, databases, shops and services write them: each is imported right, or refused with its name, the
 * line and the reason; `--skip-bad` leaves out the bad records and no others.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliError } from "../../src/cli/cli-error.js";
import { type ImportOptions, runImport } from "../../src/cli/commands/import-command.js";
import { Output } from "../../src/cli/terminal/output.js";
import { readJson } from "../../src/client/exact-json.js";
import type { FieldView } from "../../src/contract/index-bodies.js";
import { ADMIN, type ParsedJson, WireServer } from "../wire/wire-server.js";
import { CSV_FILES } from "./pack/csv-files.js";
import { DATABASE_FILES } from "./pack/database-files.js";
import { JSON_FILES } from "./pack/json-files.js";
import { OFFICE_FILES } from "./pack/office-files.js";
import type { PackFile } from "./pack/pack-file.js";
import { PACKED_FILES } from "./pack/packed-files.js";

const FILES = [...OFFICE_FILES, ...DATABASE_FILES, ...CSV_FILES, ...JSON_FILES, ...PACKED_FILES];

let server: WireServer;
let folder = "";
beforeAll(async () => {
  server = await WireServer.start();
  folder = await mkdtemp(join(tmpdir(), "findling-pack-"));
});
afterAll(async () => {
  await server.stopAndRemove();
  await rm(folder, { recursive: true });
});

/** Keeps what the command says. */
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

let count = 0;

/** Runs the command for a file; the failure, if there is one. */
async function importFile(
  file: PackFile,
  more: Partial<ImportOptions>,
): Promise<{ index: string; said: Said; failure?: CliError }> {
  const path = join(folder, file.name);
  if (typeof file.content === "function") await file.content(path);
  else await writeFile(path, file.content);
  const index = `pack-${++count}`;
  const said = new Said();
  const options = {
    index,
    url: `http://127.0.0.1:${server.running.address.port}`,
    key: ADMIN,
    yes: true,
    commitEvery: 50_000,
    restart: true,
    ...file.options,
    ...more,
  };
  try {
    await runImport([path], options, said);
    return { index, said };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    return { index, said, failure };
  }
}

async function documentsOf(index: string): Promise<object[]> {
  const body = { query: { exact: { ctx: "*" } }, limit: 100, facets: false };
  const { text } = await server.post(`/index/${index}/search`, body);
  const { data } = readJson(text) as {
    readonly data: { readonly hits: readonly { readonly doc: object }[] };
  };
  return data.hits.map(({ doc }) => doc);
}

/** Where records were left out, and why. */
function badOf(said: Said): { line: number; reason: string }[] {
  return said.results.bad.map(({ place, problem }: { place: string; problem: string }) => ({
    line: Number(/:(\d+)$/.exec(place)?.[1]),
    reason: problem,
  }));
}

function typeOf({ type, multi, hierarchical }: FieldView): string {
  return `${hierarchical === false ? "flat" : type}${multi ? "[]" : ""}`;
}

test("there are at least 60 kinds of file, each with its source", () => {
  expect(FILES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(FILES.map(({ name }) => name)).size).toBe(FILES.length);
  expect(FILES.every(({ source }) => source.length > 2)).toBe(true);
});

test.each(FILES.map((file) => [`${file.name} (${file.source})`, file] as const))("%s", async (_, file) => {
  if (file.refused !== undefined) {
    const { index, failure } = await importFile(file, {});
    expect(failure?.message).toContain(file.refused);
    expect((await server.get(`/index/${index}`)).status).toBe(404);
    return;
  }
  const [first] = file.bad ?? [];
  if (first !== undefined) {
    const { index, failure } = await importFile(file, {});
    expect(failure?.message).toContain(`${file.name}:${first.line}: `);
    expect(failure?.message).toContain(first.reason);
    expect((await server.get(`/index/${index}`)).status).toBe(404);
  }
  const { index, said, failure } = await importFile(file, { skipBad: first !== undefined });
  expect(failure).toBeUndefined();
  // What the server refuses is told later than what can't be read.
  const bad = badOf(said).sort((a, b) => a.line - b.line);
  expect(bad.map(({ line }) => line)).toEqual((file.bad ?? []).map(({ line }) => line));
  for (const [i, { reason }] of (file.bad ?? []).entries()) expect(bad[i]!.reason).toContain(reason);
  if (file.documents !== undefined) expect(await documentsOf(index)).toEqual(file.documents);
  const { fields } = (await server.get(`/index/${index}`)).json.data;
  for (const [name, type] of Object.entries(file.fields ?? {}))
    expect([name, typeOf(fields[name])]).toEqual([name, type]);
  for (const part of file.says ?? []) expect(said.notes.join("\n")).toContain(part);

  const dry = await importFile(file, { skipBad: first !== undefined, dryRun: true });
  expect(dry.failure).toBeUndefined();
  expect(dry.said.results.documents).toBe(said.results.documents);
  expect(
    badOf(dry.said)
      .map(({ line }) => line)
      .sort((a, b) => a - b),
  ).toEqual(bad.map(({ line }) => line));
});
