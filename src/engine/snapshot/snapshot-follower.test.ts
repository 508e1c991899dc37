/**
 * Properties: a snapshot that was posted answers as the searcher that it was made from, for plain and for
 * kernel memory, with deletes and without; what two snapshots share is opened once; files are closed when
 * nobody holds them; a snapshot whose files are gone is refused; a thread that takes another's place takes
 * its scratch space too.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDocumentStoresIn } from "../../../tests/kit/open-document-stores.js";
import { imageThreshold } from "../kernels/image-memory.js";
import { compiledKernels } from "../kernels/kernel-module.js";
import {
  defineSchema,
  FileDirectory,
  Index,
  type Query,
  type SharedSnapshot,
  SnapshotFollower,
  shareSnapshot,
  TieredMergePolicy,
} from "../server-door.js";

const SCHEMA = defineSchema({ id: "keyword", title: "text", year: "u64", kind: "facet" });
const WORDS = ["winter", "tale", "tempest", "much", "ado", "about", "nothing", "king", "lear"];
const QUERIES: readonly Query[] = [
  { kind: "match_all" },
  { kind: "term", field: "title", term: "winter" },
  { kind: "fuzzy", fields: [{ field: "title", boost: 1 }], term: "tempets", maxDistance: 2 },
  { kind: "prefix", field: "title", prefix: "t" },
  {
    kind: "boolean",
    clauses: ["ado", "king", "winter", "tale"].map((term) => ({
      occur: "should",
      query: { kind: "term", field: "title", term },
    })),
  },
];

const thresholdBefore = imageThreshold.bytes;
let path: string;
let directory: FileDirectory;
let index: Index;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), "findling-snapshot-"));
  directory = await FileDirectory.open(path, { create: true });
});
afterEach(async () => {
  await index.close();
  imageThreshold.bytes = thresholdBefore;
  rmSync(path, { recursive: true, force: true });
});

function posted(snapshot: SharedSnapshot): SharedSnapshot {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(snapshot);
  const { message } = receiveMessageOnPort(port2) as { message: SharedSnapshot };
  port1.close();
  return message;
}

async function addSome(from: number, to: number): Promise<void> {
  const documents = [];
  for (let n = from; n < to; n++) {
    const title = `${WORDS[n % 9]} ${WORDS[(n * 5) % 7]} ${WORDS[(n * n) % 8]}`;
    documents.push({ id: `d${n}`, title, year: 1600 + (n % 40), kind: `/play/${WORDS[n % 4]}` });
  }
  await index.add(documents);
  await index.commit();
}

function answers(searcher: { search: Index["searcher"]["search"] }): unknown {
  return QUERIES.map((query) => [
    searcher.search({ query, offset: 0, limit: 30, facets: ["kind"] }),
    searcher.search({
      query,
      offset: 3,
      limit: 7,
      orderBy: [{ kind: "field", field: "year", descending: true }],
    }),
  ]);
}

/** Polled: while a commit point syncs one, it is open once more. */
const expectOpenStores = (count: number): Promise<void> =>
  expect.poll(() => openDocumentStoresIn(path)).toBe(count);

describe.each([
  ["plain memory", 2 ** 40],
  ["kernel memory", 1],
])("in %s", (_, bytes) => {
  test.skipIf(process.platform !== "linux")(
    "followers answer as the index does, and share what stays the same",
    async () => {
      imageThreshold.bytes = bytes;
      index = await Index.create(directory, SCHEMA);
      await addSome(0, 300);
      const follower = new SnapshotFollower(directory, 1);
      const first = await follower.open(posted(shareSnapshot(index.searcher)));
      const before = answers(index.searcher);
      expect(answers(first.searcher)).toEqual(before);

      await index.deleteByQuery({ kind: "value_set", field: "id", values: ["d3", "d12", "d77"] });
      await addSome(300, 400);
      const second = await follower.open(posted(shareSnapshot(index.searcher)));
      expect(answers(second.searcher)).toEqual(answers(index.searcher));
      expect(answers(second.searcher)).not.toEqual(before);
      expect(answers(first.searcher)).toEqual(before);

      await addSome(400, 410);
      const third = await follower.open(posted(shareSnapshot(index.searcher)));
      expect(third.searcher.segments.slice(0, 2)).toEqual(second.searcher.segments);
      expect(third.searcher.segments[0]).toBe(second.searcher.segments[0]);

      const ownedByIndex = index.segmentCount;
      await expectOpenStores(ownedByIndex + 3);
      first.release();
      first.release();
      second.release();
      await expectOpenStores(ownedByIndex + 3);
      expect(answers(third.searcher)).toEqual(answers(index.searcher));
      third.release();
      await expectOpenStores(ownedByIndex);
      expect(follower.isEmpty).toBe(true);
    },
  );

  test.skipIf(process.platform !== "linux")(
    "what is asked for at the same time is opened once, and closed with the last",
    async () => {
      imageThreshold.bytes = bytes;
      index = await Index.create(directory, SCHEMA);
      await addSome(0, 100);
      const first = posted(shareSnapshot(index.searcher));
      await addSome(100, 110);
      const second = posted(shareSnapshot(index.searcher));
      const ownedByIndex = index.segmentCount;
      await expectOpenStores(ownedByIndex);
      const follower = new SnapshotFollower(directory, 1);
      const held = await Promise.all([first, second, first].map((shared) => follower.open(shared)));
      await expectOpenStores(ownedByIndex + second.segments.length);
      const [shared] = held[1]!.searcher.segments;
      for (const { searcher } of held) expect(searcher.segments[0]).toBe(shared);
      for (const { release } of held) release();
      await expectOpenStores(ownedByIndex);
      expect(follower.isEmpty).toBe(true);
    },
  );

  test("one that can't be opened holds up none of those behind it", async () => {
    imageThreshold.bytes = bytes;
    index = await Index.create(directory, SCHEMA);
    await addSome(0, 100);
    const stale = posted(shareSnapshot(index.searcher));
    await index.deleteAll();
    await addSome(100, 200);
    await index.settled();
    const newest = posted(shareSnapshot(index.searcher));
    const follower = new SnapshotFollower(directory, 1);
    const [failed, opened] = await Promise.allSettled([follower.open(stale), follower.open(newest)]);
    expect(failed.status).toBe("rejected");
    if (opened.status === "rejected") throw opened.reason;
    expect(answers(opened.value.searcher)).toEqual(answers(index.searcher));
    opened.value.release();
    expect(follower.isEmpty).toBe(true);
  });

  test("a snapshot outlives a merge and the index", async () => {
    imageThreshold.bytes = bytes;
    index = await Index.create(directory, SCHEMA, {
      mergePolicy: new TieredMergePolicy({ segmentsPerTier: 2 }),
    });
    await addSome(0, 100);
    const stale = posted(shareSnapshot(index.searcher));
    const follower = new SnapshotFollower(directory, 1);
    const held = await follower.open(stale);
    const before = answers(index.searcher);
    await addSome(100, 200);
    await addSome(200, 300);
    await index.merge();
    expect(answers(held.searcher)).toEqual(before);
    await index.close();
    expect(answers(held.searcher)).toEqual(before);
    held.release();

    await expect(follower.open(stale)).rejects.toThrow(/damaged/);
    expect(follower.isEmpty).toBe(true);
  });
});

test.skipIf(compiledKernels() === null)(
  "a thread in another's place takes its scratch space, as new",
  async () => {
    imageThreshold.bytes = 1;
    index = await Index.create(directory, SCHEMA);
    await addSome(0, 300);
    const shared = shareSnapshot(index.searcher);
    const { image } = shared.segments[0]!.data;
    const imageEnd = "memory" in image ? image.memory.buffer.byteLength : 0;
    // Its own scratch space comes behind that.
    const expected = answers(index.searcher);
    const bytesAfter = async (threadNumber: number): Promise<number> => {
      const held = await new SnapshotFollower(directory, threadNumber).open(posted(shared));
      for (let i = 0; i < 3; i++) expect(answers(held.searcher)).toEqual(expected);
      const { memory } = held.searcher.segments[0]!.image!;
      // Whatever the thread left there.
      new Uint8Array(memory.buffer).fill(0xa5, imageEnd);
      held.release();
      return memory.buffer.byteLength;
    };
    const bytes = await bytesAfter(1);
    expect(await bytesAfter(1)).toBe(bytes);
    expect(await bytesAfter(2)).toBeGreaterThan(bytes);
  },
);
