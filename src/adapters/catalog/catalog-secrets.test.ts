// Secrets of indexes are never in plain text on the disk; no key, lost or damaged, costs more than the
// secret itself; and a failure at any step leaves a folder that opens.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SealedSecret, StoredAiConfig } from "../../contract/ai-config.js";
import { CorruptionError } from "../../errors/index.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { encodeCatalogFile } from "./catalog-file.js";
import { checkStoredSecrets } from "./check-stored-secrets.js";
import { FileCatalog } from "./file-catalog.js";
import { readStoredIndexes } from "./read-data-folder.js";

// Faults of the storage: writes of files whose path ends so fail, as a full disk's or a dying one's;
// from a step on nothing reaches the disk any more, as after a crash.
const faults = vi.hoisted(() => ({ full: "", unsynced: "", crashAt: Number.POSITIVE_INFINITY }));
const steps = vi.hoisted(() => [] as string[]);
vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs/promises")>();
  const step = (name: string, path: string): void => {
    steps.push(`${name} ${path}`);
    if (steps.length > faults.crashAt) throw new Error("injected: the process is gone");
  };
  return {
    ...original,
    open: async (path: string, flags: string, mode?: number) => {
      if (flags === "w") step("create", path);
      const file = await original.open(path, flags, mode);
      const { sync, writeFile: write } = file;
      file.writeFile = async (data) => {
        step("write", path);
        if (faults.full === "" || !path.endsWith(faults.full)) return await write.call(file, data);
        await file.write("ha");
        throw Object.assign(new Error("ENOSPC: injected"), { code: "ENOSPC" });
      };
      file.sync = async () => {
        step("sync", path);
        if (faults.unsynced !== "" && flags === "r" && path.endsWith(faults.unsynced)) {
          throw new Error("EIO: injected");
        }
        await sync.call(file);
      };
      return file;
    },
    rename: async (from: string, to: string) => {
      step("rename", to);
      await original.rename(from, to);
    },
    rm: async (path: string, options?: object) => {
      if (faults.crashAt < steps.length) step("rm", path);
      await original.rm(path, options);
    },
    unlink: async (path: string) => {
      step("unlink", path);
      await original.unlink(path);
    },
  };
});

const SECRET = "sk-marked-secret-of-the-catalog";
const ONE = randomBytes(32).toString("base64");
const TWO = randomBytes(32).toString("hex");

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-secrets-"));
});
afterEach(async () => {
  faults.full = "";
  faults.unsynced = "";
  faults.crashAt = Number.POSITIVE_INFINITY;
  await rm(folder, { recursive: true, force: true });
});

const catalogFolder = (): string => join(folder, "catalog");
const keyFile = (): string => join(folder, "secret.key");
const indexFile = (name: string): string => join(catalogFolder(), "indexes", `${name}.json`);
const open = (configuredKey?: string): Promise<FileCatalog> =>
  FileCatalog.open(catalogFolder(), { keyFile: keyFile(), configuredKey });
const secretOf = (catalog: FileCatalog, name = "books"): string | undefined =>
  catalog.openLlmApiKey(name, aiOf(catalog, name));

describe("at rest", () => {
  test("a secret is sealed with a key made beside the data, for its owner only", async () => {
    const catalog = await open();
    await catalog.putIndex(indexNamed("plain", null));
    expect(await readdir(folder)).toEqual(["catalog"]);
    await catalog.putIndex({ ...indexNamed("books"), next_schema: indexNamed("books").schema });
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(await readFile(keyFile(), "utf8")).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
    expect(await readFile(indexFile("books"), "utf8")).not.toContain(SECRET);
    for (const seen of [catalog, await open()]) {
      expect(JSON.stringify(seen.index("books"))).not.toContain(SECRET);
      expect(secretOf(seen)).toBe(SECRET);
      expect(seen.openLlmApiKey("books", seen.index("books")!.next_schema!.ai!)).toBe(SECRET);
      expect(seen.openLlmApiKey("plain", { llm_provider: "ollama" })).toBeUndefined();
    }
  });

  test("a configured key is used instead, and no key is made", async () => {
    await (await open(ONE)).putIndex(indexNamed("books"));
    expect(await readdir(folder)).toEqual(["catalog"]);
    expect(secretOf(await open(ONE))).toBe(SECRET);
  });

  test("a sealed secret that is put back stays as it is, and a new one gets another nonce", async () => {
    const catalog = await open();
    await catalog.putIndex(indexNamed("books"));
    const before = await readFile(indexFile("books"));
    await catalog.putIndex(catalog.index("books")!);
    expect(await readFile(indexFile("books"))).toEqual(before);
    await catalog.putIndex(indexNamed("books"));
    expect(await readFile(indexFile("books"))).not.toEqual(before);
  });

  test("a text that looks sealed is a secret like any other", async () => {
    const catalog = await open();
    await catalog.putIndex(indexNamed("books"));
    const { sealed } = aiOf(catalog).llm_api_key as SealedSecret;
    await catalog.putIndex(indexNamed("films", sealed));
    expect(secretOf(catalog, "films")).toBe(sealed);
  });

  test("plain text of an earlier version is sealed at the start", async () => {
    await writePlain();
    const catalog = await open();
    expect(await readFile(indexFile("books"), "utf8")).not.toContain(SECRET);
    expect(catalog.plainSecrets()).toEqual([]);
    expect(secretOf(catalog)).toBe(SECRET);
    expect(secretOf(await open())).toBe(SECRET);
  });

  test("two indexes' secrets can't be swapped", async () => {
    const catalog = await open();
    await catalog.putIndex(indexNamed("books"));
    await catalog.putIndex(indexNamed("films", "sk-of-films"));
    const swapped = { ...catalog.index("books")!.schema, ai: aiOf(catalog, "films") };
    await writeFile(
      indexFile("books"),
      encodeCatalogFile("index", { ...catalog.index("books"), schema: swapped }),
    );
    const reopened = await open();
    expect(() => secretOf(reopened)).toThrow(CorruptionError);
    expect(reopened.secretProblems()).toMatchObject([
      { index: "books", isDamage: true, file: indexFile("books") },
    ]);
  });
});

describe("another key", () => {
  test("opens everything but the secret, destroys nothing, and a new value mends it", async () => {
    await (await open(ONE)).putIndex(indexNamed("books"));
    const other = await open(TWO);
    expect(() => secretOf(other)).toThrow(
      expect.objectContaining({
        code: "storage_unavailable",
        message: expect.stringMatching(
          /'books' was encrypted with a secret key that is not at hand \(id \w{16}\)/,
        ),
      }),
    );
    expect(other.secretProblems()).toMatchObject([{ index: "books", isDamage: false }]);
    await other.putIndex({ ...other.index("books")!, custom_stopwords: ["new"] });
    expect((await open()).secretProblems()).toHaveLength(1);
    expect(secretOf(await open(ONE))).toBe(SECRET);
    await other.putIndex({ ...other.index("books")!, schema: indexNamed("books", "sk-new").schema });
    expect(secretOf(await open(TWO))).toBe("sk-new");
    expect((await open(TWO)).secretProblems()).toEqual([]);
    expect((await open(ONE)).secretProblems()).toHaveLength(1);
  });

  test("a configured key leaves what the made one has sealed, which its file still opens", async () => {
    await (await open()).putIndex(indexNamed("books"));
    const before = await readFile(indexFile("books"));
    const configured = await open(ONE);
    expect(await readFile(indexFile("books"))).toEqual(before);
    expect(secretOf(configured)).toBe(SECRET);
    await configured.putIndex(indexNamed("films", "sk-of-films"));
    expect(secretOf(await open(), "books")).toBe(SECRET);
    await rm(keyFile());
    expect((await open(ONE)).secretProblems()).toMatchObject([{ index: "books" }]);
    expect(secretOf(await open(ONE), "films")).toBe("sk-of-films");
  });

  test("a bad configured key or a file that holds none stops the start and is not written over", async () => {
    await expect(open("too-short")).rejects.toMatchObject({ code: "invalid_configuration" });
    await (await open()).putIndex(indexNamed("books"));
    for (const content of ["", "half a ke", `${TWO}00`]) {
      await writeFile(keyFile(), content);
      await expect(open()).rejects.toThrow(CorruptionError);
      expect(await readFile(keyFile(), "utf8")).toBe(content);
    }
  });

  test("tools that only read tell it from damage, and from plain text", async () => {
    const check = async (key?: string): Promise<unknown> => {
      const { indexes } = readStoredIndexes(folder);
      const problems = await checkStoredSecrets(folder, indexes, key);
      return problems.map(({ index, isDamage, problem }) => [index, isDamage, /plain text/.test(problem)]);
    };
    await (await open(ONE)).putIndex(indexNamed("books"));
    expect(await check(ONE)).toEqual([]);
    expect(await check(TWO)).toEqual([["books", false, false]]);
    expect(await check()).toEqual([["books", false, false]]);
    await writePlain("films");
    expect(await check(ONE)).toEqual([["films", false, true]]);
    const films = readStoredIndexes(folder).indexes.find(({ name }) => name === "films")!.entry;
    const ai = readStoredIndexes(folder).indexes.find(({ name }) => name === "books")!.entry.schema.ai!;
    const taken = { ...films, schema: { ...films.schema, ai } };
    await writeFile(indexFile("films"), encodeCatalogFile("index", taken));
    expect(await check(ONE)).toEqual([["films", true, false]]);
    expect(await readdir(folder)).toEqual(["catalog"]);
  });
});

describe("failures", () => {
  test("a full disk: no key, no secret, no index, and then all of them", async () => {
    const catalog = await open();
    faults.full = "secret.key.tmp";
    await expect(catalog.putIndex(indexNamed("books"))).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "the index 'books' could not be saved, nothing has changed",
    });
    expect(catalog.index("books")).toBeUndefined();
    await catalog.putIndex(indexNamed("plain", null));
    expect(await readdir(folder)).toEqual(["catalog"]);
    faults.full = "";
    await catalog.putIndex(indexNamed("books"));
    expect(secretOf(await open())).toBe(SECRET);
  });

  test("a key that may not outlive a crash encrypts nothing", async () => {
    const catalog = await open();
    faults.unsynced = folder;
    await expect(catalog.putIndex(indexNamed("books"))).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(await readdir(folder)).toEqual(["catalog"]);
    expect(await readdir(join(catalogFolder(), "indexes"))).toEqual([]);
    expect(catalog.isSettled).toBe(true);
    faults.unsynced = "";
    await catalog.putIndex(indexNamed("books"));
    expect(secretOf(await open())).toBe(SECRET);
  });

  test("a crash at any step leaves a folder that opens, with the secret or without the index", async () => {
    const outcomes: string[] = [];
    for (let crashAt = 0; outcomes.at(-1) !== "saved"; crashAt++) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      const catalog = await open();
      steps.length = 0;
      faults.crashAt = crashAt;
      const isSaved = await catalog.putIndex(indexNamed("books")).then(
        () => true,
        () => false,
      );
      faults.crashAt = Number.POSITIVE_INFINITY;
      const restarted = await open();
      const isThere = restarted.index("books") !== undefined;
      if (isThere) expect(secretOf(restarted)).toBe(SECRET);
      expect(isThere || !isSaved).toBe(true);
      await restarted.putIndex(indexNamed("films"));
      expect(secretOf(await open(), "films")).toBe(SECRET);
      outcomes.push(isSaved ? "saved" : isThere ? "there" : "not there");
    }
    // Each file is created, written, synced, renamed, and its folder synced.
    expect(outcomes).toEqual([...Array(9).fill("not there"), "there", "saved"]);
  });

  test("the key has reached the disk before the first secret is written", async () => {
    const catalog = await open();
    steps.length = 0;
    await catalog.putIndex(indexNamed("books"));
    const key = keyFile();
    const entry = indexFile("books");
    expect(steps).toEqual([
      `create ${key}.tmp`,
      `write ${key}.tmp`,
      `sync ${key}.tmp`,
      `rename ${key}`,
      `sync ${folder}`,
      `create ${entry}.tmp`,
      `write ${entry}.tmp`,
      `sync ${entry}.tmp`,
      `rename ${entry}`,
      `sync ${join(catalogFolder(), "indexes")}`,
    ]);
  });

  test("a crash between key and catalog leaves a key that the next write takes", async () => {
    const catalog = await open();
    await mkdir(indexFile("books"));
    await expect(catalog.putIndex(indexNamed("books"))).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    const key = await readFile(keyFile());
    await rm(indexFile("books"), { recursive: true });
    // This one dies here; another start goes on.
    const restarted = await open();
    expect(restarted.indexes()).toEqual([]);
    await restarted.putIndex(indexNamed("books"));
    expect(await readFile(keyFile())).toEqual(key);
    expect(secretOf(await open())).toBe(SECRET);
  });

  test("a crash while the key is written leaves nothing that counts, nor its mode", async () => {
    const left = `${keyFile()}.tmp`;
    await writeFile(left, "half");
    await chmod(left, 0o644);
    await (await open()).putIndex(indexNamed("books"));
    expect(await readdir(folder)).toEqual(["catalog", "secret.key"]);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  });

  test.each(["secret.key.tmp", "books.json.tmp"])(
    "plain text that can't be sealed at the start (%s) stays usable and is sealed later",
    async (full) => {
      await writePlain();
      const before = await readFile(indexFile("books"));
      faults.full = full;
      const catalog = await open();
      expect(catalog.plainSecrets()).toEqual(["books"]);
      expect(await readFile(indexFile("books"))).toEqual(before);
      expect(secretOf(catalog)).toBe(SECRET);
      faults.full = "";
      await catalog.putIndex({ ...catalog.index("books")!, custom_stopwords: ["new"] });
      expect(catalog.plainSecrets()).toEqual([]);
      expect(await readFile(indexFile("books"), "utf8")).not.toContain(SECRET);
      expect(secretOf(await open())).toBe(SECRET);
    },
  );
});

/** A folder as versions before encryption have left it. */
async function writePlain(name = "books"): Promise<void> {
  await (await open(ONE)).putIndex(indexNamed(name, null));
  await writeFile(indexFile(name), encodeCatalogFile("index", indexNamed(name)));
  expect(await readFile(indexFile(name), "utf8")).toContain(SECRET);
}

function aiOf(catalog: FileCatalog, name = "books"): StoredAiConfig {
  return catalog.index(name)!.schema.ai!;
}

function indexNamed(name: string, secret: string | null = SECRET): CatalogIndex {
  return {
    schema: {
      name,
      fields: {},
      search_fields: [],
      weight_multipliers: {},
      enable_language_stemming: false,
      exclude_stop_words: true,
      auto_commit_delay: 0,
      ai_enabled: false,
      ...(secret !== null && { ai: { llm_provider: "openai", llm_api_key: secret } }),
    },
    storageId: `storage-of-${name}`,
    custom_stopwords: [],
    synonyms: {},
  };
}
