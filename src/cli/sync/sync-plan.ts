import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { nested } from "../../contract/nested-fields.js";
import { DocumentNormalizer, NormalizationReport } from "../../intake/document-normalizer.js";
import { LineSplitter } from "../../intake/line-splitter.js";
import { readJson, writeJson } from "../../json/exact-json.js";
import { type BadDocument, BadDocumentsError } from "../import/bad-documents-error.js";
import { BATCH_LIMITS } from "../import/document-batch.js";
import type { ImportRecord } from "../import/import-source.js";
import type { SendableDocuments } from "../import/send-batch.js";
import { digestOf, type KnownDocument, keyTextOf } from "./known-documents.js";

/** What has to be done to make an index equal to a source. */
export interface SyncCounts {
  readonly added: number;
  readonly replaced: number;
  readonly deleted: number;
  readonly unchanged: number;
}

export interface SyncPlanOptions {
  readonly fields: Readonly<Record<string, FieldDefinition>>;
  readonly key: string;
  readonly known: ReadonlyMap<string, KnownDocument>;
  /** Where documents that change are kept until all of the source has been seen. */
  readonly path: string;
  /** Where bad records are left out; without it they end the sync. */
  readonly onSkip: ((bad: BadDocument) => void) | undefined;
}

/** A key that a later document of the source has as well. */
export interface RepeatedKey {
  readonly key: string;
  /** The file that had it before. */
  readonly before: string;
  /** Where it comes again. */
  readonly place: string;
}

const REPEATED_NAMED_MAX = 5;

/**
 * Where a document is, in one number, as there may be millions of them: the number of its file, times this, and the
 * line that was kept of it, from 1; 0: it is as it was.
 */
const LINES = 2 ** 32;

/** A batch of documents that go into the index, and what they replace. */
export interface SyncBatch extends SendableDocuments {
  readonly replacedIds: readonly string[];
}

/**
 * Compares a source with an index by keys: first `take` all records, then `batches` gives what differs, while only keys
 * and where documents lie are in memory. Of several documents with one key the last one counts.
 */
export class SyncPlan {
  readonly #options: SyncPlanOptions;
  readonly #normalizer: DocumentNormalizer;
  readonly #hasUnstored: boolean;
  /** By key of the source, where the document is that counts. */
  readonly #places = new Map<string, number>();
  readonly #files: string[] = [];
  readonly #repeated: RepeatedKey[] = [];
  #repeatedCount = 0;
  readonly #ignored = new Set<string>();
  #kept = 0;
  #hasSkipped = false;

  constructor(options: SyncPlanOptions) {
    this.#options = options;
    this.#normalizer = new DocumentNormalizer(options.fields);
    this.#hasUnstored = Object.values(options.fields).some(({ stored }) => !stored);
  }

  /** Documents of the source, each key once. */
  get documents(): number {
    return this.#places.size;
  }

  /** Documents that a later one with the same key has overwritten, and where the first few of them are. */
  get repeated(): { readonly count: number; readonly first: readonly RepeatedKey[] } {
    return { count: this.#repeatedCount, first: this.#repeated };
  }

  /** Members that documents have and the index has no field for. */
  get ignoredFields(): readonly string[] {
    return [...this.#ignored];
  }

  /** What is gone from the source; nothing where some of it couldn't be read, as it may have been among that. */
  get deleted(): readonly string[] {
    if (this.#hasSkipped) return [];
    return [...this.#options.known].filter(([key]) => !this.#places.has(key)).flatMap(([, { ids }]) => ids);
  }

  get counts(): SyncCounts {
    const counts = { added: 0, replaced: 0, unchanged: 0 };
    for (const [key, place] of this.#places) {
      if (place % LINES === 0) counts.unchanged++;
      else if (this.#options.known.has(key)) counts.replaced++;
      else counts.added++;
    }
    return { ...counts, deleted: this.deleted.length };
  }

  /** @throws BadDocumentsError at the first record that is no document of the index, unless those are skipped */
  async take(groups: AsyncIterable<readonly ImportRecord[]>): Promise<void> {
    const file = await open(this.#options.path, "wx", 0o600);
    try {
      for await (const group of groups) await this.#takeGroup(group, file);
    } finally {
      await file.close();
    }
  }

  async #takeGroup(group: readonly ImportRecord[], file: FileHandle): Promise<void> {
    let lines = "";
    for (const { file: source, place, parsed } of group) {
      const seen = parsed.problem === undefined ? this.#seen(parsed.document) : { problem: parsed.problem };
      if ("problem" in seen || parsed.problem !== undefined) {
        const bad = { place, problem: parsed.problem ?? ("problem" in seen ? seen.problem : "") };
        if (this.#options.onSkip === undefined) throw new BadDocumentsError([bad]);
        this.#options.onSkip(bad);
        this.#hasSkipped = true;
        continue;
      }
      const before = this.#options.known.get(seen.key);
      const isAsBefore = !this.#hasUnstored && before !== undefined && before.digest === seen.digest;
      this.#note(seen.key, source, place);
      this.#places.set(seen.key, (this.#files.length - 1) * LINES + (isAsBefore ? 0 : this.#kept + 1));
      if (isAsBefore) continue;
      const line: KeptLine = { key: seen.key, place, document: parsed.document };
      lines += `${writeJson(line)}\n`;
      this.#kept++;
    }
    await file.write(lines);
  }

  /** Notes which file a key is from, and which one it had been from. */
  #note(key: string, file: string, place: string): void {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    const before = this.#places.get(key);
    if (before === undefined) return;
    this.#repeatedCount++;
    if (this.#repeated.length < REPEATED_NAMED_MAX)
      this.#repeated.push({ key, before: this.#files[Math.floor(before / LINES)]!, place });
  }

  #seen(document: Readonly<Record<string, unknown>>): { key: string; digest: string } | { problem: string } {
    const report = new NormalizationReport();
    const canonical = this.#normalizer.normalize(document, "", report);
    for (const name of report.ignoredFields) this.#ignored.add(name);
    const [first] = report.problems;
    if (first !== undefined) return { problem: first.message };
    const key = keyTextOf(canonical[this.#options.key]);
    if (key === undefined || key === "")
      return { problem: `'${this.#options.key}', the key, is ${key === undefined ? "missing" : "empty"}` };
    return { key, digest: digestOf(nested(canonical, this.#options.fields)) };
  }

  /** What has to be written, in the order of the source. */
  async *batches(): AsyncGenerator<SyncBatch> {
    const splitter = new LineSplitter();
    let batch = new BatchInTheMaking();
    for await (const chunk of createReadStream(this.#options.path)) {
      for (const { line, bytes } of splitter.push(chunk as Buffer)) {
        const { key, place, document } = readJson(Buffer.from(bytes).toString()) as KeptLine;
        // Else a later document of the source has the same key.
        if (this.#places.get(key)! % LINES !== line) continue;
        batch.add(writeJson(document), place, this.#options.known.get(key)?.ids ?? []);
        if (!batch.isFull) continue;
        yield batch;
        batch = new BatchInTheMaking();
      }
    }
    if (batch.texts.length > 0) yield batch;
  }
}

/** A document that has changed, as it is kept. */
interface KeptLine {
  readonly key: string;
  readonly place: string;
  readonly document: object;
}

class BatchInTheMaking implements SyncBatch {
  readonly texts: string[] = [];
  readonly places: string[] = [];
  readonly replacedIds: string[] = [];
  #length = 0;

  get isFull(): boolean {
    return this.texts.length >= BATCH_LIMITS.documents || this.#length >= BATCH_LIMITS.length;
  }

  add(text: string, place: string, replacedIds: readonly string[]): void {
    this.texts.push(text);
    this.places.push(place);
    this.replacedIds.push(...replacedIds);
    this.#length += text.length;
  }
}
