// Properties: every command does what its help says, over a server that has just been started for the
// first time; each exit code has a case; with --json, results and errors are JSON.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SAMPLE_SEARCHES } from "../../src/cli/demo/sample-searches.js";
import { createProgram } from "../../src/cli/program.js";
import {
  type CliResult,
  PROJECT,
  resultOf,
  runCli,
  ServerProcess,
  spawnCli,
  temporaryFolder,
} from "./cli-harness.js";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ServerProcess;

const inFolder = (name: string): string => join(folder.path, name);

function run(...args: readonly string[]): Promise<CliResult> {
  return runCli([...args, ...server.flags], { cwd: folder.path });
}

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await ServerProcess.start(inFolder("data"));
});

afterAll(async () => {
  await server.end("SIGTERM");
  await folder.remove();
});

describe("findling serve", () => {
  it("makes the keys at the first start only, prints them once, and stops in order", async () => {
    const dataDir = inFolder("first");
    const first = await ServerProcess.start(dataDir);
    expect(first.createdKeys.map(({ name }) => name)).toEqual(["admin", "ingest", "read"]);
    expect(await first.client().checkHealth()).toContain("healthy");
    expect(await first.end("SIGTERM")).toBe(0);
    const second = await ServerProcess.start(dataDir);
    expect(second.createdKeys).toEqual([]);
    expect(await second.end("SIGINT")).toBe(0);
  });

  it("prints curl lines that work as they are, and no key at a later start", async () => {
    const dataDir = inFolder("announced");
    const first = await announced(dataDir, async (text) => {
      const curls = text.match(/^ {2}curl .*$/gm) ?? [];
      expect(curls).toHaveLength(2);
      for (const curl of curls) {
        const { stdout } = await promisify(execFile)("sh", ["-c", curl]);
        expect(JSON.parse(stdout)).toMatchObject({ status: 200 });
      }
    });
    const keys = [...first.matchAll(/^ {2}(?:admin|ingest|read) +(\w{40})$/gm)].map(([, key]) => key!);
    expect(keys).toHaveLength(3);
    const second = await announced(dataDir, () => Promise.resolve());
    expect(second).toContain("npx findling keys list --url");
    for (const key of keys) expect(second).not.toContain(key);
  });

  it("exits 2 with one sentence for a bad setting, and 1 where another server has the folder", async () => {
    const bad = await runCli(["serve", "--port", "many", "--data-dir", inFolder("bad")]);
    expect(bad).toMatchObject({ code: 2, stdout: "" });
    expect(bad.stderr).toMatch(/^findling: .*port.*\n$/);
    const locked = await runCli(["serve", "--port", "0", "--data-dir", server.dataDir], {
      env: { FINDLING_LOG_LEVEL: "silent" },
    });
    expect(locked).toMatchObject({ code: 1, stdout: "" });
    expect(locked.stderr).toMatch(/^findling: .*\n$/);
  });

  it("takes settings of the other commands for none of its own", async () => {
    const result = await runCli(["config", "print", "--json", "--port", "9000"], {
      env: { FINDLING_URL: "http://x", FINDLING_KEY: "secret-secret" },
    });
    expect(result.code).toBe(0);
    const { settings } = JSON.parse(result.stdout) as { settings: { name: string; value: string }[] };
    expect(settings.find(({ name }) => name === "port")?.value).toBe("9000");
  });
});

describe("findling demo", () => {
  it("loads the sample once, and every search over it finds something, pasted as it is printed", async () => {
    const first = await run("demo", "--json");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(first.stdout)).toMatchObject({ index: "packages", documents: 2_500, loaded: true });
    const again = await run("demo");
    expect(again.stdout).toContain("2,500 packages of Debian 12 were already in index 'packages'");
    for (const { key } of server.createdKeys) expect(again.stdout).not.toContain(key);
    const pasted = again.stdout.slice(again.stdout.indexOf("FINDLING_READ_KEY="));
    expect(pasted).toMatch(/^FINDLING_READ_KEY=\$\(npx findling keys show read/);
    const answers = await answersOfPasted(pasted);
    expect(answers).toHaveLength(SAMPLE_SEARCHES.length);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.data.count).toBeGreaterThan(4);
      expect(answer.data.facets).toHaveLength(2);
    }
  });

  it("loads a month of usage events once, and shows what the dashboard makes of them", async () => {
    const loaded = await run("demo", "--events", "--json");
    expect(loaded).toMatchObject({ code: 0, stderr: "" });
    const { events } = JSON.parse(loaded.stdout) as {
      events: { events: number; summary: { total_searches: number; searches_over_time: unknown[] } };
    };
    expect(events.events).toBeGreaterThan(20_000);
    expect(events.summary.total_searches).toBeGreaterThan(10_000);
    expect(events.summary.searches_over_time.length).toBeGreaterThanOrEqual(30);
    const again = await run("demo", "--events");
    expect(again.stdout).toContain("usage events were already on the server");
    const dashboard = await server.client().getSummaryDashboard({ index_names: ["packages"], rpp: 1 });
    expect(again.stdout).toContain(dashboard.popular_search_terms[0]!.search_term);
  });

  it("doesn't touch another index unless it is told to", async () => {
    await server.client().createIndex({ name: "mine", fields: { title: { type: "text" } } });
    const refused = await run("demo", "--index", "mine");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--reset") as string });
    expect((await run("demo", "--index", "mine", "--reset")).code).toBe(0);
    expect(await server.client().getIndexStats("mine")).toEqual({ document_count: 2_500 });
  });
});

describe("findling search", () => {
  it("shows the hits of an index or a federation, and how many match", async () => {
    const client = server.client();
    await client.createIndex({ name: "seen", fields: { id: { type: "text" }, title: { type: "text" } } });
    await client.addDocuments("seen", [
      { id: "1", title: "The Third Man" },
      { id: "2", title: "Ran" },
    ]);
    await client.commitIndex("seen");
    const found = await run("search", "seen", "thrid", "--fields", "title");
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toContain("title: The Third Man");
    expect(found.stdout).toMatch(/1 document, [\d.]+ ms\n$/);
    const exact = await run("search", "seen", "*", "--mode", "exact", "--limit", "1", "--json");
    expect(JSON.parse(exact.stdout)).toMatchObject({ count: 2, hits: [{ doc: { id: "1" } }] });
    await client.createFederation({ name: "both", index_configurations: [{ name: "seen" }] });
    expect((await run("search", "both", "third", "--federation", "--json")).stdout).toContain('"count":1');
    expect(await run("search", "seen", "a AND", "--mode", "exact")).toMatchObject({
      code: expect.toSatisfy((code) => code > 0),
    });
  });
});

describe("findling export", () => {
  const documents = Array.from({ length: 450 }, (_, position) => ({
    id: String(position).padStart(4, "0"),
    even: position % 2 === 0,
  }));
  const lines = documents.map((each) => `${JSON.stringify(each)}\n`);

  it("writes every document, or those that a query finds", async () => {
    await writeFile(inFolder("numbers.ndjson"), lines.join(""));
    expect((await run("import", inFolder("numbers.ndjson"), "--index", "numbers")).code).toBe(0);
    expect(await run("export", "numbers")).toMatchObject({ code: 0, stdout: lines.join("") });
    const packed = await run(
      "export",
      "numbers",
      "--query",
      "even:true",
      "--out",
      inFolder("even.ndjson.gz"),
      "--json",
    );
    expect(JSON.parse(packed.stdout)).toMatchObject({ index: "numbers", documents: 225 });
    const text = gunzipSync(await readFile(inFolder("even.ndjson.gz"))).toString();
    expect(text).toBe(lines.filter((_, position) => position % 2 === 0).join(""));
  });

  it("writes the index as it was when the export began, whatever happens to it meanwhile", async () => {
    const client = server.client();
    await client.createIndex({ name: "shrinking", fields: { id: { type: "text" }, text: { type: "text" } } });
    // More than a pipe holds, so that the export waits for its reader.
    const long = documents.map(({ id }) => ({ id, text: "word ".repeat(2_000) }));
    await client.addDocuments("shrinking", long);
    await client.commitIndex("shrinking");
    const child = spawnCli(["export", "shrinking", ...server.flags]);
    const done = resultOf(child);
    await once(child.stdout!, "data");
    child.stdout!.pause();
    await client.deleteAllDocuments("shrinking");
    await client.commitIndex("shrinking");
    await client.deleteIndex("shrinking");
    child.stdout!.resume();
    const { code, stdout } = await done;
    expect(code).toBe(0);
    const ids = stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual(documents.map(({ id }) => id));
  });

  it("leaves no file behind where the query is wrong", async () => {
    const result = await run("export", "numbers", "--query", "even:", "--out", inFolder("none.ndjson"));
    expect(result.code).toBe(2);
    expect((await readdir(folder.path)).filter((name) => name.startsWith("none"))).toEqual([]);
  });
});

describe("findling keys --expires", () => {
  it("ends a key's time, moves its end and takes it away", async () => {
    const keys = async (...args: string[]): Promise<{ id: string; key: string; expires_at?: string }> =>
      JSON.parse((await run("keys", ...args, "--json")).stdout);
    const end = "2199-01-31T00:00:00.000Z";
    const made = ["create", "--name", "guest", "--permissions", "read", "--index", "packages"];
    const { id, key, ...guest } = await keys(...made, "--expires", "2199-01-31");
    expect(guest.expires_at).toBe(end);
    const lineOf = async (): Promise<string> =>
      (await run("keys", "list")).stdout.split("\n").find((line) => line.startsWith(id))!;
    expect(await lineOf()).toContain(`until ${end}`);
    const past = "2001-01-31T00:00:00.000Z";
    expect(await keys("update", id, "--expires", past)).toMatchObject({ expires_at: past });
    expect(await lineOf()).toContain(`expired ${past}`);
    expect(
      await runCli(["indexes", "list", "--url", server.url], { env: { FINDLING_KEY: key } }),
    ).toMatchObject({
      code: 4,
    });
    expect(await keys("update", id, "--expires", "never")).not.toHaveProperty("expires_at");
    expect((await run("keys", "update", id, "--expires", "tomorrow")).code).not.toBe(0);
    await run("keys", "delete", id);
  });
});

describe("findling keys", () => {
  it("creates, lists, changes and deletes", async () => {
    const created = await run(
      "keys",
      "create",
      "--name",
      "shop",
      "--permissions",
      "read",
      "--index",
      "numbers",
      "packages",
      "--json",
    );
    const key = JSON.parse(created.stdout) as { key: string; id: string };
    expect(key).toMatchObject({
      name: "shop",
      permissions: 1,
      allowed_indexes: ["numbers", "packages"],
      status: "active",
    });
    const updated = await run("keys", "update", key.key, "--status", "inactive", "--json");
    expect(JSON.parse(updated.stdout)).toMatchObject({ name: "shop", status: "inactive" });
    expect((await run("keys", "list")).stdout).toMatch(
      new RegExp(`${key.key} +shop +read \\(1\\) +numbers, packages +inactive`),
    );
    expect((await run("keys", "show", "shop")).stdout).toBe(`${key.key}\n`);
    const manager = await run("keys", "create", "--name", "manager", "--permissions", "40", "--json");
    const weak = { env: { FINDLING_KEY: (JSON.parse(manager.stdout) as { key: string }).key } };
    const listed = await runCli(["keys", "list", "--url", server.url], weak);
    expect(listed.stdout).toMatch(new RegExp(`^${key.id} +[*]{8}${key.key.slice(-4)} +shop `, "m"));
    expect(await runCli(["keys", "show", "shop", "--url", server.url], weak)).toMatchObject({
      code: 4,
      stdout: "",
    });
    expect((await run("keys", "delete", key.id)).stdout).toBe("key deleted\n");
    expect(await run("keys", "delete", key.key)).toMatchObject({ code: 1 });
    expect(await run("keys", "show", "shop")).toMatchObject({ code: 1, stdout: "" });
    expect((await run("keys", "create", "--name", "none")).stderr).toMatch(/may use no index yet/);
    for (const scope of [
      ["--index", "*"],
      ["--federation", "f"],
      ["--permissions", "admin"],
    ]) {
      expect((await run("keys", "create", ...scope)).stderr).toBe("");
    }
    expect(await run("keys", "create", "--permissions", "everything")).toMatchObject({ code: 2 });
    expect(await run("keys", "update", key.key)).toMatchObject({ code: 2 });
  });
});

describe("findling inspect", () => {
  it("shows segments, terms, postings and a document's path through analysis", async () => {
    const inspect = async (...args: readonly string[]): Promise<unknown> => {
      const result = await runCli(["inspect", "packages", "--data-dir", server.dataDir, "--json", ...args]);
      expect(result).toMatchObject({ code: 0, stderr: "" });
      return JSON.parse(result.stdout);
    };
    expect(await inspect()).toMatchObject({ docCount: 2_500 });
    const { terms } = (await inspect("--field", "title", "--terms", "edit", "--limit", "5")) as {
      terms: { term: string }[];
    };
    expect(terms.map(({ term }) => term)).toContain("editor");
    expect(terms.every(({ term }) => term.startsWith("edit"))).toBe(true);
    const { postings } = (await inspect("--field", "title", "--term", "editor", "--limit", "3")) as {
      postings: { documentId: string; positions: number[] }[];
    };
    expect(postings).toHaveLength(3);
    const { documentId, positions } = postings[0]!;
    const document = (await inspect("--document", documentId)) as {
      tokens: { title: { text: string; position: number }[][] };
    };
    const tokens = document.tokens.title[0]!.filter(({ text }) => text === "editor");
    expect(tokens.map(({ position }) => position)).toEqual(positions);
    const text = await runCli([
      "inspect",
      "packages",
      "--data-dir",
      server.dataDir,
      "--document",
      documentId,
    ]);
    expect(text.stdout).toContain("as analysis sees it");
  });

  it("says which indexes there are, and what is asked for wrongly", async () => {
    const where = ["--data-dir", server.dataDir];
    expect(await runCli(["inspect", "nothing", ...where])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("'packages'") as string,
    });
    expect(await runCli(["inspect", "packages", "--term", "x", ...where])).toMatchObject({ code: 2 });
    expect(await runCli(["inspect", "packages", "--terms", "--document", "x", ...where])).toMatchObject({
      code: 2,
    });
  });
});

describe("findling check", () => {
  it("finds a sound folder sound, and a flipped byte in whatever file it is", async () => {
    const sound = await runCli(["check", server.dataDir, "--json"]);
    expect(JSON.parse(sound.stdout)).toMatchObject({ sound: true, problems: [] });
    expect(sound.code).toBe(0);
    const copy = inFolder("copy");
    // Node copies no sockets, and there is one beside the lock.
    const isCopied = (path: string): boolean => !path.includes("/.lock-");
    await cp(server.dataDir, copy, { recursive: true, filter: isCopied });
    const stored = (await readdir(copy, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    const damageable = stored
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => /\/(catalog|indexes)\//.test(path));
    const path = damageable.find((each) => each.endsWith(".doc"))!;
    for (const damaged of [path, join(copy, "catalog", "keys.json")]) {
      await flipByteInTheMiddle(damaged);
      const result = await runCli(["check", copy, "--json"]);
      expect(result.code).toBe(6);
      const { problems } = JSON.parse(result.stdout) as { problems: { file: string }[] };
      expect(problems.some(({ file }) => damaged.endsWith(file))).toBe(true);
      await flipByteInTheMiddle(damaged);
    }
    expect((await runCli(["check", copy])).code).toBe(0);
    const events = join(copy, "measure", "waiting", `000000000001-${randomUUID()}.events`);
    await mkdir(dirname(events), { recursive: true });
    await writeFile(events, "not what was written there".repeat(9));
    const result = await runCli(["check", copy, "--json"]);
    expect([result.code, JSON.parse(result.stdout)]).toMatchObject([6, { problems: [{ file: events }] }]);
  });

  it("exits 1 where there is nothing to check", async () => {
    expect(await runCli(["check", inFolder("nowhere")])).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("mistakes", () => {
  it.each([
    ["an unknown command", ["find"], 2],
    ["an unknown option", ["export", "x", "--fast"], 2],
    ["a missing argument", ["export"], 2],
    ["an argument too many", ["check", "x", "y"], 2],
    ["a missing option", ["import", "x.ndjson"], 2],
    ["a missing file", ["import", "no-such-file.ndjson", "--index", "x"], 2],
    ["an address that is none", ["keys", "list", "--url", "nowhere"], 2],
    ["no server", ["keys", "list", "--url", "http://127.0.0.1:1"], 3],
  ])("%s is one line, as JSON for scripts", async (_, args, code) => {
    const plain = await runCli(args, { cwd: folder.path });
    expect(plain).toMatchObject({ code, stdout: "" });
    expect(plain.stderr).toMatch(/^findling: [^\n]+[^.\n]\n$/);
    expect(plain.stderr).not.toContain(".;");
    const json = await runCli([...args, "--json"], { cwd: folder.path });
    expect(json).toMatchObject({ code, stdout: "" });
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code: expect.any(String) as string, message: expect.any(String) as string },
    });
  });

  it("exits 4 for a key that is unknown or may not", async () => {
    const unknown = await runCli(["keys", "list", "--url", server.url, "--key", "not-a-key-at-all"]);
    expect(unknown).toMatchObject({ code: 4 });
    const tooLittle = await runCli(["keys", "list", "--url", server.url], {
      env: { FINDLING_KEY: server.keyOf("read") },
    });
    expect(tooLittle).toMatchObject({ code: 4 });
  });

  it("sends the local key to no other address", async () => {
    await mkdir(inFolder("no-data"));
    const result = await runCli([
      "keys",
      "list",
      "--url",
      server.url.replace("127.0.0.1", "localhost"),
      "--data-dir",
      inFolder("no-data"),
    ]);
    expect(result).toMatchObject({ code: 4 });
  });

  it("exits 5 for a schema that the server refuses", async () => {
    await writeFile(inFolder("one.ndjson"), '{"id":"1"}\n');
    await writeFile(inFolder("bad-schema.json"), '{"fields":{"id":{"type":"words"}}}');
    expect(
      await run("import", inFolder("one.ndjson"), "--index", "x", "--schema", inFolder("bad-schema.json")),
    ).toMatchObject({ code: 5 });
  });

  it("answers a command that needs another one with its help alone", async () => {
    for (const args of [[], ["keys"], ["config"]]) {
      const result = await runCli(args);
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(result.stderr).toMatch(/^Usage: findling[\s\S]*Commands:/);
      expect(result.stderr).not.toContain("findling: ");
    }
    expect((await runCli(["exprot"])).stderr).toContain("Did you mean export?");
  });

  it.each([
    [["exprot"], "findling"],
    [["sync", "x.csv"], "findling sync"],
    [["keys", "show"], "findling keys show"],
    [["keys", "shwo"], "findling keys"],
  ])("names the help that %j needed", async (args, asked) => {
    expect((await runCli(args)).stderr).toMatch(new RegExp(`; see '${asked} --help'\n$`));
  });

  it("says of a source that isn't there which one it is", async () => {
    const result = await run("sync", "no-such-folder/", "--index", "x", "--primary-key", "id");
    expect(result).toMatchObject({ code: 2, stderr: "findling: file 'no-such-folder/' does not exist\n" });
  });

  it("prints help with examples for every command, and exit codes", async () => {
    const commands = allCommands(createProgram());
    expect(commands.length).toBeGreaterThan(12);
    for (const command of commands) {
      let help = "";
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect(help).toContain("Examples:\n");
    }
    const help = await runCli(["import", "--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("Examples:");
    expect((await runCli(["--help"])).stdout).toContain("Exit codes:");
    const { version } = JSON.parse(await readFile(join(PROJECT, "package.json"), "utf8")) as {
      version: string;
    };
    expect((await runCli(["--version"])).stdout).toBe(`${version}\n`);
  });
});

/** What `findling serve` tells people, looked at while it runs. */
async function announced(dataDir: string, look: (text: string) => Promise<void>): Promise<string> {
  const child = spawnCli(["serve", "--port", "0", "--data-dir", dataDir], {
    env: { FINDLING_LOG_LEVEL: "silent" },
  });
  let text = "";
  child.stdout!.setEncoding("utf8");
  try {
    for await (const part of child.stdout! as AsyncIterable<string>) {
      text += part;
      if (!text.includes("demo")) continue;
      await look(text);
      break;
    }
  } finally {
    child.kill("SIGTERM");
  }
  await once(child, "close");
  return text;
}

/** What a shell gets that everything was pasted into; npx finds the binary by itself only in the package. */
async function answersOfPasted(
  text: string,
): Promise<{ status: number; data: { count: number; facets: unknown[] } }[]> {
  const npx = inFolder("npx");
  await writeFile(
    npx,
    `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(PROJECT, "bin/findling.js")}' "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const script = text.replaceAll(/(-d '.*')$/gm, "$1; echo");
  const { stdout } = await promisify(execFile)("sh", ["-ec", script], {
    env: { ...process.env, PATH: `${folder.path}:${process.env["PATH"]}` },
  });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Awaited<ReturnType<typeof answersOfPasted>>[number]);
}

function allCommands(command: Command): Command[] {
  const subcommands = command.commands.filter((each) => each.name() !== "help");
  return subcommands.flatMap((each) => [each, ...allCommands(each)]);
}

async function flipByteInTheMiddle(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    const { size } = await file.stat();
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, size >> 1);
    byte[0]! ^= 1;
    await file.write(byte, 0, 1, size >> 1);
    await file.sync();
  } finally {
    await file.close();
  }
}
