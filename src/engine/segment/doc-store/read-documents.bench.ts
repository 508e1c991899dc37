/**
 * Ten random documents of a store of short texts: `npx tsx src/engine/segment/doc-store/read-documents.bench.ts`.
 * With a path, of that document store file. Prints microseconds per ten.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { FileDirectory } from "../../directory/file-directory.js";
import { DocStoreReader } from "./doc-store-reader.js";
import { DocStoreWriter } from "./doc-store-writer.js";

const ROUNDS = 4000;
const WARM_UP_ROUNDS = 1000;
const DOCUMENTS_PER_ROUND = 10;

async function measure(path: string): Promise<void> {
  const directory = await FileDirectory.open(dirname(path), { create: false });
  const reader = DocStoreReader.open(await directory.open(basename(path)));
  const times: number[] = [];
  let state = 12_345;
  for (let round = 0; round < ROUNDS; round++) {
    const docIds = Array.from({ length: DOCUMENTS_PER_ROUND }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * reader.docCount);
    });
    const start = performance.now();
    for (const docId of docIds) reader.storedJson(docId);
    if (round >= WARM_UP_ROUNDS) times.push((performance.now() - start) * 1000);
  }
  reader.close();
  times.sort((a, b) => a - b);
  const at = (share: number): string => times[Math.floor(times.length * share)]!.toFixed(1);
  console.log(`${reader.docCount} documents: median ${at(0.5)} µs, p10 ${at(0.1)}, p99 ${at(0.99)}`);
}

async function writeSample(path: string): Promise<void> {
  const writer = new DocStoreWriter();
  let state = 7;
  for (let n = 0; n < 200_000; n++) {
    const words = Array.from({ length: 50 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor(1.2 ** ((state / 2 ** 32) * 60)).toString(36);
    });
    writer.append(JSON.stringify({ id: String(n), text: words.join(" ") }), "{}");
  }
  const directory = await FileDirectory.open(dirname(path), { create: false });
  await directory.write(basename(path), writer.finish());
}

const given = process.argv[2];
if (given === undefined) {
  const folder = await mkdtemp(join(tmpdir(), "findling-documents-"));
  try {
    await writeSample(join(folder, "sample.doc"));
    await measure(join(folder, "sample.doc"));
  } finally {
    await rm(folder, { recursive: true });
  }
} else {
  await measure(given);
}
