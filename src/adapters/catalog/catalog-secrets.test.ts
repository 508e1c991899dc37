// Secrets of indexes are never in plain text on the disk; no key, lost or damaged, costs more than the
// secret itself; and a failure at any step leaves a folder that opens.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { tracesOf } from "../../../tests/kit/secret-traces.js";
import type { SealedSecret, StoredAiConfig } from "../../contract/ai-config.js";
import { CorruptionError } from "../../errors/index.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { decodeCatalogFile, encodeCatalogFile } from "./catalog-file.js";
import { checkStoredKeys, checkStoredSecrets } from "./check-stored-secrets.js";
import { FileCatalog } from "./file-catalog.js";
import { readLocalAdminKey, readStoredIndexes } from "./read-data-folder.js";

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

  test("a bad configured key stops the start", async () => {
    await expect(open("too-short")).rejects.toMatchObject({ code: "invalid_configuration" });
  });

  test("a file that holds none is told of, and set aside once a new key is needed", async () => {
    await (await open()).putIndex(indexNamed("books"));
    for (const content of ["", "half a ke", `${TWO}00`]) {
      await writeFile(keyFile(), content);
      const catalog = await open();
      expect(catalog.damaged()).toMatchObject([{ file: keyFile(), holder: "secret key" }]);
      expect(() => secretOf(catalog)).toThrow(/secret key/);
      expect(await readFile(keyFile(), "utf8")).toBe(content);
    }
    const catalog = await open();
    await catalog.putIndex(indexNamed("films", "sk-of-films"));
    expect(catalog.damaged()).toEqual([]);
    expect(await readFile(`${keyFile()}.damaged`, "utf8")).toBe(`${TWO}00`);
    expect(secretOf(await open(), "films")).toBe("sk-of-films");
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

describe("access keys", () => {
  const PLAIN = [
    "Aa0123456789Bb0123456789Cc0123456789Dd01",
    "Ee0123456789Ff0123456789Gg0123456789Hh01",
  ] as const;
  const [FIRST, SECOND] = PLAIN;
  const keysFile = (): string => join(catalogFolder(), "keys.json");

  /** `keys.json` as commit c84ed5b writes it, byte for byte. */
  async function writePlainKeys(): Promise<void> {
    const content = JSON.stringify(
      PLAIN.map((key, i) => ({
        key,
        name: `key ${i}`,
        permissions: 127,
        allowed_indexes: ["*"],
        status: i === 0 ? "active" : "inactive",
        organization_id: 7,
      })),
    );
    const sha256 = createHash("sha256").update(content).digest("hex");
    const header = { findling: "keys", format: 1, bytes: Buffer.byteLength(content), sha256 };
    for (const name of ["indexes", "federations"])
      await mkdir(join(catalogFolder(), name), { recursive: true });
    await writeFile(keysFile(), `${JSON.stringify(header)}\n${content}\n`);
  }

  const keyOf = (key: string): Parameters<FileCatalog["addKeys"]>[0][number] => ({
    key,
    name: "made",
    permissions: 1,
    allowed_indexes: [],
    status: "active",
  });
  const valuesOf = (catalog: FileCatalog): readonly (string | undefined)[] =>
    catalog.keys().map(({ id }) => catalog.valueOfKey(id));

  /** Names of the folder's files in which one of the keys shows, in whatever form. */
  async function filesWithTraces(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = await readFile(join(file.parentPath, file.name));
      if (PLAIN.some((key) => tracesOf(key, bytes).length > 0)) found.push(file.name);
    }
    return found;
  }

  test("of an earlier version are sealed at the start, with the ids that usage events know them by", async () => {
    await writePlainKeys();
    expect(await filesWithTraces()).toEqual(["keys.json"]);
    // What an interrupted write of that version has left.
    await writeFile(`${keysFile()}.tmp`, `half ${FIRST}`);
    const migrated = await open();
    expect(await filesWithTraces()).toEqual([]);
    expect(await readdir(catalogFolder())).toEqual(["federations", "indexes", "keys.json"]);
    for (const catalog of [migrated, await open()]) {
      expect(valuesOf(catalog)).toEqual(PLAIN);
      expect(catalog.keys().map(({ id, name, status }) => [id, name, status])).toEqual(
        PLAIN.map((key, i) => [
          createHash("sha256").update(key).digest("hex").slice(0, 16),
          `key ${i}`,
          i === 0 ? "active" : "inactive",
        ]),
      );
      expect(catalog.keyWithValue(FIRST)).toBe(catalog.keys()[0]);
      expect(catalog.keyWithValue(FIRST)?.organization_id).toBe(7);
      for (const none of ["", FIRST.slice(1), `${FIRST} `, catalog.keys()[0]!.id]) {
        expect(catalog.keyWithValue(none)).toBeUndefined();
      }
      expect([catalog.hasPlainKeys, catalog.keyProblems()]).toEqual([false, []]);
    }
    expect(readFileSync(keysFile(), "utf8")).toMatch(/^{"findling":"keys","format":2,/);
  });

  test("lose nothing and work at every step of that, whatever step a crash comes at", async () => {
    const outcomes: string[] = [];
    for (let crashAt = 0; outcomes.at(-1) !== "sealed"; crashAt++) {
      await rm(folder, { recursive: true, force: true });
      await writePlainKeys();
      steps.length = 0;
      faults.crashAt = crashAt;
      const dying = await open();
      expect(valuesOf(dying)).toEqual(PLAIN);
      expect(dying.keyWithValue(FIRST)?.name).toBe("key 0");
      faults.crashAt = Number.POSITIVE_INFINITY;
      outcomes.push(dying.hasPlainKeys ? "plain" : "sealed");
      const restarted = await open();
      expect(valuesOf(restarted)).toEqual(PLAIN);
      expect(restarted.keyWithValue(SECOND)?.name).toBe("key 1");
      expect([restarted.hasPlainKeys, await filesWithTraces()]).toEqual([false, []]);
    }
    // Five steps each for secret.key and keys.json.
    expect(outcomes).toEqual([...Array(10).fill("plain"), "sealed"]);
  });

  test("that can't be sealed at the start, on a full disk, work, and are sealed with the next write", async () => {
    await writePlainKeys();
    const before = await readFile(keysFile());
    for (const full of ["secret.key.tmp", "keys.json.tmp"]) {
      faults.full = full;
      const catalog = await open();
      expect([catalog.hasPlainKeys, valuesOf(catalog)]).toEqual([true, PLAIN]);
      await expect(catalog.addKeys([keyOf("new")])).rejects.toMatchObject({ code: "storage_unavailable" });
      expect(valuesOf(catalog)).toEqual(PLAIN);
      expect(await readFile(keysFile())).toEqual(before);
      faults.full = "";
    }
    faults.full = "keys.json.tmp";
    const catalog = await open();
    faults.full = "";
    await catalog.addKeys([keyOf("new")]);
    expect([catalog.hasPlainKeys, await filesWithTraces()]).toEqual([false, []]);
    expect(valuesOf(await open())).toEqual([...PLAIN, "new"]);
  });

  test("are sealed when they are made, each with a nonce of its own, and as they were when others change", async () => {
    const catalog = await open();
    const [made] = await catalog.addKeys([keyOf(FIRST)]);
    expect(await filesWithTraces()).toEqual([]);
    const sealed = /v1\.[^"]+/.exec(await readFile(keysFile(), "utf8"))![0];
    await catalog.addKeys([keyOf(SECOND)]);
    await catalog.putKey({ ...catalog.key(made!.id)!, name: "renamed" });
    expect(await readFile(keysFile(), "utf8")).toContain(sealed);
    expect((await open()).keyWithValue(FIRST)).toEqual({ ...catalog.key(made!.id) });
    await catalog.deleteKeys([made!.id]);
    await catalog.addKeys([keyOf(FIRST)]);
    expect(await readFile(keysFile(), "utf8")).not.toContain(sealed);
  });

  test("let nobody in with another secret key, are carried along, and work again with the right one", async () => {
    const [made] = await (await open(ONE)).addKeys([keyOf(FIRST)]);
    for (const key of [TWO, undefined]) {
      const other = await open(key);
      expect(other.keys()).toEqual([{ ...(await open(ONE)).keys()[0] }]);
      expect([other.keyWithValue(FIRST), other.valueOfKey(made!.id)]).toEqual([undefined, undefined]);
      expect(other.keyProblems()).toMatchObject([{ file: keysFile(), isDamage: false }]);
      expect(other.keyProblems()[0]!.problem).toMatch(
        /^1 of 1 stored access keys can't be used: .* not at hand \(id \w{16}\); .*FINDLING_SECRET_KEY/,
      );
    }
    const other = await open(TWO);
    await other.addKeys([keyOf(SECOND)]);
    await other.putKey({ ...other.key(made!.id)!, status: "inactive" });
    expect(other.keyWithValue(SECOND)).toBeDefined();
    expect(valuesOf(await open(TWO))).toEqual([undefined, SECOND]);
    const back = await open(ONE);
    expect(back.keyWithValue(FIRST)?.status).toBe("inactive");
    expect(valuesOf(back)).toEqual([FIRST, undefined]);
  });

  test("can't take each other's place, and a damaged one harms no other", async () => {
    const [made] = await (await open(ONE)).addKeys([keyOf(FIRST), keyOf(SECOND)]);
    const content = decodeCatalogFile("keys", await readFile(keysFile()), keysFile()) as {
      key: SealedSecret;
    }[];
    content[0]!.key = content[1]!.key;
    await writeFile(keysFile(), encodeCatalogFile("keys", content));
    const catalog = await open(ONE);
    expect(valuesOf(catalog)).toEqual([undefined, SECOND]);
    expect(catalog.keyWithValue(SECOND)?.id).not.toBe(made!.id);
    expect(catalog.keyProblems()).toMatchObject([
      { isDamage: true, problem: expect.stringContaining(made!.id) },
    ]);
    await catalog.deleteKeys([made!.id]);
    expect((await open(ONE)).keyProblems()).toEqual([]);
  });

  test("are told of to tools that only read, which find the administrator's key where they have the secret one", async () => {
    await writePlainKeys();
    const check = async (key?: string): Promise<unknown> =>
      (await checkStoredKeys(folder, key)).map(({ isDamage, problem }) => [isDamage, problem.slice(0, 20)]);
    expect(await check()).toEqual([[false, "2 of 2 access keys a"]]);
    expect(await readLocalAdminKey(folder, undefined)).toBe(FIRST);
    await open(ONE);
    expect(await check(ONE)).toEqual([]);
    for (const key of [undefined, TWO]) {
      expect(await check(key)).toEqual([[false, "2 of 2 stored access"]]);
      expect(await readLocalAdminKey(folder, key)).toBeUndefined();
    }
    expect(await readLocalAdminKey(folder, ONE)).toBe(FIRST);
    await expect(readLocalAdminKey(folder, "none")).rejects.toMatchObject({ code: "invalid_configuration" });
    expect(await readdir(folder)).toEqual(["catalog"]);
    expect(await readLocalAdminKey(join(folder, "elsewhere"), ONE)).toBeUndefined();
    expect(await checkStoredKeys(join(folder, "elsewhere"), ONE)).toEqual([]);
  });
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
