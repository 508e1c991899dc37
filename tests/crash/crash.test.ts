/**
 * Properties: whatever moment a process dies at, nothing acknowledged is lost, nothing rolled back is
 * visible, and each unanswered write happened whole or not at all.
 * Method: a real server gets mixed writes, commits, rollbacks and (from many small commits) merges,
 * and is killed with SIGKILL at a random moment; the next one opens the same folder.
 * `FINDLING_TEST_CRASH_SEEDS=1000` runs longer; `FINDLING_TEST_CRASH_SEED=n` starts at another seed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SeededRandom } from "../setup/seeded-random.js";
import { ServerProcess } from "../setup/server-process.js";
import { CrashModel, type PendingWrite } from "./crash-model.js";

const SEEDS = Number(process.env["FINDLING_TEST_CRASH_SEEDS"] ?? 50);
const FIRST_SEED = Number(process.env["FINDLING_TEST_CRASH_SEED"] ?? 1);
const SCHEMA = {
  index: {
    name: "crash",
    fields: { id: { type: "text" }, body: { type: "text" }, n: { type: "u64" }, path: { type: "facet" } },
  },
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-crash-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test(
  `survives SIGKILL at ${SEEDS} random moments`,
  async () => {
    const model = new CrashModel();
    let nextId = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      const random = new SeededRandom(seed);
      const server = await ServerProcess.start(folder, {
        FINDLING_MEMORY_BUDGET_MB: "8",
        // Indexes in a thread of their own, as by default, and in the one that answers requests.
        FINDLING_WRITING_THREAD: seed % 4 === 0 ? "off" : "on",
      });
      try {
        if (seed === FIRST_SEED) expect((await server.request("POST", "/index", SCHEMA)).status).toBe(200);
        const visible = await allIds(server);
        await server.request("POST", "/index/crash/commit");
        const problems = model.judge(visible, await allIds(server));
        expect(problems, `seed ${seed}`).toEqual([]);
        const killed = new Promise<void>((resolve) => {
          setTimeout(() => void server.kill().then(resolve), 30 + random.below(400));
        });
        await writeUntilDead(server, model, random, () => `d${nextId++}`);
        await killed;
      } finally {
        await server.kill();
      }
    }
  },
  300_000 + SEEDS * 10_000,
);

/** Mixed operations until the connection breaks. */
async function writeUntilDead(
  server: ServerProcess,
  model: CrashModel,
  random: SeededRandom,
  newId: () => string,
): Promise<void> {
  for (;;) {
    const choice = random.below(10);
    if (choice < 5) {
      // Several writers at once share a sync; each is answered, or not, for itself.
      const writes = Array.from({ length: 1 + random.below(3) }, () => {
        const add = Array.from({ length: 1 + random.below(choice === 0 ? 400 : 20) }, newId);
        return { write: { add, remove: [] }, body: add.map((id) => document(id, random)) };
      });
      const alive = await Promise.all(
        writes.map(({ write, body }) => settle(server, model, write, "POST", "/index/crash/documents", body)),
      );
      if (alive.includes(false)) return;
    } else if (choice < 7) {
      const ids = [...model.visibleOrPending];
      if (ids.length === 0) continue;
      const remove = Array.from({ length: 1 + random.below(4) }, () => random.pick(ids));
      const write = { add: [], remove };
      if (!(await settle(server, model, write, "DELETE", "/index/crash/documents", { id: remove }))) return;
    } else {
      const kind = choice < 9 ? "commit" : "rollback";
      try {
        expect((await server.request("POST", `/index/crash/${kind}`)).status).toBe(200);
      } catch (error) {
        if (isAssertion(error)) throw error;
        model.unansweredEnd(kind);
        return;
      }
      if (kind === "commit") model.acknowledgeCommit();
      else model.acknowledgeRollback();
    }
  }
}

/** Sends one write and tells the model what became of it; false once the server is gone. */
async function settle(
  server: ServerProcess,
  model: CrashModel,
  write: PendingWrite,
  method: string,
  path: string,
  body: unknown,
): Promise<boolean> {
  try {
    const { status } = await server.request(method, path, body);
    expect(status).toBe(200);
    model.acknowledge(write);
    return true;
  } catch (error) {
    if (isAssertion(error)) throw error;
    model.unanswered(write);
    return false;
  }
}

function isAssertion(error: unknown): boolean {
  return error instanceof Error && error.name === "AssertionError";
}

function document(id: string, random: SeededRandom): object {
  const words = Array.from({ length: random.below(30) }, () => `w${random.below(500)}`);
  return {
    id,
    body: words.join(" "),
    n: random.below(1000),
    path: `/a/${random.below(5)}/${random.below(5)}`,
  };
}

async function allIds(server: ServerProcess): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let offset = 0; ; offset += 200) {
    const { status, body } = await server.request("POST", "/index/crash/search", {
      query: { exact: { ctx: "*" } },
      limit: 200,
      offset,
    });
    expect(status).toBe(200);
    const { hits, count } = body.data as { hits: { doc: { id: string } }[]; count: number };
    for (const { doc } of hits) ids.add(doc.id);
    if (offset + 200 >= count) {
      expect(ids.size).toBe(count);
      return ids;
    }
  }
}
