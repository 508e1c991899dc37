/**
 * Properties: while files can't grow, events are taken or refused, none is lost or counted twice, and
 * as soon as they can everything goes in; a database that gave itself up is opened again.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("event-disk-full.ts", import.meta.url));
const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;
const mayBeSkipped = process.env["FINDLING_TEST_ALL"] !== "1";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-event-disk-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const title = hasPrlimit || !mayBeSkipped ? "" : " (skipped, as there is no prlimit)";

test.skipIf(!hasPrlimit && mayBeSkipped)(`a full disk costs no acknowledged event${title}`, () => {
  const output = execFileSync(process.execPath, ["--import", "tsx", PROGRAM, join(folder, "measure")], {
    encoding: "utf8",
  });
  const result = JSON.parse(output) as Record<string, unknown>;
  expect(result).toMatchObject({ wasAvailable: false, codes: ["storage_unavailable"] });
  expect(result["acknowledged"]).toBeGreaterThan(5000);
  expect(result["events"]).toBe(result["acknowledged"]);
  expect(result["refusal"]).toMatch(/FATAL/);
  expect(result["afterwards"]).toMatch(/invalidated/);
  expect(result["reopened"]).toEqual([[Number(result["acknowledged"]) + 1]]);
});
