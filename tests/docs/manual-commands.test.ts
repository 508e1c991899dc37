/**
 * Properties: what the manual has people type ends well, in the order of each page, against a server that holds the
 * sample; programs in JavaScript print what is shown behind them. What isn't run is in a table of docs/README.md, each
 * with a reason, and in no other place.
 */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { PROJECT, ServerProcess } from "../cli/cli-harness.js";
import { manualPages, readPage } from "./manual-pages.js";
import { scriptsOf } from "./shell-commands.js";

/** `| [page](page.md) | `beginning` | reason |` */
const EXEMPTION = /^\| \[[^\]]+\]\(([a-z-]+[.]md)\) \| `([^`]+)` \| .+ \|$/gm;
const exempt = [...readPage("docs/README.md").text.matchAll(EXEMPTION)].map(([, page, beginning]) => ({
  path: `docs/${page}`,
  beginning: beginning!,
}));

const scripts = manualPages().flatMap((page) =>
  page.blocks.flatMap((block) =>
    scriptsOf(block).map((script) => ({ path: page.path, line: block.line, script })),
  ),
);
const isExempt = (of: { path: string; script: string }): boolean =>
  exempt.some(({ path, beginning }) => path === of.path && of.script.startsWith(beginning));

/** A server that was started to be seen starting is ended once it answers. */
const FINDLING = `#!/bin/bash
case " $* " in
  *" serve "*)
    data=$(mktemp -d -p "$HOME")
    exec 3< <(exec env -u FINDLING_PORT FINDLING_DATA_DIR="$data" "$NODE" "$MAIN" "$@" --port 0 --json 2>&1)
    server=$!
    read -r -u 3 line
    kill "$server"
    wait "$server"
    case "$line" in '{"event":"listening"'*) exit 0 ;; *) echo "$line" >&2; exit 1 ;; esac ;;
  *) exec "$NODE" "$MAIN" "$@" ;;
esac
`;
const NPX = `#!/bin/bash\nshift\nexec findling "$@"\n`;
const NPM = `#!/bin/bash\n[ "$*" = start ] && exec findling serve\nexit 1\n`;

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "findling-manual-commands-"));
  const backups = join(folder, "backups");
  mkdirSync(backups);
  server = await ServerProcess.start(join(folder, "data"), {
    env: { FINDLING_BACKUP_URL: pathToFileURL(backups).href, FINDLING_MEASURE: "on" },
  });
  mkdirSync(join(folder, "bin"));
  for (const [name, text] of Object.entries({ findling: FINDLING, npx: NPX, npm: NPM })) {
    writeFileSync(join(folder, "bin", name), text);
    chmodSync(join(folder, "bin", name), 0o755);
  }
  await bash(folder, "npx findling demo > /dev/null; npx findling backup create > /dev/null");
});
afterAll(async () => {
  await server.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

afterEach(async () => {
  const client = server.client();
  for (const { alias } of await client.listAliases()) await client.deleteAlias(alias);
  for (const name of (await client.listIndexes()).index_names)
    if (name !== "packages") await client.deleteIndex(name);
});

async function bash(cwd: string, script: string): Promise<string> {
  const settings = { FINDLING_PORT: String(server.port), FINDLING_DATA_DIR: server.dataDir };
  const { stdout } = await promisify(execFile)("/bin/bash", ["--norc", "-eo", "pipefail", "-c", script], {
    cwd,
    env: {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      HOME: cwd,
      NODE: process.execPath,
      MAIN: join(PROJECT, "dist/cli/main.js"),
      FINDLING_BACKUP_URL: pathToFileURL(join(folder, "backups")).href,
      ...settings,
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

const PRODUCTS = "sku,name,price\nJ-1,Red jacket,90\nS-1,Blue socks,5\n";
const FILMS = '{"id":"1","title":"The Third Man"}\n{"id":"2","title":"A Man Escaped"}\n';
const SCHEMA = (fields: string): string =>
  `{${fields.includes("sku") ? '"primary_key": "sku", ' : ""}"fields": {${fields}}}`;
const GIVEN = {
  "products.csv": PRODUCTS,
  "prices.csv": "sku;price\nJ-1;90\nS-1;5\n",
  "exports/products.csv": PRODUCTS,
  "films.ndjson": FILMS,
  "schema.json": SCHEMA('"sku": {"type": "text"}, "name": {"type": "text"}, "price": {"type": "u64"}'),
  "v7.json": SCHEMA('"sku": {"type": "text"}, "name": {"type": "text"}, "price": {"type": "f64"}'),
  "dump-schema.json": SCHEMA('"id": {"type": "text"}, "title": {"type": "text"}'),
  "findling.yaml": readPage("docs/configuration.md")
    .blocks.find(({ info }) => info === "yaml")!
    .text.replaceAll("/var/lib/findling", "own-data"),
};

/** What pages take to be there before, by their path. */
const BEFORE: Readonly<Record<string, string>> = {
  "docs/documents.md": `gzip -k films.ndjson; cp films.ndjson.gz dump.gz
    findling indexes create products_v6 --schema schema.json
    findling aliases set products=products_v6`,
  "docs/reliability.md": "findling backup restore latest --data-dir restored",
};

/** Names that stand for something of the reader's own. */
function asOwn(script: string, own: string): string {
  return script
    .replaceAll("127.0.0.1:8000", `127.0.0.1:${server.port}`)
    .replaceAll(/\bcurl /g, "curl -sSf ")
    .replaceAll("check findling-data", `check ${server.dataDir}`)
    .replaceAll("/var/lib/findling", join(own, "restored"))
    .replaceAll("/var/backups/findling", join(folder, "backups"))
    .replaceAll(/keys (update|delete) KEY/g, 'keys $1 "$(findling keys show shop)"');
}

const paths = [...new Set(scripts.filter((one) => !isExempt(one)).map(({ path }) => path))];

test.each(paths)("the commands of %s end well", async (path) => {
  const own = mkdtempSync(join(folder, "page-"));
  for (const [name, text] of Object.entries(GIVEN)) {
    mkdirSync(join(own, name, ".."), { recursive: true });
    writeFileSync(join(own, name), text);
  }
  for (const made of [".zfunc", ".config/fish/completions"]) mkdirSync(join(own, made), { recursive: true });
  const run = scripts.filter((one) => one.path === path && !isExempt(one));
  // One shell, so that a variable set by one is there for the next.
  const told = run.map(({ line, script }) => `echo "${path}:${line}" >&2\n${asOwn(script, own)}`);
  await bash(own, [BEFORE[path] ?? "", ...told].join("\n"));
});

test("what is said not to be run is there, and not run", () => {
  const unknown = exempt.filter(({ path, beginning }) =>
    scripts.every((one) => one.path !== path || !one.script.startsWith(beginning)),
  );
  expect(unknown).toEqual([]);
  expect(exempt.length).toBeGreaterThan(0);
});

const programs = [...manualPages(), ...["README.md", "packages/client/README.md"].map(readPage)].flatMap(
  ({ path, blocks }) =>
    blocks.flatMap(({ info, line, text }, i) =>
      info === "js" ? [{ path, line, text, next: blocks[i + 1] }] : [],
    ),
);

test.each(programs)("the program at $path:$line prints what is shown", async ({ text, next }) => {
  const own = mkdtempSync(join(folder, "program-"));
  mkdirSync(join(own, "node_modules/@findling"), { recursive: true });
  symlinkSync(PROJECT, join(own, "node_modules/findling"));
  symlinkSync(join(PROJECT, "packages/client"), join(own, "node_modules/@findling/client"));
  writeFileSync(join(own, "films.ndjson"), FILMS);
  await bash(own, "npx findling import films.ndjson --index films --yes");
  const program = text
    .replaceAll("http://127.0.0.1:8000", server.url)
    .replaceAll("READ KEY", server.keyOf("read"));
  writeFileSync(join(own, "program.mjs"), program);
  const { stdout } = await promisify(execFile)(process.execPath, ["program.mjs"], { cwd: own });
  expect({ info: "text", text: stdout }).toMatchObject({ info: next?.info, text: next?.text });
});

test("every kind of program that pages show is run", () => {
  expect(new Set(programs.map(({ path }) => path))).toContain("packages/client/README.md");
  const kinds = manualPages().flatMap(({ blocks }) => blocks.map(({ info }) => info));
  expect(kinds.filter((info) => /^(ts|html)\b/.test(info))).toEqual([]);
});
