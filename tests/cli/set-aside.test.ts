// Properties: an index whose catalog entry is lost is named by check, doctor and the start's log, stays as it is whatever
// a server does meanwhile, and is taken back with all that belonged to it; doctor's exit codes are those of check.
import { once } from "node:events";
import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServerProcess as LoggingServer } from "../setup/server-process.js";
import { resultOf, runCli, ServerProcess, spawnCli, temporaryFolder } from "./cli-harness.js";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let data: string;
/** Name of the index's folder. */
let storage: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  data = join(folder.path, "data");
  const server = await ServerProcess.start(data);
  const client = server.client();
  await client.createIndex({
    name: "books",
    fields: { title: { type: "text" }, year: { type: "u64" }, shelf: { type: "facet", multi: true } },
    weight_multipliers: { title: 3 },
  });
  await client.addDocuments("books", [{ title: "winter", year: 1623, shelf: ["/a"] }]);
  await client.commitIndex("books");
  await client.addSynonyms("books", ["cold:winter"]);
  expect(await server.end("SIGTERM")).toBe(0);
  storage = (await readdir(join(data, "indexes")))[0]!;
});

afterEach(async () => {
  await folder.remove();
});

async function loseEntry(): Promise<void> {
  await rm(join(data, "catalog", "indexes", "books.json"));
}

const run = (...args: readonly string[]): ReturnType<typeof runCli> =>
  runCli(args, { env: { FINDLING_DATA_DIR: data, FINDLING_PORT: "0" } });

async function found(server: ServerProcess, index: string, query: string): Promise<unknown> {
  const admin = server.createdKeys[0]?.key ?? (await adminKey());
  const answer = await server.client(admin).searchIndex(index, { query: { exact: { ctx: query } } });
  return answer.hits.map(({ doc }) => doc);
}

async function adminKey(): Promise<string> {
  const shown = await resultOf(spawnCli(["keys", "show", "admin", "--data-dir", data, "--url", current.url]));
  return shown.stdout.trim();
}

let current: ServerProcess;

async function start(): Promise<ServerProcess> {
  current = await ServerProcess.start(data);
  return current;
}

const DOCUMENT = { title: "winter", year: 1623, shelf: ["/a"] };

describe("an index whose catalog entry is lost", () => {
  it("is named by check and doctor, with how to take it back, and by the log of the next start", async () => {
    expect((await run("check")).code).toBe(0);
    expect((await run("doctor")).code).toBe(0);
    await loseEntry();
    for (const command of ["check", "doctor"]) {
      const told = await run(command);
      expect(told.code).toBe(6);
      expect(told.stdout).toContain("index 'books' of 1 document");
      expect(told.stdout).toContain(`findling adopt ${storage}`);
    }
    const checked = JSON.parse((await run("check", "--json")).stdout) as Record<string, unknown>;
    expect(checked).toMatchObject({ sound: false, set_aside: [{ storage, name: "books", documents: 1 }] });
    const server = await LoggingServer.start(data);
    expect(server.output).toContain(`findling adopt ${storage}`);
    await server.stop();
  });

  it("or damaged is named likewise, while a server goes on, and is taken back in its place", async () => {
    const file = join(data, "catalog", "indexes", "books.json");
    await writeFile(file, (await readFile(file)).subarray(0, 50));
    for (const command of ["check", "doctor"]) {
      const told = await run(command);
      expect(told.code).toBe(6);
      expect(told.stdout).toContain(`file '${file}' is damaged`);
      expect(told.stdout).toContain(`findling adopt ${storage}`);
    }
    const server = await LoggingServer.start(data);
    expect(server.output).toContain(`file '${file}' is damaged`);
    expect(server.output).toContain(`findling adopt ${storage}`);
    await server.stop();
    expect((await run("adopt", storage)).code).toBe(0);
    const checked = await run("check");
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain("books.json.damaged");
    const again = await start();
    expect(await found(again, "books", "winter")).toEqual([DOCUMENT]);
    await again.end("SIGTERM");
  });

  it("is taken back with its documents, settings and synonyms", async () => {
    await loseEntry();
    await (await start()).end("SIGTERM");
    const adopted = await run("adopt", storage, "--json");
    expect(adopted).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(adopted.stdout)).toMatchObject({
      index: "books",
      documents: 1,
      settings_from_files: true,
    });
    expect((await run("check")).code).toBe(0);
    const server = await start();
    expect(await found(server, "books", "winter AND year:1623")).toEqual([DOCUMENT]);
    const view = await server.client(await adminKey()).getIndex("books");
    expect(view).toMatchObject({ weight_multipliers: { title: 3 } });
    const synonyms = await server.client(await adminKey()).getSynonyms("books");
    expect(synonyms).toEqual({ cold: ["winter"] });
    await server.end("SIGTERM");
  });

  it("stays while another one of its name is made, replaced and deleted, and comes back under another name", async () => {
    await loseEntry();
    const server = await start();
    const client = server.client(await adminKey());
    await client.createIndex({ name: "books", fields: { other: { type: "text" } } });
    expect(await run("adopt", storage)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is locked by process") as string,
    });
    await server.end("SIGTERM");
    expect(await run("adopt", storage)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--name") as string,
    });
    expect((await run("adopt", storage, "--name", "old-books")).code).toBe(0);
    const again = await start();
    expect(await found(again, "old-books", "winter")).toEqual([DOCUMENT]);
    expect(await found(again, "books", "*")).toEqual([]);
    await again.end("SIGTERM");
  });

  it("of a version that left no description is made of what its files say", async () => {
    await loseEntry();
    await rm(join(data, "indexes", storage, "index.json"));
    expect((await run("adopt", storage)).code).toBe(2);
    const adopted = await run("adopt", storage, "--name", "books");
    expect(adopted).toMatchObject({ code: 0, stderr: expect.stringContaining("PATCH") as string });
    const server = await start();
    expect(await found(server, "books", "winter AND year:>1600 AND shelf:/a")).toEqual([DOCUMENT]);
    await server.end("SIGTERM");
  });

  it("is taken back, too, where the whole catalog is lost", async () => {
    await rm(join(data, "catalog"), { recursive: true });
    expect((await run("check")).code).toBe(6);
    expect((await run("adopt", storage)).code).toBe(0);
    const server = await start();
    // Keys were in the catalog, so new ones have been made.
    expect(server.createdKeys).toHaveLength(3);
    expect(await found(server, "books", "winter")).toEqual([DOCUMENT]);
    await server.end("SIGTERM");
  });

  it("can't be taken back twice, nor what isn't there", async () => {
    expect(await run("adopt", storage)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not set aside") as string,
    });
    expect((await run("adopt", "nothing")).code).not.toBe(0);
    expect((await run("check")).code).toBe(0);
  });
});

describe("findling doctor", () => {
  it("names who holds the folder, and goes on beside it", async () => {
    const server = await start();
    const told = await run("doctor");
    expect(told).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`process ${server.child.pid}`) as string,
    });
    await server.end("SIGTERM");
    expect((await run("doctor")).stdout).toContain("no process holds the folder");
  });

  it("finds settings that no server would start with, and a clock behind the files", async () => {
    const wrong = await runCli(["doctor", "--json"], {
      env: { FINDLING_DATA_DIR: data, FINDLING_PORT: "many" },
    });
    expect(wrong.code).toBe(1);
    const { findings, well } = JSON.parse(wrong.stdout) as { findings: object[]; well: boolean };
    expect(well).toBe(false);
    expect(findings).toContainEqual(expect.objectContaining({ check: "configuration", standing: "problem" }));
    const later = new Date(Date.now() + 86_400_000);
    await utimes(join(data, "catalog", "keys.json"), later, later);
    const clock = await run("doctor");
    expect(clock).toMatchObject({ code: 1, stdout: expect.stringMatching(/PROBLEM +clock/) as string });
  });

  it("is well with a folder that no server has had yet", async () => {
    const result = await runCli(["doctor", join(folder.path, "none")], { env: { FINDLING_PORT: "0" } });
    expect(result.code).toBe(0);
  });

  it("tells whether the server answers, could listen, and reaches what its settings name", async () => {
    const unheard = createServer();
    unheard.listen(0, "127.0.0.1");
    await once(unheard, "listening");
    const { port } = unheard.address() as AddressInfo;
    const none = join(folder.path, "none");
    const findings = async (
      env: Record<string, string>,
      dataDir: string,
    ): Promise<Record<string, string>> => {
      const { stdout } = await runCli(["doctor", dataDir, "--json"], { env });
      const told = JSON.parse(stdout) as {
        readonly findings: readonly Readonly<Record<"check" | "standing" | "finding", string>>[];
      };
      return Object.fromEntries(
        told.findings.map(({ check, standing, finding }) => [check, `${standing}: ${finding}`]),
      );
    };
    try {
      const env = {
        FINDLING_PORT: String(port),
        FINDLING_MEASURE_URL: `http://somebody:hidden-password@127.0.0.1:${port}/events`,
        FINDLING_BACKUP_URL: pathToFileURL(join(folder.path, "no-backups")).href,
        // Nobody listens there.
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      };
      const told = await findings(env, none);
      expect(told["address"]).toMatch(/^problem: a server can't listen on .*EADDRINUSE/);
      expect(told["ClickHouse"]).toBe(`ok: 127.0.0.1:${port} takes connections`);
      expect(told["collector"]).toMatch(/^problem: 127\.0\.0\.1:1 can't be reached \(ECONNREFUSED\)$/);
      expect(told).toHaveProperty("backups");
      expect(JSON.stringify(told)).not.toContain("hidden-password");
    } finally {
      unheard.close();
    }
    expect((await findings({ FINDLING_PORT: String(port) }, none))["address"]).toMatch(
      /^ok: a server can listen/,
    );
    const server = await start();
    try {
      const told = await findings({ FINDLING_PORT: String(server.port) }, data);
      expect(told["address"]).toBe(`ok: a server answers at http://127.0.0.1:${server.port}`);
      expect((await findings({ FINDLING_PORT: String(port) }, data))["address"]).toMatch(
        /^warning: nothing answers/,
      );
    } finally {
      await server.end("SIGTERM");
    }
  });
});
