// Property: every file in examples/ runs as its folder's README says, prints what it promises, and
// leaves nothing on the server. A new example without a case here fails.
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT, ServerProcess, temporaryFolder } from "./cli-harness.js";

const EXAMPLES = join(PROJECT, "examples");

const ALONE: readonly (readonly [string, RegExp])[] = [
  ["embed-engine.mjs", /^\d\.\d\d The Third Man\n\d\.\d\d A Man Escaped\n1 \/crime\n1 \/drama\n$/],
  [
    "engine-search-box.mjs",
    /^mistyped: \[ 'Tomato soup' \]\nwithout accents: \[ 'Crème brûlée' \]\na synonym: \[ 'Baked eggplant' \]\nhalf-typed: \[ 'Baked eggplant' \]\nmarked: \[ 'Tomatoes, an \[onion\], and a little \[cream\]\.' \]\nsuggested: \[ 'tomatoes', 'tomato' \]\n$/,
  ],
  [
    "engine-filters.mjs",
    /^in stock, under 90: 1, J-1\nquery language: 2, J-1 S-1\nnewest first: 3, J-2 J-1\nby code: 1, J-1\n\/clothes 2 \/clothes\/jackets 1, \/clothes\/socks 1\n$/,
  ],
  ["engine-updates.mjs", /^before the commit: 0\nafter it: 2\nchanged: 2 1\nrolled back: 2\nreopened: b\n$/],
  [
    "engine-errors.mjs",
    /^(invalid_request: .*\n){2}query_syntax: .*\nunknown_field: .*\ninvalid_order_by: .*\n(invalid_document: .*\n){2}invalid_schema: .*\n$/,
  ],
  ["start-server.mjs", /^(key '(admin|ingest|read)' has 40 characters\n){3}{ status: 200, data: '.*' }\n$/],
];

const WITH_SERVER: readonly (readonly [string, RegExp])[] = [
  [
    "use-client.mjs",
    /^\[ 'Lentil soup with lemon' \]\n1 soup in half an hour: Tomato soup\n400 query_syntax: .*\n$/,
  ],
  [
    "import-and-search.mjs",
    /^\d+ strategy games, the newest first:\n( {2}20\d\d-\d\d-\d\d {2}.*\n){3}( {2}\d+ × \/uitoolkit\/.*\n)+$/,
  ],
  [
    "search-with-curl.sh",
    /"index created".*\n.*"num_added":2.*\n.*"commit complete".*\n.*two herons over the mill pond.*"count":1,.*\n.*"index deleted".*\n$/,
  ],
];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ServerProcess;

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await ServerProcess.start(join(folder.path, "data"));
});

afterAll(async () => {
  await server.end("SIGTERM");
  await folder.remove();
});

async function runExample(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const program = name.endsWith(".sh") ? "sh" : process.execPath;
  const { stdout, stderr } = await promisify(execFile)(program, [join(EXAMPLES, name), ...args], {
    cwd: folder.path,
    env: { PATH: process.env["PATH"], ...env },
  });
  expect(stderr).toBe("");
  return stdout;
}

describe("examples", () => {
  it("have a case each", async () => {
    const programs = (await readdir(EXAMPLES)).filter((name) => name !== "README.md").sort();
    expect([...ALONE, ...WITH_SERVER].map(([name]) => name).sort()).toEqual(programs);
  });

  it.each(ALONE)("%s runs by itself", async (name, output) => {
    expect(await runExample(name, [join(folder.path, name)], {})).toMatch(output);
  });

  it.each(WITH_SERVER)("%s runs against a server and leaves nothing there", async (name, output) => {
    const env = { FINDLING_URL: server.url, FINDLING_ADMIN_KEY: server.keyOf("admin") };
    expect(await runExample(name, [], env)).toMatch(output);
    expect(await server.client().listIndexes()).toEqual({ index_names: [] });
  });
});
