/**
 * Property: a server that is killed at any moment while it brings a data folder of an earlier version to its own form
 * loses nothing. `FINDLING_TEST_CRASH_SEEDS` sets how many kills there are for each format.
 */
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileDirectory } from "../../src/engine/directory/file-directory.js";
import { checkIndex } from "../../src/engine/inspect/check-index.js";
import { ServerProcess, spawnCli } from "../cli/cli-harness.js";

const FORMATS = fileURLToPath(new URL("../formats/", import.meta.url));
const KILLS = Number(
  process.env["FINDLING_TEST_CRASH_SEEDS"] ?? (process.env["FINDLING_TEST_ALL"] === "1" ? 100 : 10),
);
const formats = readdirSync(FORMATS, { withFileTypes: true }).filter((entry) => entry.isDirectory());

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "findling-migration-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.each(formats.map(({ name }) => name))("%s", (format) => {
  const { adminKey, secretKey } = JSON.parse(
    readFileSync(join(FORMATS, format, "expected.json"), "utf8"),
  ) as {
    readonly adminKey: string;
    readonly secretKey: string;
  };
  const env = { FINDLING_ADMIN_KEY: adminKey, FINDLING_SECRET_KEY: secretKey, FINDLING_LOG_LEVEL: "error" };

  /** Everything that a caller can see of committed and of pending documents. */
  async function contentsOf(folder: string): Promise<unknown> {
    const server = await ServerProcess.start(folder, { env });
    try {
      const client = server.client(adminKey);
      const contents: Record<string, unknown> = {};
      for (const name of (await client.listIndexes()).index_names) {
        await client.commitIndex(name);
        const found = await client.searchIndex(name, { query: { exact: { ctx: "*" } }, limit: 200 });
        contents[name] = [found.count, found.hits.map(({ document_id: id, doc }) => [id, doc])];
      }
      const keys = (await client.listKeys()).map(({ id, name, permissions }) => [id, name, permissions]);
      return { contents, keys, federations: await client.listFederations() };
    } finally {
      await server.end("SIGTERM");
    }
  }

  test(`nothing is lost to ${KILLS} kills`, async () => {
    const [calm, killed] = [join(root, "calm"), join(root, "killed")];
    cpSync(join(FORMATS, format, "data"), calm, { recursive: true });
    cpSync(join(FORMATS, format, "data"), killed, { recursive: true });
    const began = performance.now();
    const expected = await contentsOf(calm);
    const takesMs = performance.now() - began;
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawnCli(["serve", "--port", "0", "--data-dir", killed, "--json"], { env });
      const closed = once(child, "close");
      const listening = once(child.stdout!, "data").then(() => undefined);
      // Before it listens, or while its indexes are opened, written anew and merged behind that.
      await Promise.race([listening, wait(takesMs * (kill / KILLS))]);
      await wait(Math.random() * 200);
      child.kill("SIGKILL");
      await closed;
    }
    expect(await contentsOf(killed)).toEqual(expected);
    for (const name of readdirSync(join(killed, "indexes"))) {
      const directory = FileDirectory.of(join(killed, "indexes", name));
      expect((await checkIndex(directory, name)).problems).toEqual([]);
    }
  }, 600_000);
});
