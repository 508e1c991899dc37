// No command prints the secrets of an index or the key that encrypts them; `check` tells another key
// from damage, and a copy of the folder works as long as its key comes along.
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tracesOf } from "../kit/secret-traces.js";
import { type CliResult, runCli, ServerProcess, temporaryFolder } from "./cli-harness.js";

const CANARY = "sk-canary-Zq7/+Wx9~4f1b2c3d5e6a7b8c";
const AI = { llm_provider: "openai", llm_api_key: CANARY };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ServerProcess;

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await ServerProcess.start(join(folder.path, "data"));
  const response = await fetch(`${server.url}/index`, {
    method: "POST",
    headers: { authorization: server.keyOf("admin"), "content-type": "application/json" },
    body: JSON.stringify({
      index: { name: "books", fields: { id: { type: "text" } }, auto_commit_delay: 1, ai: AI },
    }),
  });
  expect(response.status).toBe(200);
  await server.client().addDocuments("books", [{ id: "1" }]);
});

afterAll(async () => {
  await server.end("SIGTERM");
  await folder.remove();
});

const check = async (dataDir: string, env: Record<string, string> = {}): Promise<CliResult> =>
  await runCli(["check", dataDir, "--json"], { env });

describe("secrets", () => {
  it.each([["export", "books"], ["inspect", "books"], ["check"], ["keys", "list"], ["config", "print"]])(
    "are not in what '%s' prints",
    async (...args) => {
      const isLocal = ["inspect", "check", "config"].includes(args[0]!);
      const where = isLocal ? [] : server.flags;
      const secretKey = "5eC2".repeat(16);
      const env = { FINDLING_DATA_DIR: server.dataDir, FINDLING_SECRET_KEY: secretKey };
      for (const format of [[], ["--json"]]) {
        const { code, stdout, stderr } = await runCli([...args, ...where, ...format], { env });
        expect([code, stderr]).toEqual([0, code === 0 ? stderr : ""]);
        expect(stdout + stderr).not.toBe("");
        const made = (await readFile(join(server.dataDir, "secret.key"), "utf8")).trim();
        for (const secret of [CANARY, secretKey, made]) {
          expect(tracesOf(secret, stdout + stderr)).toEqual([]);
        }
      }
    },
  );

  it("are read by the commands of who has the secret key, and the others are told what to give", async () => {
    const copy = join(folder.path, "keys");
    await cp(server.dataDir, copy, { recursive: true, filter: (path) => !path.includes("/.lock-") });
    const key = await readFile(join(copy, "secret.key"), "utf8");
    await rm(join(copy, "secret.key"));
    const show = (env: Record<string, string>): Promise<CliResult> =>
      runCli(["keys", "show", "read", "--url", server.url, "--data-dir", copy], { env });
    expect(await show({ FINDLING_SECRET_KEY: key })).toMatchObject({
      code: 0,
      stdout: `${server.keyOf("read")}\n`,
    });
    for (const env of [{}, { FINDLING_SECRET_KEY: "0ff3".repeat(16) }]) {
      const { code, stderr } = await show(env);
      expect([code, stderr]).toEqual([4, expect.stringContaining("FINDLING_SECRET_KEY")]);
    }
  });

  it("come along with a copy of the folder, and check misses the key of a copy without it", async () => {
    const copy = join(folder.path, "copy");
    // Node copies no sockets, and there is one beside the lock.
    await cp(server.dataDir, copy, { recursive: true, filter: (path) => !path.includes("/.lock-") });
    const whole = await check(copy);
    expect(whole.code).toBe(0);
    expect(JSON.parse(whole.stdout)).toMatchObject({ sound: true, secrets: [] });

    const key = await readFile(join(copy, "secret.key"), "utf8");
    await rm(join(copy, "secret.key"));
    const apart = await check(copy, { FINDLING_SECRET_KEY: key });
    expect(JSON.parse(apart.stdout)).toMatchObject({ sound: true, secrets: [] });
    for (const env of [{}, { FINDLING_SECRET_KEY: "0ff3".repeat(16) }]) {
      const without = await check(copy, env);
      expect(without.code).toBe(0);
      expect(JSON.parse(without.stdout)).toMatchObject({
        sound: true,
        secrets: [
          { problem: expect.stringMatching(/^3 of 3 stored access keys .* not at hand/) as string },
          { index: "books", problem: expect.stringContaining("not at hand") as string },
        ],
      });
    }
    const { stdout } = await runCli(["check", copy]);
    expect(stdout).toMatch(/^SECRET .*access keys/m);
    expect(stdout).toMatch(/^SECRET .*'books'/m);
    expect(await check(copy, { FINDLING_SECRET_KEY: "x" })).toMatchObject({ code: 2 });

    await writeFile(join(copy, "secret.key"), "damaged");
    const damaged = await check(copy);
    expect(damaged.code).toBe(6);
    expect(JSON.parse(damaged.stdout)).toMatchObject({ problems: [{ file: join(copy, "secret.key") }] });
  });
});
