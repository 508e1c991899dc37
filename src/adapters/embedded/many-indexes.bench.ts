/**
 * 10,000 small indexes on one node: `npm run build && node --expose-gc --import tsx
 * src/adapters/embedded/many-indexes.bench.ts [indexes]`. Prints how long the start takes, what a
 * sleeping index costs in memory and file handles, and how quick searches across all of them are.
 */
import { readdirSync } from "node:fs";
import { cp, link, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { compileSearch } from "../../query/compile-search.js";
import { EmbeddedBackend } from "./embedded-backend.js";

const COUNT = Number(process.argv[2] ?? 10_000);
const DOCUMENTS = 50;
const SEARCHES = 2_000;

const folder = await mkdtemp(join(tmpdir(), "findling-many-indexes-"));
const sample = sampleIndex();
/** Indexes sleep for want of room only. */
const clock = new ManualClock();
const storageId = (n: number): string => `storage-${n}`;
const plan = compileSearch(
  { clauses: [{ mode: "exact", ctx: "title:word7", occur: "should" }], offset: 0, limit: 10, sort: "desc" },
  sample,
  0,
);

function heap(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const fileHandles = (): number => readdirSync("/proc/self/fd").length;
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const now = (): number => performance.now();

try {
  const first = await EmbeddedBackend.open({ dataDirectory: folder, clock });
  await first.start([]);
  await first.createIndex(storageId(0), sample.schema);
  await first.add(
    storageId(0),
    Array.from({ length: DOCUMENTS }, (_, n) => ({
      id: String(n),
      title: `document word${n % 20} text`,
      price: n,
    })),
  );
  await first.commit(storageId(0));
  await first.stop();
  const original = join(folder, "indexes", storageId(0));
  const names = await readdir(original);
  for (let n = 1; n < COUNT; n++) {
    const copy = join(folder, "indexes", storageId(n));
    await mkdir(copy);
    for (const name of names) {
      if (name.startsWith("journal")) await cp(join(original, name), join(copy, name));
      else await link(join(original, name), join(copy, name));
    }
  }

  const before = heap();
  const handlesBefore = fileHandles();
  let started = now();
  const backend = await EmbeddedBackend.open({ dataDirectory: folder, clock });
  await backend.start(
    Array.from({ length: COUNT }, (_, n) => ({ storageId: storageId(n), schema: sample.schema })),
  );
  console.log(`start of ${COUNT} indexes: ${(now() - started).toFixed(0)} ms`);
  started = now();
  await backend.search(storageId(COUNT - 1), plan);
  console.log(`first answer after it: ${(now() - started).toFixed(1)} ms`);

  const times: number[] = [];
  let slowestTurn = 0;
  let turn = now();
  const ticking = setInterval(() => {
    slowestTurn = Math.max(slowestTurn, now() - turn);
    turn = now();
  }, 1);
  let state = 1;
  for (let search = 0; search < SEARCHES; search++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const n = Math.floor((state / 2 ** 32) * COUNT);
    started = now();
    const { count } = await backend.search(storageId(n), plan);
    times.push(now() - started);
    if (count === 0) throw new Error("nothing was found");
  }
  clearInterval(ticking);
  times.sort((a, b) => a - b);
  const at = (share: number): string => times[Math.floor(times.length * share)]!.toFixed(2);
  console.log(`${SEARCHES} searches of random indexes: median ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  console.log(`longest turn of the event loop: ${slowestTurn.toFixed(0)} ms`);
  console.log(`with at most 500 awake: heap ${megabytes(heap() - before)}, ${fileHandles()} file handles`);
  started = now();
  let documents = 0;
  for (let n = 0; n < COUNT; n++) documents += (await backend.stats(storageId(n))).documentCount;
  console.log(`statistics of all (${documents} documents): ${(now() - started).toFixed(0)} ms`);
  await backend.stop();

  const sleeping = await EmbeddedBackend.open({
    dataDirectory: folder,
    clock,
    awake: { countMax: 1, bytesMax: 1, idleMs: 1000 },
  });
  const beforeSleeping = heap();
  await sleeping.start(
    Array.from({ length: COUNT }, (_, n) => ({ storageId: storageId(n), schema: sample.schema })),
  );
  for (let n = 0; n < COUNT; n++) await sleeping.stats(storageId(n));
  for (let n = 0; n < COUNT; n += 10) await sleeping.search(storageId(n), plan);
  const perIndex = (heap() - beforeSleeping) / COUNT;
  console.log(
    `asleep, a tenth of them used before: ${perIndex.toFixed(0)} bytes each; ${fileHandles() - handlesBefore} file handles more than before the start`,
  );
  await sleeping.stop();
} finally {
  await rm(folder, { recursive: true });
}
