// Properties: every kind of bad record is named with its place and left out alone when that is asked for, by a dry run as
// by an import; an import that fails leaves no index and no progress file; input comes from pipes as from files.
import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allValues, type CliResult, PROJECT, runCli, ServerProcess, temporaryFolder } from "./cli-harness.js";

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let files: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ServerProcess;

beforeAll(async () => {
  data = await temporaryFolder();
  server = await ServerProcess.start(data.path);
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

function runImport(...args: readonly string[]): Promise<CliResult> {
  return runCli(["import", ...args, ...server.flags], { cwd: files.path });
}

const GOOD = ['{"id":"a","year":1999,"more":{"x":1}}', '{"id":"b","year":2001}', '{"id":"c","year":2002}'];

/** A bad line each, and what is told of it. */
const BAD: readonly (readonly [string, RegExp])[] = [
  ["nonsense", /not valid JSON/],
  ['{"id":"x"', /not valid JSON/],
  ['{"id":"x","id":"y"}', /names the member 'id' twice/],
  ['{"id":"x","more":{"y":1,"y":2}}', /names the member 'y' twice/],
  ['{"id":"x","more":[{"__proto__":1}]}', /__proto__/],
  ['{"id":"\\ud800"}', /half of a surrogate pair/],
  [`{"id":"x","more":${"[".repeat(511)}${"]".repeat(511)}}`, /nested more than 511 deep/],
  [`{"id":"x","more":${"[".repeat(9_000)}${"]".repeat(9_000)}}`, /nested more than 511 deep/],
  ["[1,2]", /must be a JSON object/],
  ["null", /must be a JSON object/],
  ['"text"', /must be a JSON object/],
  ['{"id":"x","year":"soon"}', /'year' must be an integer/],
  ['{"id":"x","year":-1}', /'year' must be an integer/],
  ['{"id":"x","year":[1,2]}', /'year' holds one value/],
];

const SCHEMA = JSON.stringify({
  fields: { id: { type: "text" }, year: { type: "u64" }, more: { type: "json" } },
});

describe("findling import --skip-bad", () => {
  it("names and leaves out every kind of bad line, in a dry run as well", async () => {
    const lines = [...GOOD.slice(0, 2), ...BAD.map(([line]) => line), GOOD[2]!];
    await writeFile(file("mixed.ndjson"), `${lines.join("\n")}\n`);
    await writeFile(file("schema.json"), SCHEMA);
    const args = [file("mixed.ndjson"), "--index", "mixed", "--schema", file("schema.json"), "--skip-bad"];
    const run = async (...more: readonly string[]) => {
      const result = await runImport(...args, "--json", ...more);
      expect(result).toMatchObject({ code: 0 });
      return JSON.parse(result.stdout) as { documents: number; bad: { place: string; problem: string }[] };
    };
    const dry = await run("--dry-run");
    const real = await run();
    const byPlace = ({ bad }: typeof real) =>
      [...bad].sort((left, right) => Number(left.place.split(":")[1]) - Number(right.place.split(":")[1]));
    expect(byPlace(real)).toEqual(
      BAD.map(([, problem], at) => ({
        place: `${file("mixed.ndjson")}:${at + 3}`,
        problem: expect.stringMatching(problem) as string,
      })),
    );
    expect(byPlace(dry)).toEqual(byPlace(real));
    expect([dry.documents, real.documents]).toEqual([3, 3]);
    expect(await allValues(server.client(), "mixed", "id")).toEqual(["a", "b", "c"]);
  });

  it("says the first reason and place where all records are bad, and leaves nothing", async () => {
    await writeFile(file("all-bad.ndjson"), "one\ntwo\n");
    for (const mode of [["--dry-run"], []]) {
      const result = await runImport(file("all-bad.ndjson"), "--index", "all-bad", "--skip-bad", ...mode);
      expect(result).toMatchObject({ code: 5 });
      expect(result.stderr).toMatch(/all 2 can't be read, as at .*all-bad\.ndjson:1: not valid JSON/);
    }
    expect((await server.client().listIndexes()).index_names).not.toContain("all-bad");
    expect(await readdir(files.path)).toEqual(["all-bad.ndjson"]);
  });

  it("guesses from what is behind more bad lines than it looks at", async () => {
    await writeFile(file("late.ndjson"), `${"bad\n".repeat(6_000)}${GOOD.join("\n")}\n`);
    const result = await runImport(file("late.ndjson"), "--index", "late", "--skip-bad", "--json");
    expect(JSON.parse(result.stdout)).toMatchObject({ documents: 3, skipped: 6_000 });
  });

  it("leaves out what an index that commits by itself refuses", async () => {
    await server.client().createIndex({
      name: "by-itself",
      fields: { id: { type: "text" }, year: { type: "u64" } },
      auto_commit_delay: 1,
    });
    await writeFile(file("b.ndjson"), [GOOD[0], BAD[2]![0], BAD[12]![0], GOOD[1]].join("\n"));
    const result = await runImport(file("b.ndjson"), "--index", "by-itself", "--skip-bad", "--json");
    expect(JSON.parse(result.stdout)).toMatchObject({ documents: 2, skipped: 2 });
  });
});

describe("findling import", () => {
  it("tells columns that are dropped and fields that are missing", async () => {
    await writeFile(file("goods.csv"), "id,colour\n1,red\n");
    await writeFile(file("schema.json"), SCHEMA);
    for (const mode of [["--dry-run"], []]) {
      const args = [file("goods.csv"), "--index", "columns", "--schema", file("schema.json"), ...mode];
      const { stderr } = await runImport(...args);
      expect(stderr).toContain("not in the schema, so dropped: colour");
      expect(stderr).toContain("in the schema, but in no document: year, more");
    }
  });

  it("makes no field of a column named __proto__", async () => {
    await writeFile(file("proto.csv"), "id,__proto__\n1,x\n");
    const result = await runImport(file("proto.csv"), "--index", "proto", "--json");
    expect(JSON.parse(result.stdout)).toMatchObject({
      schema: { fields: { id: { type: "text" }, proto: { type: "text" } } },
    });
  });

  it("leaves no index where it can't begin", async () => {
    await writeFile(file("good.ndjson"), GOOD.join("\n"));
    const args = [file("good.ndjson"), "--index", "unbegun", "--state", "/dev/null/nowhere"];
    expect(await runImport(...args)).toMatchObject({ code: 1 });
    expect((await server.client().listIndexes()).index_names).not.toContain("unbegun");
  });

  it("forgets any earlier import with --restart", async () => {
    await writeFile(file("good.ndjson"), GOOD.join("\n"));
    await writeFile(file(".findling-import-again.json"), "damaged");
    const args = [file("good.ndjson"), "--index", "again"];
    expect(await runImport(...args)).toMatchObject({ code: 1 });
    expect(await runImport(...args, "--restart")).toMatchObject({ code: 0 });
    expect(await readdir(files.path)).toEqual(["good.ndjson"]);
  });

  it("reads what a shell substitutes and pipes", async () => {
    const command = `node ${join(PROJECT, "dist/cli/main.js")} import`;
    const flags = server.flags.map((flag) => `'${flag}'`).join(" ");
    const script = `
      set -eo pipefail
      ${command} <(printf '{"id":"1"}\\n') <(printf '{"id":"2"}\\n' | gzip) --index substituted ${flags}
      printf '{"id":"1"}\\n{"id":"2"}\\n' | ${command} /dev/stdin --index piped ${flags}
    `;
    await promisify(execFile)("bash", ["-c", script], { cwd: files.path });
    for (const index of ["substituted", "piped"])
      expect(await allValues(server.client(), index, "id")).toEqual(["1", "2"]);
    expect(await readdir(files.path)).toEqual([]);
  });

  it("reads gzip of several members, and names a file with something behind", async () => {
    const members = GOOD.map((line) => gzipSync(`${line}\n`));
    await writeFile(file("members.ndjson.gz"), Buffer.concat([...members, Buffer.alloc(512)]));
    expect(await runImport(file("members.ndjson.gz"), "--index", "members", "--json")).toMatchObject({
      code: 0,
    });
    expect(await allValues(server.client(), "members", "id")).toEqual(["a", "b", "c"]);
    await writeFile(file("behind.ndjson.gz"), Buffer.concat([...members, Buffer.from("behind")]));
    const result = await runImport(file("behind.ndjson.gz"), "--index", "behind");
    expect(result.code).toBe(5);
    expect(result.stderr).toMatch(/behind\.ndjson\.gz: the gzip data is damaged, cut short or followed/);
  });

  it("finds the server and its key by the server's own settings", async () => {
    await writeFile(file("good.ndjson"), GOOD.join("\n"));
    const url = new URL(server.url);
    await writeFile(file("findling.json"), JSON.stringify({ port: Number(url.port), data_dir: data.path }));
    for (const [index, env] of [
      ["by-variables", { FINDLING_PORT: url.port, FINDLING_DATA_DIR: data.path }],
      ["by-file", { FINDLING_CONFIG: file("findling.json") }],
    ] as const) {
      const args = ["import", file("good.ndjson"), "--index", index];
      expect(await runCli(args, { cwd: files.path, env })).toMatchObject({ code: 0 });
    }
  });
});

describe("findling export --out", () => {
  it("writes to devices, pipes and through links, and replaces none of them", async () => {
    await writeFile(file("good.ndjson"), `${GOOD.join("\n")}\n`);
    expect(await runImport(file("good.ndjson"), "--index", "out")).toMatchObject({ code: 0 });
    const full = await runCli(["export", "out", "--out", "/dev/full", ...server.flags]);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining("no room left") as string });
    const flags = server.flags.map((flag) => `'${flag}'`).join(" ");
    const run = `node ${join(PROJECT, "dist/cli/main.js")} export out ${flags} --out`;
    const script = `
      set -e
      test -c /dev/full
      mkfifo pipe; cat pipe > from-pipe & ${run} pipe; wait; test -p pipe
      touch target; ln -s target link; ${run} link; test -L link
      ln -s absent dangling; ${run} dangling; test -L dangling
      ${run} /dev/stdout | grep -v exported > from-stdout
    `;
    await promisify(execFile)("bash", ["-c", script], { cwd: files.path });
    for (const name of ["from-pipe", "target", "absent", "from-stdout"])
      expect((await readFile(file(name), "utf8")).trimEnd().split("\n")).toHaveLength(3);
  });
});
