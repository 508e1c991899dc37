// Properties: whatever is asked wrongly of any command is told in one line, with a status that is in the manual, what
// was wrong in it, no stack and no secret; every command takes part in what can go wrong with all of them: an option
// that there isn't, a missing operand, no server, half an address, a key that nobody knows.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, CommanderError } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeFailure } from "../../src/cli/describe-failure.js";
import { createProgram } from "../../src/cli/program.js";
import { wrongUsage } from "../../src/cli/wrong-usage.js";
import { ADMIN, WireServer } from "../wire/wire-server.js";
import { runCli } from "./cli-harness.js";

const SECRET = "hunter2hunter2hunter2hunter2hunter2hunte";

let server: WireServer;
let folder = "";
let url = "";
const environment = { ...process.env };

beforeAll(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith("FINDLING_")) delete process.env[name];
  server = await WireServer.start();
  url = `http://127.0.0.1:${server.running.address.port}`;
  folder = await mkdtemp(join(tmpdir(), "findling-wrong-"));
  await mkdir(join(folder, "dir"));
  await writeFile(join(folder, "a.csv"), "sku,name\n1,a\n2,b\n");
  await writeFile(join(folder, "half.json"), "{");
  await writeFile(join(folder, "list.json"), "[1]");
  await server.post("/index", {
    index: { name: "a", fields: { sku: { type: "text" }, name: { type: "text" } } },
  });
});
afterAll(async () => {
  process.env = environment;
  await server.stopAndRemove();
  await rm(folder, { recursive: true });
});

interface Told {
  readonly code: number;
  readonly message: string;
}

/** What a command line that fails says, and its status. */
async function told(words: readonly string[]): Promise<Told> {
  const program = createProgram();
  try {
    await program.parseAsync(["node", "findling", ...words]);
  } catch (thrown) {
    if (thrown instanceof CommanderError) return { code: 2, message: wrongUsage(thrown, program, words) };
    const { exitCode: code, message } = describeFailure(thrown);
    return { code, message };
  }
  return { code: 0, message: "" };
}

function requireOneLine({ message }: Told): void {
  expect(message).toMatch(/^\S.{10,300}$/u);
  expect(message).not.toMatch(/ {4}at |node:|\.[jt]s:\d|undefined|\[object|\.\.|\. [a-z]/);
  expect(message).not.toContain(SECRET);
}

/** Every command that does something, with the words that call it. */
function commandsOf(parent: Command, before: readonly string[] = []): [string, Command][] {
  return parent.commands
    .filter((each) => each.name() !== "help")
    .flatMap((each) => {
      const words = [...before, each.name()];
      return each.commands.length > 0 ? commandsOf(each, words) : [[words.join(" "), each] as const];
    })
    .map(([words, each]) => [words, each]);
}

const COMMANDS = commandsOf(createProgram());
const ON_SERVERS = COMMANDS.filter(
  ([words, each]) =>
    each.options.some(({ long }) => long === "--url") && !/^(config|backup restore)/.test(words),
);

/** Words with which a command gets as far as to ask the server. */
function whole(words: string, each: Command): readonly string[] {
  const operands = each.registeredArguments
    .filter(({ required }) => required)
    .map((argument) => OPERANDS[argument.name()] ?? "a");
  const options = each.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(({ long }) => [long!, long === "--schema" ? file("schema.json") : "b"]);
  const known = new Set(each.options.map(({ long }) => long));
  return [
    ...words.split(" "),
    ...operands,
    ...options,
    ...(known.has("--yes") ? ["--yes"] : []),
    ...(known.has("--retry-seconds") ? ["--retry-seconds", "0"] : []),
    "--json",
    ...(MORE[words] ?? []),
  ];
}

const file = (name: string): string => join(folder, name);
const OPERANDS: Readonly<Record<string, string>> = {
  get file() {
    return file("item.json");
  },
  "alias=index": "x=a",
  "index[=weight]": "a",
  entry: "x:y",
};
const MORE: Readonly<Record<string, readonly string[]>> = {
  get sync() {
    return [file("a.csv"), "--primary-key", "sku"];
  },
  "documents delete": ["--all"],
  "synonyms delete": ["--all"],
  "stopwords delete": ["--all"],
  "keys update": ["--name", "n"],
};

describe("what is asked wrongly of one command", () => {
  it("help for a command that there isn't", async () => {
    expect(await told(["help", "nope"])).toEqual({
      code: 2,
      message: "unknown command 'nope'; see 'findling --help'",
    });
    expect(await told(["help", "keys", "keys"])).toEqual({
      code: 2,
      message: "unknown command 'keys'; see 'findling keys --help'",
    });
    const { stdout, code } = await runCli(["help", "keys", "create"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Usage: findling keys create");
  });

  it("a synonym that is none, by what it says", async () => {
    const answer = await told(["synonyms", "add", "a", "red:crimson", "foo", "--url", url, "--key", ADMIN]);
    expect(answer).toEqual({ code: 2, message: expect.stringMatching(/^'foo' must be keys:terms/) });
    const words = ["synonyms", "add", "a", "foo", "--json", "--url", url, "--key", ADMIN];
    expect(JSON.parse((await runCli(words)).stderr)).toMatchObject({ error: { code: "invalid_request" } });
  });

  it.each([
    ["a.csv", "--sheet", "First", "is no Excel file, which --sheet is for"],
    ["item.json", "--delimiter", ";", "is no CSV, which --delimiter is for"],
  ])("for %s, %s", async (name, option, value, said) => {
    await writeFile(file("item.json"), '{"sku": "3", "name": "c"}');
    const { stderr, code } = await runCli([
      ...["import", file(name), "--index", "a", option, value, "--yes", "--url", url, "--key", ADMIN],
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain(said);
  });

  it("a cluster that isn't there, by its address", async () => {
    const answer = await told([
      ...["move", "--from", "opensearch://127.0.0.1:1/findling"],
      ...["--to", join(folder, "moved")],
    ]);
    expect(answer.code).toBe(3);
    requireOneLine(answer);
    expect(answer.message).toContain("'opensearch://127.0.0.1:1/findling'");
  });
});

describe.each(COMMANDS)("findling %s", (words, each) => {
  it("names an option that there isn't, and its help", async () => {
    const operands = each.registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? "x");
    const required = each.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long!, "x"]);
    const answer = await told([...words.split(" "), ...operands, ...required, "--nope"]);
    expect(answer).toEqual({
      code: 2,
      message: expect.stringMatching(
        new RegExp(`^unknown option '--nope'.*; see 'findling ${words} --help'$`),
      ),
    });
  });

  it.runIf(each.registeredArguments.some(({ required }) => required))("names what is missing", async () => {
    const required = each.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long!, "x"]);
    const [first] = each.registeredArguments;
    expect(await told([...words.split(" "), ...required])).toEqual({
      code: 2,
      message: `missing required argument '${first!.name()}'; see 'findling ${words} --help'`,
    });
  });

  it.runIf(each.options.some(({ mandatory }) => mandatory))("names a missing option", async () => {
    const { code, message } = await told([...words.split(" "), "x"]);
    expect([code, message]).toEqual([2, expect.stringMatching(/^required option '--.* not specified; see/)]);
  });
});

describe.each(ON_SERVERS)("findling %s, which asks a server", (words, each) => {
  beforeAll(async () => {
    await writeFile(file("schema.json"), '{"fields": {"t": {"type": "text"}}}');
    await writeFile(file("item.json"), '{"t": "x"}');
  });
  const at = (...more: readonly string[]): Promise<Told> => told([...whole(words, each), ...more]);

  it("says that none answers, and what to do", async () => {
    const answer = await at("--url", "http://127.0.0.1:9", "--key", SECRET);
    requireOneLine(answer);
    expect(answer).toEqual({ code: 3, message: expect.stringContaining("http://127.0.0.1:9") });
  });

  it("says that a key isn't known", async () => {
    const answer = await at("--url", url, "--key", SECRET);
    requireOneLine(answer);
    expect(answer).toEqual({ code: 4, message: "the access key is not known" });
  });

  it("says that it has no key, and how to give one", async () => {
    const answer = await at("--url", url, "--data-dir", file("dir"));
    requireOneLine(answer);
    expect(answer).toEqual({ code: 4, message: expect.stringContaining("--key") });
  });

  it.each([
    "http://",
    "127.0.0.1:8000",
    "localhost",
    "ftp://localhost",
    "http://127.0.0.1:99999",
    `http://me:${SECRET}@127.0.0.1`,
    `htp://me:${SECRET}@127.0.0.1`,
    `me:${SECRET}@127.0.0.1`,
    "http://127.0.0.1:9?x=1",
  ])("refuses '%s' for an address", async (half) => {
    const answer = await at("--url", half, "--key", "x");
    requireOneLine(answer);
    expect(answer).toEqual({ code: 2, message: expect.stringMatching(/address/) });
  });
});

type Row = readonly [words: () => string, code: number, ...says: string[]];

const LOCAL: readonly Row[] = [
  [() => "serch", 2, "unknown command 'serch'", "search"],
  [() => "indexes foo", 2, "unknown command 'foo'", "findling indexes --help"],
  [() => "completions tcsh", 2, "'tcsh' is invalid", "bash, zsh, fish"],
  [() => "search a b c", 2, "too many arguments for 'search': expected 2 arguments, got 3"],
  [() => `import ${file("a.csv")} --index x --commit-every many`, 2, "is invalid: it must be a whole number"],
  [() => `import ${file("a.csv")} --index x --commit-every 0`, 2, "is invalid: it must be at least 1"],
  [() => `import ${file("a.csv")} --index x --format xml`, 2, "is invalid: allowed choices are ndjson"],
  [() => `import ${file("none.csv")} --index x`, 2, "none.csv' does not exist"],
  [() => `import ${file("dir")} --index x`, 2, "dir' is a folder, not a file"],
  [
    () => `import ${file("a.csv/b")} --index x`,
    2,
    "a.csv/b' does not exist: a part of its path is no folder",
  ],
  [() => `import ${file("a.csv")} --index x --encoding none`, 2, "--encoding 'none' is not known"],
  [() => `import ${file("a.csv")} --index x --delimiter ab`, 2, "--delimiter must be one"],
  [() => `sync ${file("none.csv")} --index x`, 2, "none.csv' does not exist"],
  [() => `sync ${file("dir")} --index x`, 5, "holds no file"],
  [() => `sync ${file("a.csv")} --index x --max-deletes few`, 2, "--max-deletes must be"],
  [() => `check ${file("none")}`, 1, "none' holds no data of a findling server", "findling serve"],
  [() => `check ${file("a.csv")}`, 1, "a.csv' holds no data of a findling server"],
  [() => `inspect a --data-dir ${file("none")}`, 1, "none' holds no data of a findling server"],
  [() => `inspect a --field name --data-dir ${file("none")}`, 2, "--terms or --term"],
  [() => `adopt x --data-dir ${file("none")}`, 1, "none' holds no data of a findling server"],
  [() => `adopt x --data-dir ${file("a.csv")}`, 1, "a.csv' holds no data of a findling server"],
  [() => "backup list", 2, "--from", "FINDLING_BACKUP_URL"],
  [() => "backup list --from folder", 2, "file:///"],
  [() => "backup prune --keep 0", 2, "at least 1"],
  [() => `move --from ${file("none")} --to ${file("new")}`, 1, "none' holds no data of a findling server"],
  [() => `config print --config ${file("none")}`, 2, "none' can't be read"],
  [() => "config print --port many", 2, "--port must be a whole number"],
  [() => `indexes list --data-dir ${file("none")}`, 2, "none' does not exist"],
  [() => `indexes list --key 鍵${SECRET}`, 2, "characters that no key has"],
];

const REMOTE: readonly Row[] = [
  [() => `import ${file("a.csv")} --index b --schema ${file("none")}`, 2, "none' does not exist"],
  [() => `import ${file("a.csv")} --index b --schema ${file("dir")}`, 2, "dir' is a folder, not a file"],
  [() => `import ${file("a.csv")} --index b --schema ${file("half.json")}`, 2, "not valid JSON"],
  [() => `import ${file("a.csv")} --index b --schema ${file("list.json")}`, 2, '"fields"'],
  [() => `import ${file("half.json")} --index b --yes`, 5, "half.json:1:", "--skip-bad"],
  [() => `import ${file("a.csv")} --index b --yes --primary-key no`, 5, "no field 'no'"],
  [
    () => `import ${file("a.csv")} --index b --yes --state ${file("no/s")}`,
    1,
    "its folder does not exist",
    "--state",
  ],
  [() => "reindex none --into b", 1, "index 'none' does not exist"],
  [() => "reindex a --into a", 2, "'a' exists already"],
  [() => "export none", 1, "index 'none' does not exist"],
  [() => `export a --out ${file("none/x")}`, 1, "can't be written: its folder does not exist"],
  [() => `export a --out ${file("dir")}`, 1, "can't be written: it is a folder"],
  [() => "export a --query sku:(", 2, "character 5"],
  [() => "search none x", 1, "index 'none' does not exist"],
  [() => "search a x --limit 1000", 2, "'limit' is 1000, at most 200"],
  [() => "search a x --order-by nam", 2, "did you mean 'name'?"],
  [() => "search a x --federation", 1, "federation 'a' does not exist"],
  [() => `indexes create b --schema ${file("none")}`, 2, "none' does not exist"],
  [() => `indexes update a ${file("half.json")}`, 5, "not valid JSON"],
  [() => "indexes delete a", 2, "--yes"],
  [() => "indexes commit none", 1, "index 'none' does not exist"],
  [() => `documents add a ${file("none")}`, 2, "none' does not exist"],
  [() => `documents add a ${file("dir")}`, 2, "dir' is a folder, not a file"],
  [() => "documents get a none", 1, "no document 'none'"],
  [() => "documents delete a", 2, "say what to delete"],
  [() => "documents delete a --where foo", 2, "'foo' is not of the form field=value"],
  [() => "synonyms add a foo", 2, "keys:terms"],
  [() => "federations set f a=x", 2, "'a=x' is not of the form"],
  [() => "aliases set x", 2, "'x' is not of the form"],
  [() => "aliases set x=none", 1, "index 'none' does not exist"],
  [() => "dashboards summary --from yesterday", 2, "not 'yesterday'"],
  [() => "keys show none", 1, "'findling keys list' shows"],
  [() => "keys create --permissions all", 2, "'all' is no permission"],
  [() => "keys update none --name x", 1, "no such access key"],
  [() => "backup create", 2, "FINDLING_BACKUP_URL"],
  [() => "demo --index a", 1, "--index", "--reset"],
];

describe("what is told", () => {
  it.each(LOCAL.map((row) => [String(row[0]).slice(6), row] as const))("of %s", async (_, row) => {
    await requireTold(row, []);
  });

  it.each(REMOTE.map((row) => [String(row[0]).slice(6), row] as const))("of %s", async (_, row) => {
    await requireTold(row, ["--url", url, "--key", ADMIN]);
  });

  it.each([
    ["/console", 3],
    ["/foo", 1],
  ])("of '%s' behind the server's address", async (path, code) => {
    const answer = await told(["indexes", "list", "--url", `${url}${path}`, "--key", ADMIN]);
    requireOneLine(answer);
    expect(answer).toEqual({ code, message: expect.stringContaining("without a path") });
  });

  it("of a file that this user may not read", async () => {
    await writeFile(file("closed.csv"), "a\n1\n", { mode: 0o000 });
    const words = [
      ["import", file("closed.csv"), "--index", "b"],
      ["documents", "add", "a", file("closed.csv")],
    ];
    // Nothing is closed to root.
    if (process.getuid?.() === 0) return;
    for (const each of words) {
      const answer = await told([...each, "--url", url, "--key", ADMIN]);
      expect(answer).toEqual({ code: 2, message: expect.stringContaining("can't be read by this user") });
    }
  });

  it("of a file in the place of a data folder, by the doctor", async () => {
    const { code, stdout, stderr } = await runCli(["doctor", file("a.csv")]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^findling: \d problems? found\n$/),
    });
    expect(stdout).toContain("is a file, not a folder");
  });
});

async function requireTold([words, code, ...says]: Row, flags: readonly string[]): Promise<void> {
  const answer = await told([
    ...words().split(" "),
    ...flags,
    ...(words().startsWith("completions") ? [] : ["--json"]),
  ]);
  requireOneLine(answer);
  expect(answer.code, answer.message).toBe(code);
  for (const part of says) expect(answer.message).toContain(part);
}
