// Properties: a start deletes what was being made or deleted, and nothing else, whatever names it; an index that the
// catalog has lost is left as it is, to the last byte, and told of.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { completeFields } from "../../services/indexes/field-definitions.js";
import { completeSchema } from "../../services/indexes/index-settings.js";
import { EmbeddedBackend } from "./embedded-backend.js";

const SCHEMA: IndexSchema = completeSchema(
  { name: "books", fields: completeFields({ title: { type: "text" } }), ai_enabled: false },
  {},
);
const ID = "0123456789abcdef0123456789abcdef";
const OTHER_ID = "fedcba9876543210fedcba9876543210";

let dataDirectory: string;
let problems: string[];

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "findling-aside-"));
  problems = [];
});

afterEach(async () => {
  await rm(dataDirectory, { recursive: true });
});

const indexes = (): string => join(dataDirectory, "indexes");

async function start(...storageIds: readonly string[]): Promise<EmbeddedBackend> {
  const backend = await EmbeddedBackend.open({
    dataDirectory,
    clock: new ManualClock(),
    onProblem: (message) => problems.push(message),
  });
  await backend.start(storageIds.map((storageId) => ({ storageId, schema: SCHEMA })));
  return backend;
}

/** Every file below `indexes`, by path, but the locks. */
function contents(): ReadonlyMap<string, string> {
  const files = readdirSync(indexes(), { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), "hex"),
    ]),
  );
}

async function withDocument(storageId: string): Promise<void> {
  const backend = await start();
  await backend.createIndex(storageId, SCHEMA);
  await backend.keepIndex(storageId);
  await backend.add(storageId, [{ title: "kept" }]);
  await backend.commit(storageId);
  await backend.stop();
}

test("an index that nobody names is left as it is, told of, and taken back once it is named", async () => {
  await withDocument(ID);
  const before = contents();
  const without = await start();
  await without.stop();
  expect(contents()).toEqual(before);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`findling adopt ${ID}`);
  const again = await start(ID);
  expect(await again.stats(ID)).toMatchObject({ documentCount: 1 });
  await again.stop();
});

test("one without documents likewise", async () => {
  const backend = await start();
  await backend.createIndex(ID, SCHEMA);
  await backend.keepIndex(ID);
  await backend.stop();
  await (await start()).stop();
  expect(readdirSync(indexes())).toEqual([ID]);
});

test("an index whose commit point is lost as well is left as it is", async () => {
  await withDocument(ID);
  for (const name of readdirSync(join(indexes(), ID))) {
    if (name.startsWith("commit-")) await rm(join(indexes(), ID, name));
  }
  const before = contents();
  await (await start()).stop();
  expect(contents()).toEqual(before);
});

test("what a crash has left of making an index is deleted, unless it is named", async () => {
  const backend = await start();
  await backend.createIndex(ID, SCHEMA);
  await backend.createIndex(OTHER_ID, SCHEMA);
  // Neither has been kept yet.
  await backend.stop();
  const again = await start(OTHER_ID);
  await again.stop();
  expect(readdirSync(indexes())).toEqual([OTHER_ID]);
  // The mark is gone: whatever becomes of its catalog entry now, it stays.
  await (await start()).stop();
  expect(readdirSync(indexes())).toEqual([OTHER_ID]);
  expect(problems).toHaveLength(1);
});

test("what a crash has left of deleting an index is deleted, and it stays if its entry does", async () => {
  await withDocument(ID);
  await withDocument(OTHER_ID);
  problems = [];
  const backend = await start(ID, OTHER_ID);
  await backend.releaseIndex(ID);
  await backend.releaseIndex(OTHER_ID);
  await backend.stop();
  const again = await start(OTHER_ID);
  expect(await again.stats(OTHER_ID)).toMatchObject({ documentCount: 1 });
  await again.stop();
  expect(readdirSync(indexes())).toEqual([OTHER_ID]);
  expect(problems).toEqual([]);
});

test("a creation that hadn't come to its commit point leaves nothing; other people's files stay", async () => {
  mkdirSync(join(indexes(), ID), { recursive: true });
  mkdirSync(join(indexes(), "lost+found"), { recursive: true });
  writeFileSync(join(indexes(), "notes.txt"), "mine");
  await (await start()).stop();
  expect(readdirSync(indexes())).toEqual(["lost+found", "notes.txt"]);
  expect(problems).toEqual([]);
});

test("an index that is made meanwhile under the same name leaves the one that is set aside alone", async () => {
  await withDocument(ID);
  const before = contents();
  const backend = await start();
  await backend.createIndex(OTHER_ID, SCHEMA);
  await backend.keepIndex(OTHER_ID);
  await backend.dropIndex(OTHER_ID);
  await backend.stop();
  expect(contents()).toEqual(before);
});
