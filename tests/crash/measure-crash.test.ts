/**
 * Properties: after a server was killed with SIGKILL at any moment, every usage event that it acknowledged
 * is in its dashboards, once; of a batch that it didn't, all or nothing.
 * Method: a real server takes batches over HTTP from several senders while its dashboards are read and
 * searches run, is killed at a random moment and started again, several times over the same folder.
 * `FINDLING_TEST_EVENT_CRASHES=200` runs longer.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_KEY, ServerProcess } from "../setup/server-process.js";

const CRASHES = Number(process.env["FINDLING_TEST_EVENT_CRASHES"] ?? 3);
const SENDERS = 3;
const TIMEOUT_MS = 300_000 + CRASHES * 20_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-measure-crash-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The events of each batch that was sent, by the batch's number, and which of them were acknowledged. */
const sent = new Map<number, readonly string[]>();
const acknowledged = new Set<number>();

async function sendUntilGone(server: ServerProcess): Promise<void> {
  for (;;) {
    const batch = sent.size;
    const terms = Array.from({ length: 1 + Math.floor(Math.random() * 40) }, (_, i) => `${batch}-${i}`);
    sent.set(batch, terms);
    const events = terms.map((term) => ({
      event_name: "search_completed",
      properties: { searchcraft_index_names: ["books"], search_term: term, session_id: `s${batch}` },
      user: { user_id: `u${batch}` },
    }));
    try {
      const { status } = await server.request("POST", "/measure/batch", events);
      if (status === 200) acknowledged.add(batch);
    } catch {
      return;
    }
  }
}

/** Reading makes the store take in what waits, so that kills hit that moment, too. */
async function useUntilGone(server: ServerProcess): Promise<void> {
  for (;;) {
    try {
      await server.request("POST", "/index/books/search", { query: "x" });
      await server.request("GET", "/measure/dashboard/summary");
    } catch {
      return;
    }
  }
}

async function exportedTerms(server: ServerProcess): Promise<readonly string[]> {
  const response = await fetch(`${server.url}/measure/export?event_name=search_completed`, {
    headers: { authorization: ADMIN_KEY },
  });
  const lines = (await response.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { searchTerm: string }).searchTerm);
}

/** Events that are acknowledged, and not in the store yet. */
async function waitingEvents(server: ServerProcess): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: ADMIN_KEY } });
  return Number(/^findling_events_waiting (\d+)$/m.exec(await response.text())?.[1]);
}

async function totalOnceSettled(server: ServerProcess): Promise<number> {
  await expect.poll(() => waitingEvents(server)).toBe(0);
  let total = -1;
  for (;;) {
    const path = "/measure/dashboard/usage?event_name=search_completed";
    const { body } = await server.request("GET", path);
    const { total_searches: now } = body.data as { total_searches: number };
    if (now === total) return total;
    total = now;
    // Longer than what is accepted takes to show (contract 3.10).
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  }
}

test(
  `nothing acknowledged is lost or doubled by ${CRASHES} kills of a server`,
  async () => {
    for (let crash = 0; crash < CRASHES; crash++) {
      const server = await ServerProcess.start(folder, { FINDLING_LOG_LEVEL: "silent" });
      if (crash === 0) {
        const fields = { title: { type: "text" } };
        await server.request("POST", "/index", { index: { name: "books", fields } });
      }
      const senders = Array.from({ length: SENDERS }, () => sendUntilGone(server));
      const users = useUntilGone(server);
      const before = acknowledged.size;
      await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 1);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2_500));
      await server.kill();
      await Promise.all([...senders, users]);
    }
    const server = await ServerProcess.start(folder, { FINDLING_LOG_LEVEL: "silent" });
    try {
      const total = await totalOnceSettled(server);
      const stored = await exportedTerms(server);
      const distinct = new Set(stored);
      expect(stored.length - distinct.size, "counted twice").toBe(0);
      for (const [batch, terms] of sent) {
        const found = terms.filter((term) => distinct.has(term)).length;
        const allowed = acknowledged.has(batch) ? [terms.length] : [0, terms.length];
        expect(allowed, `batch ${batch}, ${found} of ${terms.length} events`).toContain(found);
      }
      expect(total).toBe(stored.length);
      expect(acknowledged.size).toBeGreaterThan(CRASHES);
    } finally {
      await server.stop();
    }
  },
  TIMEOUT_MS,
);
