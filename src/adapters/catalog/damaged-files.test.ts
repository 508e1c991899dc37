// Properties: whatever becomes of any one file of the catalog's folder, the catalog opens with all the others, names the
// file and what it held, and leaves it as it is, byte for byte, until another takes its place, when a copy stays; damaged
// keys let nobody in and make no first ones; a file of a newer version stops the start.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { indexNamed } from "../../../tests/kit/catalog-index.js";
import { encodeCatalogFile, withHead } from "./catalog-file.js";
import { FileCatalog } from "./file-catalog.js";
import { readStoredIndexes } from "./read-data-folder.js";
import { accessKeyId } from "./stored-key.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-damaged-"));
  const catalog = await open();
  for (const name of ["books", "Films"]) await catalog.putIndex(indexNamed(name));
  for (const name of ["shop", "Other"])
    await catalog.putFederation({
      name,
      friendly_name: name,
      created_at: "2025-01-01T00:00:00.000000Z",
      last_modified: "2025-01-01T00:00:00.000000Z",
      index_configurations: [{ name: "books", weight_multiplier: 1 }],
    });
  await catalog.addKeys([KEY]);
  await catalog.changeAliases([{ alias: "novels", index: "books" }]);
  await catalog.close();
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const KEY = {
  key: "a-key",
  name: "a",
  permissions: 63,
  allowed_indexes: ["*"],
  status: "active",
} as const;

/** Each file of the catalog and what it is called. */
const FILES: readonly (readonly [path: string, holder: string])[] = [
  ["indexes/books.json", "index 'books'"],
  ["indexes/Films.1.json", "index 'Films'"],
  ["federations/shop.json", "federation 'shop'"],
  ["federations/Other.1.json", "federation 'Other'"],
  ["keys.json", "access keys"],
  ["aliases.json", "aliases"],
];

const pathOf = (name: string): string => join(folder, "catalog", name);

function open(): Promise<FileCatalog> {
  return FileCatalog.open(join(folder, "catalog"), { keyFile: join(folder, "secret.key") });
}

/** What there is, by what its file is called. */
function held(catalog: FileCatalog): readonly string[] {
  return [
    ...catalog.indexes().map(({ schema: { name } }) => `index '${name}'`),
    ...catalog.federations().map(({ name }) => `federation '${name}'`),
    ...(catalog.keyWithValue("a-key") === undefined ? [] : ["access keys"]),
    ...(catalog.alias("novels") === undefined ? [] : ["aliases"]),
  ].toSorted();
}

const ALL = FILES.map(([, holder]) => holder).toSorted();

/** Opens with the file as it is now, which can't be understood. */
async function expectSetAside(path: string, holder: string): Promise<void> {
  const file = pathOf(path);
  const before = readFileSync(file);
  const names = readdirSync(folder, { recursive: true }).toSorted();
  const catalog = await open();
  expect(catalog.damaged()).toMatchObject([{ file, holder, error: { code: "storage_corrupt", file } }]);
  expect(held(catalog)).toEqual(ALL.filter((each) => each !== holder));
  expect(await catalog.addFirstKeys([{ ...KEY, key: "first" }])).toEqual([]);
  await catalog.deleteKeys([accessKeyId("nobody's")]);
  await catalog.close();
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual(names);
  expect(readStoredIndexes(folder).damage.map((damage) => damage.file)).toEqual([file]);
}

describe.each(FILES)("%s", (path, holder) => {
  test("cut at any length", async () => {
    const sound = readFileSync(pathOf(path));
    const header = sound.indexOf("\n");
    const lengths = new Set([0, 1, 2, header - 1, header, header + 1, header + 2, sound.length - 2]);
    for (let length = 7; length < sound.length; length += 31) lengths.add(length);
    for (const length of [...lengths, sound.length - 1]) {
      writeFileSync(pathOf(path), sound.subarray(0, length));
      await expectSetAside(path, holder);
    }
  });

  test("a flipped bit of each byte of the first line, and bits of both", async () => {
    const sound = readFileSync(pathOf(path));
    const withBit = async (bit: number): Promise<void> => {
      const flipped = Buffer.from(sound);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(pathOf(path), flipped);
      await expectSetAside(path, holder);
    };
    for (let byte = 0; byte <= sound.indexOf("\n"); byte++) await withBit(byte * 8 + (byte % 8));
    await fc.assert(fc.asyncProperty(fc.nat(sound.length * 8 - 1), withBit), { numRuns: 60 });
  });

  test("zeros, other bytes, more bytes, another file's, what is sound and none of it", async () => {
    const sound = readFileSync(pathOf(path));
    const kind = (JSON.parse(sound.toString("utf8").split("\n")[0]!) as { findling: "index" }).findling;
    const other = FILES.find(([each]) => each !== path && each.split("/")[0] === path.split("/")[0]);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(sound.length),
      Buffer.concat([sound.subarray(0, 40), Buffer.alloc(sound.length - 40)]),
      Buffer.from("no catalog at all"),
      Buffer.from("{}\n{}\n"),
      Buffer.from("null\nnull\n"),
      Buffer.from("\n\n"),
      Buffer.concat([sound, Buffer.from("x")]),
      Buffer.concat([sound, sound]),
      readFileSync(pathOf(other?.[0] ?? "federations/shop.json")),
      ...[null, 1, "a", [1], [null], { a: 1 }, [{}], { schema: null }, { schema: { name: "books" } }].map(
        (content) => encodeCatalogFile(kind, content),
      ),
    ]) {
      writeFileSync(pathOf(path), bytes);
      await expectSetAside(path, holder);
    }
  });

  test("written before first lines had a digest: flipped bits of its first line", async () => {
    const sound = readFileSync(pathOf(path))
      .toString("utf8")
      .replace(/,"head":"[0-9a-f]{16}"/, "");
    writeFileSync(pathOf(path), sound);
    expect(held(await open())).toEqual(ALL);
    const format = sound.indexOf('"format":') + '"format":'.length;
    const places = Array.from({ length: sound.indexOf("\n") + 1 }, (_, byte) => byte * 8 + (byte % 8));
    for (const bit of [...places, ...Array.from({ length: 8 }, (_, at) => format * 8 + at)]) {
      const flipped = Buffer.from(sound);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(pathOf(path), flipped);
      await expectSetAside(path, holder);
    }
  });

  test("of a newer version, it stops the start", async () => {
    const [header, content] = readFileSync(pathOf(path)).toString("utf8").split("\n");
    const { head: _, ...known } = JSON.parse(header!) as Record<string, unknown>;
    const raised = `${withHead(JSON.stringify({ ...known, format: 9 }))}\n${content}\n`;
    writeFileSync(pathOf(path), raised);
    await expect(open()).rejects.toMatchObject({ file: pathOf(path), code: "storage_corrupt" });
    expect(readFileSync(pathOf(path), "utf8")).toBe(raised);
  });

  test("put back, it is as it was", async () => {
    const sound = readFileSync(pathOf(path));
    writeFileSync(pathOf(path), sound.subarray(9));
    await expectSetAside(path, holder);
    writeFileSync(pathOf(path), sound);
    const catalog = await open();
    expect([held(catalog), catalog.damaged()]).toEqual([ALL, []]);
  });
});

test("what takes the place of a damaged file leaves a copy of it, each of several", async () => {
  const kept = (name: string): Buffer => readFileSync(pathOf(name));
  for (const [path] of FILES) writeFileSync(pathOf(path), `damaged ${path}`);
  const catalog = await open();
  expect(held(catalog)).toEqual([]);
  expect(
    catalog
      .damaged()
      .map(({ holder }) => holder)
      .toSorted(),
  ).toEqual(ALL);
  await catalog.putIndex(indexNamed("books"));
  await catalog.addKeys([{ ...KEY, key: "new" }]);
  await catalog.changeAliases([{ alias: "novels", index: "books" }]);
  expect(catalog.damaged().map(({ holder }) => holder)).toEqual([
    "index 'Films'",
    "federation 'Other'",
    "federation 'shop'",
  ]);
  for (const path of ["indexes/books.json", "keys.json", "aliases.json"])
    expect(kept(`${path}.damaged`).toString()).toBe(`damaged ${path}`);
  await catalog.close();
  writeFileSync(pathOf("indexes/books.json"), "again");
  await (await open()).putIndex(indexNamed("books"));
  expect(kept("indexes/books.json.damaged-2").toString()).toBe("again");
  expect(kept("indexes/books.json.damaged").toString()).toBe("damaged indexes/books.json");
  const reopened = await open();
  expect([reopened.keyWithValue("a-key"), reopened.keyWithValue("new")?.name]).toEqual([undefined, "a"]);
});

test("missing keys beside any other file let nobody in, and make no first ones", async () => {
  unlinkSync(pathOf("keys.json"));
  const check = async (): Promise<void> => {
    const catalog = await open();
    expect(catalog.damaged().map(({ holder }) => holder)).toContain("access keys");
    expect(catalog.keys()).toEqual([]);
    expect(await catalog.addFirstKeys([{ ...KEY, key: "first" }])).toEqual([]);
    expect(() => readFileSync(pathOf("keys.json"))).toThrow("ENOENT");
  };
  await check();
  rmSync(pathOf("federations"), { recursive: true });
  rmSync(pathOf("aliases.json"));
  await check();
  for (const name of readdirSync(pathOf("indexes"))) writeFileSync(pathOf(`indexes/${name}`), "");
  await check();
});

test("a file in another's place is damaged, the other one not", async () => {
  copyFileSync(pathOf("indexes/books.json"), pathOf("indexes/novels.json"));
  copyFileSync(pathOf("indexes/books.json"), pathOf("federations/books.json"));
  const catalog = await open();
  expect(held(catalog)).toEqual(ALL);
  expect(catalog.damaged().map(({ holder }) => holder)).toEqual(["index 'novels'", "federation 'books'"]);
});

test("keys that can't be read let nobody in, and stay under another name", async () => {
  renameSync(pathOf("keys.json"), pathOf("keys.there"));
  mkdirSync(pathOf("keys.json"));
  const catalog = await open();
  expect(catalog.damaged()).toMatchObject([{ holder: "access keys" }]);
  expect(held(catalog)).toEqual(ALL.filter((each) => each !== "access keys"));
  await catalog.addKeys([{ ...KEY, key: "new" }]);
  expect(readdirSync(pathOf("keys.json.damaged"))).toEqual([]);
  expect((await open()).keyWithValue("new")).toBeDefined();
});
