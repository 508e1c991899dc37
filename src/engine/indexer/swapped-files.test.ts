// Proves: a file of an index in the place of another one, of the same index or of one with like documents, is noticed
// when the index is opened and by the check, is named, and nothing is written or deleted then.
import { describe, expect, test } from "vitest";
import { CorruptionError } from "../../errors/index.js";
import { newOwner } from "../bytes/file-owner.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { Index } from "../document-index.js";
import { checkIndex } from "../inspect/check-index.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { filesOfCommit } from "./commit-point.js";
import type { MergePolicy } from "./merge-policy.js";
import { readCommitPoint } from "./open-index-writer.js";

const SCHEMA: EngineSchema = {
  fields: [
    { name: "title", kind: "text", indexed: true, stored: true, multi: false },
    { name: "year", kind: "u64", indexed: true, stored: true, multi: false },
  ],
  analyzer: { version: 1 },
};

const NO_MERGES: MergePolicy = { nextMerge: () => null };

type Files = ReadonlyMap<string, Buffer>;

/** Segments of so many documents each, as many of them deleted in each; pending documents in the journal. */
async function indexOf(sizes: readonly number[], salt: number, owner: string): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory();
  const index = await Index.create(directory, SCHEMA, { owner, mergePolicy: NO_MERGES });
  for (const [number, size] of sizes.entries()) {
    // All alike in shape: nothing but what a file says of itself tells one from another.
    const documents = Array.from({ length: size }, (_, i) => ({
      title: `word${(i * 7 + number + salt) % 10} of ${1000 + ((i + number + salt) % 50)}`,
      year: 1000 * number + i,
    }));
    await index.add(documents);
    await index.commit();
    await index.deleteByQuery({ kind: "value_set", field: "year", values: [documents[number % size]!.year] });
    await index.commit();
    await index.settled();
  }
  await index.add([{ title: `pending ${salt % 10}`, year: 2000 }]);
  await index.close();
  return directory;
}

async function filesOf(directory: MemoryDirectory): Promise<Files> {
  const files = new Map<string, Buffer>();
  for (const name of await directory.list()) files.set(name, Buffer.from(await directory.read(name)));
  return files;
}

/** Those that count: a segment that was written ahead of its commit doesn't. */
async function committedFilesOf(directory: MemoryDirectory): Promise<Files> {
  const named = filesOfCommit(await readCommitPoint(directory));
  return new Map([...(await filesOf(directory))].filter(([name]) => named.has(name)));
}

async function directoryOf(files: Files): Promise<MemoryDirectory> {
  const directory = new MemoryDirectory();
  for (const [name, bytes] of files) await directory.write(name, [bytes]);
  return directory;
}

/** @param culprits one of which must be named */
async function expectRefused(files: Files, owner: string, culprits: readonly string[]): Promise<void> {
  const directory = await directoryOf(files);
  const opening = Index.open(directory, { owner, mergePolicy: NO_MERGES });
  const error = await opening.then(
    (index) => index.close().then(() => null),
    (reason: unknown) => reason,
  );
  expect(error, culprits.join(" and ")).toBeInstanceOf(CorruptionError);
  const names = (file: string): boolean => culprits.some((name) => file.endsWith(name));
  expect((error as CorruptionError).file).toSatisfy(names);
  expect(await filesOf(directory)).toEqual(files);
  const { problems } = await checkIndex(directory, owner);
  expect(problems.map(({ file }) => file)).toSatisfy((found: string[]) => found.some(names));
}

describe("a file in the place of another", () => {
  test("is noticed for every pair of two indexes and their segments", async () => {
    const size = 2 + Math.floor(Math.random() * 4);
    const owners = [newOwner(), newOwner()];
    const first = await committedFilesOf(await indexOf([size, size], 0, owners[0]!));
    const second = await committedFilesOf(await indexOf([size, size], 1, owners[1]!));
    const kindOf = (name: string): string => name.replace(/^s[0-9a-f]+|-?[0-9a-f]{8}$/g, "");
    expect([...first.keys()].map(kindOf).toSorted()).toEqual([
      ".doc",
      ".doc",
      ".idx",
      ".idx",
      ".live",
      ".live",
      "commit",
      "journal",
    ]);
    const sound = await checkIndex(await directoryOf(first), owners[0]);
    expect([sound.problems, sound.unbound]).toEqual([[], []]);
    for (const name of first.keys()) {
      for (const [other, bytes] of first) {
        if (other <= name) continue;
        const swapped = new Map(first).set(name, bytes).set(other, first.get(name)!);
        await expectRefused(swapped, owners[0]!, [name, other]);
      }
      for (const [other, bytes] of second) {
        if (kindOf(other) !== kindOf(name)) continue;
        await expectRefused(new Map(first).set(name, bytes), owners[0]!, [name]);
      }
    }
    const commits = [...second.keys()].filter((name) => name.startsWith("commit-"));
    await expectRefused(second, owners[0]!, commits);
  });

  test("is noticed where only the journal or only the commit point is another's, of empty indexes", async () => {
    const owners = [newOwner(), newOwner()];
    const [first, second] = await Promise.all(
      owners.map(async (owner) => {
        const directory = new MemoryDirectory();
        await (await Index.create(directory, SCHEMA, { owner })).close();
        return filesOf(directory);
      }),
    );
    for (const name of first!.keys()) {
      const swapped = new Map(first).set(name, second!.get(name)!);
      await expectRefused(swapped, owners[0]!, [...first!.keys()]);
    }
  });
});
