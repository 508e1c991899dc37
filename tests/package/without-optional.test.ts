/**
 * The package with its dependencies alone, as `npm install --omit=optional` leaves it: a server starts, imports and
 * searches, and whatever needs a package that isn't there says which one.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPTIONAL_PACKAGES } from "../../src/errors/index.js";
import { ADMIN_KEY, ServerProcess } from "../setup/server-process.js";
import { installed, type Packed, PROJECT, pack } from "./packed.js";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as Manifest;

let packed: Packed;
let data: string;
beforeAll(() => {
  packed = pack();
  installed(packed.folder, Object.keys(manifest.dependencies));
  data = mkdtempSync(join(tmpdir(), "findling-without-optional-"));
});
afterAll(() => {
  packed.remove();
  rmSync(data, { recursive: true, force: true });
});

test("the manual, the errors and the package name the same packages", () => {
  const named = Object.keys(OPTIONAL_PACKAGES).sort();
  expect(Object.keys(manifest.optionalDependencies).sort()).toEqual(expect.arrayContaining(named));
  const page = readFileSync(join(PROJECT, "docs/deployment.md"), "utf8");
  for (const name of Object.keys(manifest.optionalDependencies)) expect(page).toContain(`\`${name}\``);
});

test("a server searches without them, and says what is missing where it is asked for", async () => {
  const server = await ServerProcess.start(
    join(data, "server"),
    {},
    [],
    join(packed.folder, "bin/findling.js"),
  );
  try {
    expect(server.output).toContain("usage events are not stored: ");
    const fields = { title: { type: "text" } };
    const draft = { name: "films", fields, language: "en", enable_language_stemming: true };
    expect((await server.request("POST", "/index", { index: draft })).status).toBe(200);
    await server.request("POST", "/index/films/documents", [{ title: "A Man Escaped" }]);
    await server.request("POST", "/index/films/commit");
    const found = await server.request("POST", "/index/films/search", {
      query: { exact: { ctx: "escaping" } },
    });
    expect(found.body.data).toMatchObject({ count: 1 });

    const event = { event_name: "search_performed", user: { user_id: "u" } };
    expect((await server.request("GET", "/measure/status")).body.data).toEqual({ enabled: false });
    for (const [method, path, body] of [
      ["POST", "/measure/event", event],
      ["GET", "/measure/dashboard/summary", undefined],
      ["GET", "/measure/export", undefined],
    ] as const)
      expect(await server.request(method, path, body)).toMatchObject(missing("@duckdb/node-api"));
    const call = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect(await server.request("POST", "/mcp", call)).toMatchObject(missing("@modelcontextprotocol/server"));
  } finally {
    await server.stop();
  }
});

test.each([
  ["@clickhouse/client", { FINDLING_MEASURE_URL: "http://findling:password@127.0.0.1:9/findling" }],
  [
    "@opensearch-project/opensearch",
    { FINDLING_BACKEND: "opensearch", FINDLING_OPENSEARCH_URL: "http://127.0.0.1:9" },
  ],
  ["aws4fetch", { FINDLING_BACKUP_URL: "s3://bucket/prefix" }],
])("a setting that needs %s stops the start", (name, env) => {
  const { status, stderr } = findling(["serve", "--port", "0", "--data-dir", join(data, "stopped")], env);
  expect(stderr).toContain(`package '${name}' is needed, which isn't installed here`);
  expect(status).not.toBe(0);
});

test("a Parquet file is not read, and the command says why", () => {
  const file = join(data, "films.parquet");
  writeFileSync(file, "PAR1 and no more");
  const { status, stderr } = findling(["import", file, "--index", "films", "--dry-run"]);
  expect(stderr).toContain("'npm install @duckdb/node-api'");
  expect(status).toBe(1);
});

test("nothing is moved to a cluster, and the command says why", () => {
  const { status, stderr } = findling(["move", "--from", data, "--to", "opensearch://127.0.0.1:9"]);
  expect(stderr).toContain("'npm install @opensearch-project/opensearch'");
  expect(status).toBe(1);
});

function missing(name: string): object {
  const error = expect.stringContaining(`'${name}'`) as string;
  return { status: 400, body: { data: { code: "not_supported", error } } };
}

function findling(parameters: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, [join(packed.folder, "bin/findling.js"), ...parameters], {
    encoding: "utf8",
    cwd: data,
    env: { PATH: process.env["PATH"], FINDLING_ADMIN_KEY: ADMIN_KEY, ...env },
  });
}
