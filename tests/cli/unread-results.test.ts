// Properties: a command whose reader has gone ends quietly with status 141, whatever it prints and however much; it
// does what it was asked all the same; what fails besides keeps its own status; a full disk is told, once, in one line;
// a server goes on, and ends with status 0.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanEnvironment, MAIN, runCli, ServerProcess, temporaryFolder } from "./cli-harness.js";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ServerProcess;

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await ServerProcess.start(`${folder.path}/data`);
  const client = server.client();
  await client.createIndex({ name: "long", fields: { id: { type: "text" }, text: { type: "text" } } });
  const text = "word ".repeat(2_000);
  await client.addDocuments(
    "long",
    Array.from({ length: 300 }, (_, n) => ({ id: String(n), text })),
  );
  await client.commitIndex("long");
});

afterAll(async () => {
  await server.end("SIGTERM");
  await folder.remove();
});

/** The status of a command, and what it said on standard error, where its standard output is what a shell makes it. */
async function told(redirection: string, args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const script = `{ "$0" "$@" 3>&-; echo "status $?" >&3; } ${redirection}`;
  const child = spawn("bash", ["-c", `exec 3>&1; ${script}`, process.execPath, MAIN, ...args], {
    cwd: folder.path,
    env: cleanEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (said += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
  await once(child, "close");
  return { code: Number(/status (\d+)/.exec(said)?.[1]), stderr };
}

/** The reader has gone before anything is written. */
const GONE = "| true";

describe("a reader that has gone", () => {
  const quiet: Readonly<Record<string, () => readonly string[]>> = {
    help: () => ["--help"],
    "help of a command": () => ["import", "--help"],
    version: () => ["--version"],
    completions: () => ["completions", "bash"],
    "a result": () => ["keys", "list", ...server.flags],
    settings: () => ["config", "print"],
    documents: () => ["export", "long", ...server.flags],
    "packed documents": () => ["export", "long", "--gzip", ...server.flags],
  };
  it.each(Object.entries(quiet))("ends %s quietly", async (_, args) => {
    expect(await told(GONE, args())).toEqual({ code: 141, stderr: "" });
  });

  it("may go in the middle", async () => {
    const { code, stderr } = await told("| head -n 1 >&2", ["export", "long", ...server.flags]);
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 141, lines: 1 });
  });

  it("stops nothing that was asked for, and hides no failure", async () => {
    const made = await told(GONE, ["keys", "create", "--name", "unread", "--index", "*", ...server.flags]);
    expect(made).toEqual({ code: 141, stderr: "" });
    const { stdout } = await runCli(["keys", "show", "unread", ...server.flags]);
    expect(stdout).toMatch(/^\w{40}\n$/);
    expect((await told(GONE, ["export", "none", ...server.flags])).code).toBe(1);
    expect((await told(`2>&1 ${GONE}`, ["import", "--help"])).code).toBe(141);
    expect((await told(`2>&1 ${GONE}`, ["import"])).code).toBe(2);
  });
});

describe("a full disk", () => {
  it.each([[["--help"]], [["completions", "bash"]], [["export", "long"]]])(
    "is told after %s",
    async (args) => {
      const flags = args[0] === "export" ? server.flags : [];
      expect(await told("> /dev/full", [...args, ...flags])).toEqual({
        code: 1,
        stderr: "findling: standard output can't be written (ENOSPC)\n",
      });
    },
  );
});

describe("a server", () => {
  it("goes on where nobody reads what it says, and ends in order", async () => {
    const child = spawn(
      process.execPath,
      [MAIN, "serve", "--port", "0", "--data-dir", `${folder.path}/unread`],
      { cwd: folder.path, env: cleanEnvironment(), stdio: ["ignore", "pipe", "pipe"] },
    );
    const url = await new Promise<string>((resolve) => {
      child.stdout.setEncoding("utf8").once("data", (text: string) => {
        resolve(/http:\S+/.exec(text)![0]);
      });
    });
    child.stdout.destroy();
    child.stderr.destroy();
    for (let n = 0; n < 3; n++) expect((await fetch(`${url}/healthcheck`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
