/**
 * Properties: a server that is killed while it analyses documents anew comes back with the old
 * settings and the old tokens, or with the new ones and the new tokens, with every document and every
 * pending write, and with nothing else on its disk; after an answer, with the new ones.
 * Method: a real server is told to switch stemming on and off, and is killed with SIGKILL at random
 * moments; the next one opens the same folder.
 * `FINDLING_TEST_CRASH_SEEDS=1000` runs longer; `FINDLING_TEST_CRASH_SEED=n` starts at another seed.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SeededRandom } from "../setup/seeded-random.js";
import { ServerProcess } from "../setup/server-process.js";

const SEEDS = Math.ceil(Number(process.env["FINDLING_TEST_CRASH_SEEDS"] ?? 50) / 10);
const FIRST_SEED = Number(process.env["FINDLING_TEST_CRASH_SEED"] ?? 1);
const DOCUMENTS = 4000;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-reanalysis-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test(
  `survives SIGKILL at ${SEEDS} random moments of a re-analysis`,
  async () => {
    let committed = 0;
    let pending = 0;
    let isStemming = false;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      const random = new SeededRandom(seed);
      const server = await ServerProcess.start(folder);
      try {
        if (seed === FIRST_SEED) {
          const fields = { id: { type: "text" }, body: { type: "text" } };
          const index = { name: "books", fields, language: "en", auto_commit_delay: 0 };
          expect((await server.request("POST", "/index", { index })).status).toBe(200);
        } else {
          const shown = (await settingsOf(server)).enable_language_stemming;
          // Unanswered, it may be either; what searches see agrees with what is shown.
          isStemming = shown;
          expect(await countOf(server, "run"), `seed ${seed}`).toBe(isStemming ? committed : 0);
          expect(await countOf(server, "*")).toBe(committed);
          expect(readdirSync(join(folder, "indexes"))).toHaveLength(1);
        }
        await server.request("POST", "/index/books/commit");
        committed += pending;
        pending = 0;
        expect(await countOf(server, "*"), `seed ${seed}`).toBe(committed);

        const added = seed === FIRST_SEED ? DOCUMENTS : 20;
        await server.request("POST", "/index/books/documents", documents(added, random));
        await server.request("POST", "/index/books/commit");
        committed += added;
        await server.request("POST", "/index/books/documents", documents(5, random));
        pending = 5;

        let isAnswered = false;
        const patching = server
          .request("PATCH", "/index/books", { enable_language_stemming: !isStemming })
          .then(({ status }) => {
            expect(status).toBe(200);
            isAnswered = true;
          })
          .catch(() => undefined);
        await new Promise((resume) => setTimeout(resume, random.below(700)));
        const hadAnswer = isAnswered;
        await server.kill();
        await patching;
        if (!hadAnswer) continue;
        isStemming = !isStemming;
        const next = await ServerProcess.start(folder);
        try {
          expect((await settingsOf(next)).enable_language_stemming).toBe(isStemming);
        } finally {
          await next.kill();
        }
      } finally {
        await server.kill();
      }
    }
  },
  300_000 + SEEDS * 20_000,
);

function documents(count: number, random: SeededRandom): object[] {
  return Array.from({ length: count }, (_, i) => ({
    id: String(i),
    body: `running ${Array.from({ length: 40 }, () => `word${random.below(3000)}`).join(" ")}`,
  }));
}

async function settingsOf(server: ServerProcess): Promise<{ enable_language_stemming: boolean }> {
  const { body } = await server.request("GET", "/index/books");
  return body.data as { enable_language_stemming: boolean };
}

async function countOf(server: ServerProcess, ctx: string): Promise<number> {
  const { body } = await server.request("POST", "/index/books/search", {
    query: { exact: { ctx } },
    limit: 0,
  });
  return (body.data as { count: number }).count;
}
