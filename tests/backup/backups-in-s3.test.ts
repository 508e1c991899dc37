/**
 * Backups of real processes in a bucket of a server that speaks S3: made, listed, checked, restored whole by the command
 * and by a first start, and one index beside the running server; what an earlier backup has isn't sent again.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, ServerProcess } from "../cli/cli-harness.js";
import { MotoServer, pythonOrReason } from "../ports/object-store/moto-server.js";

const ADMIN = "admin-key-of-the-tests";
const DOCUMENTS = 5_000;

const found = pythonOrReason();
const title = "python" in found ? "in a bucket" : `skipped, as there is no S3 server: ${found.reason}`;

describe.skipIf(!("python" in found))(title, () => {
  let moto: MotoServer;
  let folder: string;
  let env: Record<string, string>;
  let server: ServerProcess;
  const others: ServerProcess[] = [];

  beforeAll(async () => {
    if ("python" in found) moto = await MotoServer.start(found.python);
    await moto.makeBucket("backups");
    folder = await mkdtemp(join(tmpdir(), "findling-s3-"));
    env = {
      FINDLING_ADMIN_KEY: ADMIN,
      FINDLING_BACKUP_URL: "s3://backups/findling/here",
      AWS_ENDPOINT_URL_S3: moto.origin,
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_REGION: "eu-central-1",
    };
    server = await ServerProcess.start(join(folder, "data"), { env });
    await server.client(ADMIN).createIndex({
      name: "books",
      fields: { title: { type: "text" }, year: { type: "u64" } },
      search_fields: ["title"],
    } as never);
    await add(0, DOCUMENTS);
  });
  afterAll(async () => {
    for (const each of [server, ...others]) await each?.end("SIGTERM");
    await moto?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function add(from: number, to: number): Promise<void> {
    const client = server.client(ADMIN);
    const documents = Array.from({ length: to - from }, (_, n) => ({
      title: `number ${from + n} of the ${["summer", "winter", "spring"][n % 3]} tales, ${((from + n) * 7919) % 10007}`,
      year: 1600 + (n % 400),
    }));
    await client.addDocuments("books", documents);
    await client.commitIndex("books");
  }

  async function succeed(...args: readonly string[]): Promise<ReturnType<typeof JSON.parse>> {
    const { code, stdout, stderr } = await runCli([...args, "--json"], {
      env: { ...env, FINDLING_URL: server.url, FINDLING_DATA_DIR: server.dataDir },
    });
    expect(code, stderr + stdout).toBe(0);
    return JSON.parse(stdout);
  }

  async function startOn(dataDir: string, extra: Record<string, string> = {}): Promise<ServerProcess> {
    const other = await ServerProcess.start(dataDir, { env: { ...env, ...extra } });
    others.push(other);
    return other;
  }

  async function answersOf(from: ServerProcess, index: string): Promise<unknown> {
    const answers = [];
    for (const ctx of ["winter", "year:[1700 TO 1710]", "tales AND summer"]) {
      const { hits, count } = await from
        .client(ADMIN)
        .searchIndex(index, { query: { exact: { ctx } }, limit: 100 });
      answers.push({ count, hits: hits.map(({ source_index: _, ...hit }) => hit) });
    }
    return answers;
  }

  test("what is restored answers as the commit did, by every way of restoring", async () => {
    const first = await succeed("backup", "create");
    expect(first.uploaded_bytes).toBe(first.total_bytes);
    await add(DOCUMENTS, DOCUMENTS * 1.01);
    const second = await succeed("backup", "create");
    expect(second.indexes).toMatchObject([{ name: "books", document_count: DOCUMENTS * 1.01 }]);
    expect(second.uploaded_bytes).toBeLessThan(0.05 * second.total_bytes);
    expect((await succeed("backup", "list")).backups).toMatchObject([{ id: second.id }, { id: first.id }]);
    for (const { id } of [first, second])
      expect(await succeed("backup", "verify", id)).toMatchObject({ sound: true });

    const expected = await answersOf(server, "books");
    await server.client(ADMIN).deleteAllDocuments("books");
    await server.client(ADMIN).commitIndex("books");

    const beside = await succeed(
      "backup",
      "restore",
      second.id,
      "--index",
      "books",
      "--as",
      "books-of-before",
    );
    expect(beside.document_count).toBe(DOCUMENTS * 1.01);
    expect(await answersOf(server, "books-of-before")).toEqual(expected);

    await succeed("backup", "restore", second.id, "--data-dir", join(folder, "restored"));
    expect(await answersOf(await startOn(join(folder, "restored")), "books")).toEqual(expected);

    const fresh = await startOn(join(folder, "fresh"), { FINDLING_RESTORE_FROM: "latest" });
    expect(await answersOf(fresh, "books")).toEqual(expected);
    await succeed("backup", "restore", first.id, "--index", "books", "--as", "books-of-long-before");
    expect((await server.client(ADMIN).getIndexStats("books-of-long-before")).document_count).toBe(DOCUMENTS);
  });

  test("pruning leaves what the backups that stay need", async () => {
    const { deleted } = await succeed("backup", "prune", "--keep", "1");
    expect(deleted).toHaveLength(1);
    const { backups } = await succeed("backup", "list");
    expect(backups).toHaveLength(1);
    expect(await succeed("backup", "verify", backups[0].id)).toMatchObject({ sound: true });
  });
});
