/**
 * Properties, over an object store that fails at each of its operations in turn: there is never half a backup, and what
 * is listed verifies; the next backup goes well and sends what is missing only; a restore that was cut off leaves a folder
 * that no server starts on, and the next one makes it whole; old backups that are deleted, by lists that are late and
 * beside a backup that is being made, take nothing away that a backup needs.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileCatalog } from "../../src/adapters/catalog/file-catalog.js";
import { EmbeddedBackend } from "../../src/adapters/embedded/embedded-backend.js";
import { requireNoCutOffRestore, restoreDataFolder } from "../../src/backups.js";
import { PIECE_BYTES_MAX } from "../../src/contract/backup-manifest.js";
import { readDetachedCommit } from "../../src/engine/server-door.js";
import type { Clock } from "../../src/ports/clock.js";
import { BackupCreation } from "../../src/services/backup/backup-creation.js";
import { pruneBackups } from "../../src/services/backup/backup-pruning.js";
import { summaryOf } from "../../src/services/backup/backup-service.js";
import { BackupStore, isBackupId, newBackupId } from "../../src/services/backup/backup-store.js";
import { verifyBackup } from "../../src/services/backup/backup-verification.js";
import { FaultyObjectStore, ObjectsInMemory } from "../kit/faulty-object-store.js";
import { field, sampleIndex } from "../query-kit/sample-index.js";

const DAY_MS = 24 * 60 * 60_000;
const clock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

const { schema: SCHEMA } = sampleIndex({ fields: { title: field("text") }, search_fields: ["title"] });

let folder: string;
let backend: EmbeddedBackend;
let catalog: FileCatalog;
let objects: ObjectsInMemory;
let names = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "findling-faults-"));
  backend = await EmbeddedBackend.open({ dataDirectory: join(folder, "data"), clock });
  const root = join(folder, "data");
  catalog = await FileCatalog.open(
    join(root, "catalog"),
    { keyFile: join(root, "secret.key"), configuredKey: undefined },
    { storageRoot: join(root, "indexes") },
  );
  await backend.start([]);
  objects = new ObjectsInMemory();
  await addIndex("books", 40);
  await addIndex("films", 5);
});
afterEach(async () => {
  await catalog.close();
  await backend.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function addIndex(name: string, documents: number): Promise<string> {
  const storageId = (++names).toString(16).padStart(32, "0");
  await backend.createIndex(storageId, { ...SCHEMA, name });
  await catalog.putIndex({ schema: { ...SCHEMA, name }, storageId, custom_stopwords: [], synonyms: {} });
  await backend.keepIndex(storageId);
  await addDocuments(storageId, 0, documents);
  return storageId;
}

async function addDocuments(storageId: string, from: number, to: number): Promise<void> {
  const documents = Array.from({ length: to - from }, (_, n) => ({ title: `number ${from + n}` }));
  await backend.add(storageId, documents);
  await backend.commit(storageId);
}

function creation(store: FaultyObjectStore): BackupCreation {
  const sources = { catalog, storedCatalog: catalog.stored, indexFiles: backend.files, events: null };
  return new BackupCreation(sources, new BackupStore(store), newOptions());
}

function newOptions(): ConstructorParameters<typeof BackupCreation>[2] {
  return { id: newBackupId(clock.now()), clock, serverVersion: "1", isWanted: () => true };
}

/** Whatever has happened: all that is listed is whole. */
async function expectAllWhole(): Promise<number> {
  const store = new BackupStore(new FaultyObjectStore(objects));
  const listed = await store.list();
  for (const { manifest, problem } of listed) {
    expect(problem).toBeNull();
    const report = await verifyBackup(manifest!, store, { describe: readDetachedCommit });
    expect(report.problems).toEqual([]);
  }
  return listed.length;
}

async function operationsOf(run: (store: FaultyObjectStore) => Promise<unknown>): Promise<number> {
  const store = new FaultyObjectStore(objects);
  await run(store);
  return store.operations;
}

test("what newer backups couldn't read stays in the newest that has it, and goes with its index", async () => {
  const store = new BackupStore(new FaultyObjectStore(objects));
  const made = async (unreadable: readonly string[], damaged = false): Promise<string> => {
    const unreadableIds = catalog
      .indexes()
      .filter(({ schema: { name } }) => unreadable.includes(name))
      .map(({ storageId }) => storageId);
    const stored = catalog.stored;
    const sources = {
      catalog,
      storedCatalog: { ...stored, problemOf: () => (damaged ? "access keys: damaged" : null) },
      indexFiles: {
        ...backend.files,
        async hold(storageId: string) {
          if (unreadableIds.includes(storageId)) throw new Error("a file is missing");
          return backend.files.hold(storageId);
        },
      },
      events: null,
    };
    await new Promise((resolve) => setTimeout(resolve, 2));
    return (await new BackupCreation(sources, store, newOptions()).run()).id;
  };
  const kept = async (keep: number) => [...(await pruneBackups(store, { keep, clock })).kept].sort();
  const whole = await made([]);
  const noBooks = await made(["books"]);
  const noFilms = await made(["films"]);
  const neither = await made(["books", "films"]);
  expect(await kept(1)).toEqual([noBooks, noFilms, neither]);
  expect((await store.list()).map(({ id }) => id)).not.toContain(whole);
  const keysToo = await made(["books"], true);
  expect(await kept(1)).toEqual([noFilms, neither, keysToo].sort());
  await catalog.deleteIndex("books");
  const last = await made(["films"]);
  expect(await kept(1)).toEqual([keysToo, last]);
  const sound = await made([]);
  expect(await kept(1)).toEqual([sound]);
});

test("where usage events couldn't be read the newest backup that has them stays", async () => {
  const store = new BackupStore(new FaultyObjectStore(objects));
  const made = async (isReadable: boolean): Promise<string> => {
    const events = {
      kind: "duckdb" as const,
      async months() {
        if (!isReadable) throw new Error("the database is damaged");
        return [];
      },
      async *parquet() {},
    };
    const sources = { catalog, storedCatalog: catalog.stored, indexFiles: backend.files, events };
    await new Promise((resolve) => setTimeout(resolve, 2));
    return (await new BackupCreation(sources, store, newOptions()).run()).id;
  };
  const kept = async () => [...(await pruneBackups(store, { keep: 1, clock })).kept].sort();
  await made(true);
  const whole = await made(true);
  await made(false);
  const last = await made(false);
  expect(await kept()).toEqual([whole, last]);
  const manifest = await store.manifest(last);
  expect(summaryOf(manifest)).toMatchObject({ events: "failed", events_problem: "the database is damaged" });
  expect(await verifyBackup(manifest, store, backend.files)).toMatchObject({
    problems: [
      {
        index: null,
        file: `backups/${last}.json`,
        problem: "usage events could not be read when the backup was made: the database is damaged",
      },
    ],
  });
  const sound = await made(true);
  expect(await kept()).toEqual([sound]);
});

test("files of several pieces come back as they were", async () => {
  const random = (length: number): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    return bytes;
  };
  const [large, month] = [random(2 * PIECE_BYTES_MAX + 5), random(PIECE_BYTES_MAX * 2)];
  const sources = {
    catalog,
    storedCatalog: {
      ...catalog.stored,
      files: async () => [...(await catalog.stored.files()), { path: "large.json", bytes: large }],
    },
    indexFiles: backend.files,
    events: {
      kind: "duckdb" as const,
      months: async () => ["2026-10"],
      async *parquet() {
        for (let at = 0; at < month.length; at += 3_000_000) yield month.subarray(at, at + 3_000_000);
      },
    },
  };
  const store = new BackupStore(new FaultyObjectStore(objects));
  const manifest = await new BackupCreation(sources, store, newOptions()).run();
  const restored = manifest.catalog.find(({ name }) => name === "large.json")!;
  expect(restored.pieces.map(({ bytes }) => bytes)).toEqual([PIECE_BYTES_MAX, PIECE_BYTES_MAX, 5]);
  expect(Buffer.compare(await store.readWhole(restored), large)).toBe(0);
  expect(Buffer.compare(await store.readWhole(manifest.events.files[0]!), month)).toBe(0);
});

describe("a backup that ends at any operation", () => {
  test.each([true, false])("leaves none or a whole one (the operation happens: %s)", async (happens) => {
    const operations = await operationsOf((store) => creation(store).run());
    expect(operations).toBeGreaterThan(10);
    objects.kept.clear();
    for (let at = 1; at <= operations; at++) {
      const store = new FaultyObjectStore(objects);
      store.dieAt(at, happens);
      await creation(store)
        .run()
        .catch(() => undefined);
      await expectAllWhole();
    }
    const before = await expectAllWhole();
    const { uploaded_bytes: uploaded } = await creation(new FaultyObjectStore(objects)).run();
    // The pieces are there, but for those of the last attempts.
    expect(uploaded).toBe(0);
    expect(await expectAllWhole()).toBe(before + 1);
  });

  test("fails whole if one operation fails, and the index's files are let go of", async () => {
    const operations = await operationsOf((store) => creation(store).run());
    for (let at = 1; at <= operations; at++) {
      const store = new FaultyObjectStore(objects);
      store.failAt(at);
      await creation(store)
        .run()
        .catch(() => undefined);
    }
    const [books] = catalog.indexes();
    for (let n = 0; n < 5; n++) await addDocuments(books!.storageId, n * 10, n * 10 + 10);
    await backend.deleteAll(books!.storageId);
    await backend.commit(books!.storageId);
    const path = join(folder, "data", "indexes", books!.storageId);
    await expect.poll(() => readdirSync(path).filter((name) => name.endsWith(".doc"))).toEqual([]);
  });
});

describe("a restore that ends at any operation", () => {
  test("leaves a folder that no server starts on, and the next one makes it whole", async () => {
    await creation(new FaultyObjectStore(objects)).run();
    const options = { dataDir: join(folder, "restored"), secretKey: undefined, measureMemoryMb: 64 };
    const restore = (store: FaultyObjectStore) =>
      restoreDataFolder(new BackupStore(store), "latest", options);
    const operations = await operationsOf(restore);
    rmSync(options.dataDir, { recursive: true });
    let cutOff = 0;
    for (let at = 1; at <= operations; at++) {
      const store = new FaultyObjectStore(objects);
      store.dieAt(at, false);
      await expect(restore(store)).rejects.toMatchObject({ code: "storage_unavailable" });
      expect(existsSync(join(options.dataDir, "catalog"))).toBe(false);
      if (!existsSync(join(options.dataDir, ".restoring"))) continue;
      cutOff++;
      await expect(requireNoCutOffRestore(options.dataDir)).rejects.toThrow(/cut off/);
    }
    expect(cutOff).toBeGreaterThan(3);
    const restored = await restore(new FaultyObjectStore(objects));
    expect(restored).toMatchObject({
      failed: [],
      missing: [],
      indexes: [
        { name: "books", document_count: 40 },
        { name: "films", document_count: 5 },
      ],
    });
    await requireNoCutOffRestore(options.dataDir);
    await expect(restore(new FaultyObjectStore(objects))).rejects.toThrow(/holds data/);
  });
});

describe("deleting old backups", () => {
  async function make(): Promise<string> {
    // Ids are of whole seconds, and random within one.
    objects.nowMs += 60_000;
    return (await creation(new FaultyObjectStore(objects)).run()).id;
  }

  async function prune(keep: number, isStale = false) {
    const store = new FaultyObjectStore(objects);
    store.isStale = isStale;
    return pruneBackups(new BackupStore(store), { keep, clock });
  }

  test("keeps the newest ones whole, and frees what only the others needed the next time", async () => {
    const [books] = catalog.indexes();
    for (let n = 0; n < 4; n++) {
      await addDocuments(books!.storageId, 100 * n, 100 * n + 50);
      await make();
    }
    await backend.deleteAll(books!.storageId);
    await backend.commit(books!.storageId);
    await make();
    objects.nowMs += 2 * DAY_MS;
    const pieces = () => [...objects.kept.keys()].filter((key) => key.startsWith("pieces/")).length;
    const before = pieces();
    expect(await prune(1)).toMatchObject({ deleted_pieces: 0, left_because: null });
    expect(await expectAllWhole()).toBe(1);
    expect(pieces()).toBe(before);
    const second = await prune(1);
    expect(second.deleted).toEqual([]);
    expect(second.deleted_pieces).toBeGreaterThan(3);
    expect(await expectAllWhole()).toBe(1);
    expect([...objects.kept.keys()].filter((key) => /^(making|pruning)/.test(key))).toEqual([]);
  });

  test("ends at any operation, and every backup that is listed stays whole", async () => {
    for (let n = 0; n < 3; n++) await make();
    objects.nowMs += 2 * DAY_MS;
    for (let at = 1; at < 40; at++) {
      const store = new FaultyObjectStore(objects);
      store.dieAt(at, at % 2 === 0);
      await pruneBackups(new BackupStore(store), { keep: 1, clock }).catch(() => undefined);
      await expectAllWhole();
    }
    // One whose marker was left behind isn't waited for for ever.
    objects.nowMs += DAY_MS;
    await make();
    expect(await expectAllWhole()).toBeGreaterThanOrEqual(2);
  });

  test.each([false, true])(
    "beside a backup that is being made, at each of its operations, takes nothing from it (late lists: %s)",
    async (isStale) => {
      await make();
      objects.nowMs += 2 * DAY_MS;
      const operations = await operationsOf((store) => creation(store).run());
      for (let at = 1; at <= operations; at++) {
        objects.nowMs += 2 * DAY_MS;
        const store = new FaultyObjectStore(objects);
        const late = new FaultyObjectStore(objects);
        late.isStale = isStale;
        store.before = async () => {
          if (store.operations === at - 1) await pruneBackups(new BackupStore(late), { keep: 1, clock });
        };
        await creation(store).run();
        await expectAllWhole();
        // The list was late: the next one sees the backup.
        await pruneBackups(new BackupStore(new FaultyObjectStore(objects)), { keep: 1, clock });
        expect(await expectAllWhole()).toBe(1);
      }
    },
  );

  test("goes by the order that backups were made in, though the clock was set back", async () => {
    const far = newBackupId(Date.UTC(2027, 0, 1));
    const next = newBackupId(Date.UTC(2026, 0, 1), far);
    expect([far, next].toSorted()).toEqual([far, next]);
    expect(newBackupId(Date.UTC(2028, 0, 1), next).slice(0, 8)).toBe("20280101");
    for (const newest of ["99991231T235959999Z-ffffffff", "20261399T000000000Z-ffffffff"])
      expect(isBackupId(newBackupId(clock.now(), newest))).toBe(true);
  });

  test("never takes the last one that can be read", async () => {
    const sound = await make();
    const id = newBackupId(clock.now(), sound);
    objects.kept.set(`backups/${id}.json`, { bytes: new Uint8Array(9), modifiedAtMs: objects.nowMs });
    expect(await prune(1)).toMatchObject({ deleted: [], kept: [id, sound] });
  });

  test("deletes no piece while a manifest can't be read", async () => {
    const id = await make();
    await make();
    objects.nowMs += 2 * DAY_MS;
    const kept = objects.kept.get(`backups/${id}.json`)!;
    objects.kept.set(`backups/${id}.json`, { ...kept, bytes: kept.bytes.slice(0, -5) });
    expect(await prune(2)).toMatchObject({
      deleted: [],
      deleted_pieces: 0,
      left_because: expect.any(String),
    });
  });
});
