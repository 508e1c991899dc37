// Properties: each command over what the API holds does what its help says, against a server: what it changes is seen by
// the next one; with --json results are the API's; what would lose something is asked for; mistakes have exit codes.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliResult, runCli, ServerProcess, temporaryFolder } from "./cli-harness.js";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ServerProcess;

const inFolder = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await ServerProcess.start(inFolder("data"));
  const schema = {
    primary_key: "sku",
    fields: { sku: { type: "text" }, title: { type: "text" }, price: { type: "f64", fast: true } },
  };
  await writeFile(inFolder("schema.json"), JSON.stringify(schema));
  await ok("indexes", "create", "shop", "--schema", inFolder("schema.json"));
});

afterAll(async () => {
  await server.end("SIGTERM");
  await folder.remove();
});

function run(args: readonly string[], stdin?: string): Promise<CliResult> {
  const options = { cwd: folder.path, ...(stdin !== undefined && { stdin }) };
  return runCli([...args, ...server.flags], options);
}

async function ok(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args);
  expect(stderr + stdout, args.join(" ")).not.toContain("findling:");
  expect(code, stderr).toBe(0);
  return stdout;
}

async function json(...args: readonly string[]): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(await ok(...args, "--json"));
}

describe("findling documents", () => {
  it("adds from standard input, gets, changes and deletes, committed when told", async () => {
    const added = await run(
      ["documents", "add", "shop", "-", "--json"],
      JSON.stringify([
        { sku: "a", title: "red jacket", price: 10 },
        { sku: "b", title: "blue jacket", price: 20 },
        { sku: "c", title: "hat", price: 30, colour: "none" },
      ]),
    );
    expect(JSON.parse(added.stdout)).toMatchObject({ num_added: 3, committed: false });
    expect(added.stderr).toContain("'colour'");
    expect((await json("indexes", "list")).total_document_count).toBe(0);
    expect(await ok("indexes", "commit", "shop")).toContain("commit");
    expect(await ok("indexes", "list")).toMatch(/shop +3/);

    expect(JSON.parse(await ok("documents", "get", "shop", "a", "--by-key"))).toEqual({
      sku: "a",
      title: "red jacket",
      price: 10,
    });
    const { document_id: id } = await json("documents", "get", "shop", "a", "--by-key");
    expect((await json("documents", "get", "shop", id)).doc.sku).toBe("a");

    await writeFile(inFolder("changes.json"), JSON.stringify([{ sku: "a", price: 11 }]));
    const changed = await ok("documents", "update", "shop", inFolder("changes.json"), "--commit");
    expect(changed).toBe("1 document changed, 0 added; committed\n");
    expect((await json("documents", "get", "shop", "a", "--by-key")).doc.price).toBe(11);

    expect(await ok("documents", "delete", "shop", "a", "--by-key", "--commit")).toContain(
      "1 document deleted",
    );
    expect(await ok("documents", "delete", "shop", "--where", "sku=b", "--commit")).toContain(
      "1 document deleted",
    );
    expect(await ok("documents", "delete", "shop", "--query", "title:hat")).toContain(
      "pending until a commit",
    );
    await ok("indexes", "rollback", "shop", "--yes");
    expect((await json("indexes", "list")).total_document_count).toBe(1);
    expect(await ok("documents", "delete", "shop", "--all", "--yes", "--commit")).toContain(
      "1 document deleted",
    );
  });

  it("exits by what went wrong", async () => {
    expect(await run(["documents", "get", "shop", "nobody", "--by-key"])).toMatchObject({
      code: 1,
      stdout: "",
    });
    expect(await run(["documents", "add", "shop", "-"], "{")).toMatchObject({ code: 5 });
    expect(await run(["documents", "add", "shop", "-"], '{"sku": "x", "price": "much"}')).toMatchObject({
      code: 5,
    });
    expect(await run(["documents", "add", "shop", inFolder("absent.json")])).toMatchObject({ code: 2 });
    expect(await run(["documents", "add", "shop", "-"], "[".repeat(5_000))).toMatchObject({ code: 5 });
    for (const ways of [
      [],
      ["a", "--all", "--yes"],
      ["--where", "sku"],
      ["--where", "sku=a", "--query", "*"],
    ])
      expect(await run(["documents", "delete", "shop", ...ways])).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("findling indexes", () => {
  it("shows what create takes, changes settings, and deletes what it was told to", async () => {
    await writeFile(inFolder("shown.json"), await ok("indexes", "show", "shop"));
    await ok("indexes", "create", "copy", "--schema", inFolder("shown.json"));
    const { name: _, ...shop } = await json("indexes", "show", "shop");
    const { name: __, ...copy } = await json("indexes", "show", "copy");
    expect(copy).toEqual(shop);
    const update = await run(
      ["indexes", "update", "copy", "-", "--json"],
      '{"auto_commit_delay": 7, "symbols": "+"}',
    );
    expect(JSON.parse(update.stdout)).toEqual({ index: "copy", updated: ["auto_commit_delay", "symbols"] });
    expect(await json("indexes", "show", "copy")).toMatchObject({ auto_commit_delay: 7, symbols: "+" });
    expect(await run(["indexes", "create", "copy", "--schema", inFolder("shown.json")])).toMatchObject({
      code: 1,
    });
    await ok("indexes", "create", "copy", "--schema", inFolder("shown.json"), "--override", "--yes");
    await ok("indexes", "delete", "copy", "--yes");
    expect(await run(["indexes", "show", "copy"])).toMatchObject({ code: 1 });
  });

  it("changes nothing that would be lost where nobody can be asked and --yes isn't there", async () => {
    for (const command of [
      ["indexes", "delete", "shop"],
      ["indexes", "rollback", "shop"],
      ["indexes", "create", "shop", "--schema", inFolder("schema.json"), "--override"],
      ["documents", "delete", "shop", "--all"],
      ["synonyms", "delete", "shop", "--all"],
    ]) {
      const refused = await run(command);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain("--yes");
    }
    await ok("indexes", "show", "shop");
  });
});

describe("findling synonyms and stopwords", () => {
  it("add, list and delete", async () => {
    await ok("synonyms", "add", "shop", "coat:jacket", "ny:new york,nyc");
    expect(await json("synonyms", "list", "shop")).toMatchObject({ coat: ["jacket"] });
    expect(await ok("synonyms", "list", "shop")).toMatch(/ny +new york, nyc/);
    await ok("synonyms", "delete", "shop", "coat");
    expect(Object.keys(await json("synonyms", "list", "shop"))).toEqual(["ny"]);
    await ok("synonyms", "delete", "shop", "--all", "--yes");
    expect(await ok("synonyms", "list", "shop")).toBe("there are no synonyms\n");

    await ok("stopwords", "add", "shop", "foo", "bar");
    expect((await json("stopwords", "list", "shop")).stopwords).toEqual(
      expect.arrayContaining(["bar", "foo"]),
    );
    await ok("stopwords", "delete", "shop", "foo");
    expect((await json("stopwords", "list", "shop")).stopwords).not.toContain("foo");
    await ok("stopwords", "delete", "shop", "--all", "--yes");
    expect((await json("stopwords", "list", "shop")).stopwords).not.toContain("bar");
    expect(await run(["stopwords", "delete", "shop"])).toMatchObject({ code: 2 });
    expect(await run(["stopwords", "delete", "shop", "x", "--all", "--yes"])).toMatchObject({ code: 2 });
  });
});

describe("findling federations and aliases", () => {
  it("set, show, count and delete", async () => {
    await ok("indexes", "create", "films", "--schema", inFolder("schema.json"));
    await ok("federations", "set", "all", "shop=2", "films", "--title", "Everything");
    expect(await json("federations", "show", "all")).toMatchObject({
      friendly_name: "Everything",
      index_configurations: [
        { name: "shop", weight_multiplier: 2 },
        { name: "films", weight_multiplier: 1 },
      ],
    });
    expect(await ok("federations", "list")).toContain("shop=2 films=1");
    expect((await json("federations", "stats", "all")).indices).toHaveLength(2);
    expect(await run(["federations", "set", "all", "shop=much"])).toMatchObject({ code: 2 });
    await ok("federations", "delete", "all", "--yes");
    expect(await ok("federations", "list")).toBe("there are no federations\n");

    await ok("aliases", "set", "products=shop");
    // Several at once are swapped, and none of them is made.
    expect(await run(["aliases", "set", "products=films", "offers=shop"])).toMatchObject({ code: 1 });
    await ok("aliases", "set", "offers=films");
    await ok("aliases", "set", "products=films", "offers=shop");
    expect((await json("aliases", "list")).aliases).toEqual([
      { alias: "offers", index: "shop" },
      { alias: "products", index: "films" },
    ]);
    await ok("aliases", "delete", "offers");
    expect(await ok("aliases", "list")).toMatch(/products +films/);
    expect(await run(["aliases", "set", "products"])).toMatchObject({ code: 2 });
  });
});

describe("findling dashboards", () => {
  it("tell what people searched for", async () => {
    await ok("search", "shop", "anything");
    const searches = async (): Promise<number> => (await json("dashboards", "usage")).total_searches;
    await expect.poll(searches, { timeout: 60_000, interval: 200 }).toBeGreaterThan(0);
    expect(await ok("dashboards", "summary")).toContain("anything");
    expect(await ok("dashboards", "conversion", "--rows", "5")).toContain("clicks a search");
    expect(await ok("dashboards", "breakdown", "--by", "country")).toContain("country");
    expect(
      (await json("dashboards", "summary", "--index", "shop", "--granularity", "hours")).granularity,
    ).toBe("hours");
    expect(await run(["dashboards", "summary", "--from", "sometime"])).toMatchObject({ code: 2 });
  });
});

describe("findling config print --url", () => {
  it("shows what is in force on the server, for those who may see it", async () => {
    const key = server.keyOf("admin");
    const printed = await runCli(["config", "print", "--url", server.url, "--key", key, "--json"]);
    const { settings } = JSON.parse(printed.stdout) as {
      readonly settings: readonly { readonly name: string; readonly value: string }[];
    };
    expect(settings.find(({ name }) => name === "data_dir")?.value).toBe(server.dataDir);
    expect(settings.find(({ name }) => name === "log_level")?.value).toBe("error");
    const text = await runCli(["config", "print", "--url", server.url, "--key", key]);
    expect(text.stdout).toContain("log_level");
    expect(text.stdout).not.toContain(key);
    const refused = await runCli(["config", "print", "--url", server.url, "--key", server.keyOf("read")]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
  });
});

it("reads what it is given as UTF-8, with or without a byte order mark", async () => {
  await writeFile(inFolder("bom.json"), `\uFEFF${JSON.stringify({ sku: "ü", title: "öl" })}`);
  await ok("documents", "add", "shop", inFolder("bom.json"), "--commit");
  expect((await json("documents", "get", "shop", "ü", "--by-key")).doc.title).toBe("öl");
  expect((await readFile(inFolder("bom.json"), "utf8")).codePointAt(0)).toBe(0xfeff);
});
