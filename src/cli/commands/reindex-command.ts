import {
  type FindlingClient,
  FindlingClientError,
  type IndexView,
  type NamedIndexDraft,
} from "../../client/index.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { DocumentNormalizer, NormalizationReport } from "../../intake/document-normalizer.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { everyPage, firstPage, type Page } from "../every-page.js";
import { EXIT } from "../exit-codes.js";
import { BadDocumentsError } from "../import/bad-documents-error.js";
import { readSchemaFile } from "../import/choose-schema.js";
import { findIndex } from "../import/find-index.js";
import { RETRY_SECONDS_MAX } from "../import/retry.js";
import { SkippedDocuments } from "../import/skipped-documents.js";
import { completedFields } from "../reindex/completed-fields.js";
import { copyDictionaries } from "../reindex/copy-dictionaries.js";
import { IndexFilling } from "../reindex/index-filling.js";
import { formatCount, formatCounted, formatDuration } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

export interface ReindexOptions extends ConnectionOptions {
  readonly into: string;
  readonly schema?: string;
  readonly swap?: readonly string[];
  readonly restart?: boolean;
  readonly skipBad?: boolean;
  readonly dropUnstored?: boolean;
  readonly dryRun?: boolean;
  readonly retrySeconds?: number;
}

/**
 * `findling reindex OLD --into NEW`: fills a new index with the documents of another one, which stays as it is, and gives
 * it the other's aliases. Whatever fails before they are swapped, the new index is gone again.
 */
export async function runReindex(from: string, options: ReindexOptions, output: Output): Promise<void> {
  await new ReindexRun(options, output).run(from);
}

class ReindexRun {
  readonly #options: ReindexOptions;
  readonly #output: Output;
  readonly #skipped: SkippedDocuments;
  readonly #ignored = new Set<string>();
  readonly #interruption = new AbortController();
  readonly #startedAt = performance.now();

  constructor(options: ReindexOptions, output: Output) {
    this.#options = options;
    this.#output = output;
    this.#skipped = new SkippedDocuments((line) => output.note(line));
  }

  async run(from: string): Promise<void> {
    const { into, dryRun, swap = [] } = this.#options;
    const { client } = await connect(this.#options);
    const old = await client.getIndex(from);
    const draft = await this.#draft(old);
    this.#requireStored(old, draft);
    await requireAliases(client, swap, old.name);
    await this.#requireFree(client);
    const first = await firstPage(client, old.name, "*");
    if (dryRun === true) await this.#check(client, old.name, draft, first);
    else await this.#interruptible(() => this.#fill(client, old.name, draft, first));
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const documents = first.count - this.#skipped.count;
    if (this.#ignored.size > 0)
      this.#output.note(`not in the schema, so dropped: ${[...this.#ignored].join(", ")}`);
    const skipped =
      this.#skipped.count === 0 ? "" : `, ${formatCounted(this.#skipped.count, "document")} skipped`;
    const swapped = swap.length === 0 ? "" : `; ${swap.join(", ")} stands for it now`;
    this.#output.result(
      {
        from: old.name,
        index: into,
        dry_run: dryRun === true,
        documents,
        skipped: this.#skipped.count,
        bad: this.#skipped.first,
        ignored_fields: [...this.#ignored],
        swapped: dryRun === true ? [] : swap,
        seconds: Number(seconds.toFixed(3)),
      },
      dryRun === true
        ? `${formatCounted(documents, "document")} would go from '${old.name}' into '${into}'${skipped}; nothing was sent`
        : `${formatCounted(documents, "document")} went from '${old.name}' into '${into}' in ${formatDuration(seconds)}${skipped}${swapped}`,
    );
  }

  /** The new index: by the schema file, or as the old one is. */
  async #draft(old: IndexView): Promise<NamedIndexDraft> {
    const { schema, into } = this.#options;
    if (schema !== undefined) return readSchemaFile(schema, into);
    // A key of a language model isn't shown, so that it can't be sent either.
    const { ai, ai_enabled: _, ...settings } = old;
    if (ai !== undefined) this.#output.note(`'${into}' gets no settings of language models; PATCH them`);
    return { ...settings, name: into };
  }

  /** @throws CliError where values would be lost that the old index doesn't show */
  #requireStored(old: IndexView, draft: NamedIndexDraft): void {
    const unstored = Object.entries(old.fields)
      .filter(([name, { stored }]) => !stored && Object.hasOwn(draft.fields, name))
      .map(([name]) => name);
    if (unstored.length === 0) return;
    const named = unstored.map((name) => `'${name}'`).join(", ");
    if (this.#options.dropUnstored === true) {
      this.#output.note(`not stored, so left without values: ${named}`);
      return;
    }
    throw new CliError(
      "not_stored",
      `'${old.name}' doesn't show the values of ${named}, so they can't be copied; PATCH /index/${old.name}/fields with "stored": true shows them, --drop-unstored goes on without them`,
    );
  }

  async #requireFree(client: FindlingClient): Promise<void> {
    const { into, restart, dryRun } = this.#options;
    if ((await findIndex(client, into)) === undefined) return;
    if (restart === true) {
      if (dryRun !== true) await client.deleteIndex(into);
      return;
    }
    throw new CliError(
      "index_exists",
      `index '${into}' exists already; name another one, or delete it first, which --restart does`,
    );
  }

  async #fill(client: FindlingClient, from: string, draft: NamedIndexDraft, first: Page): Promise<void> {
    const { into, swap = [], skipBad, retrySeconds = RETRY_SECONDS_MAX } = this.#options;
    try {
      await client.createIndex(draft);
      await copyDictionaries(client, from, into);
      const filling = new IndexFilling({
        client,
        index: into,
        retrySecondsMax: retrySeconds,
        onSkip: skipBad === true ? (bad) => this.#skipped.add(bad) : undefined,
      });
      for await (const { hits } of everyPage(client, from, first)) {
        this.#interruption.signal.throwIfAborted();
        await filling.add(hits);
      }
      await filling.end();
      for (const field of filling.ignoredFields) this.#ignored.add(field);
      this.#requireKeys(filling.replaced, from);
      await this.#requireAll(client, first.count - this.#skipped.count);
      this.#interruption.signal.throwIfAborted();
      if (swap.length > 0) await client.swapAliases(swap.map((alias) => ({ alias, index: into })));
    } catch (failure) {
      // Somebody else has made one of that name meanwhile.
      if (failure instanceof FindlingClientError && failure.code === "index_exists") throw failure;
      if (!(await isSwapped(client, swap, into))) {
        // One that stands for an alias by now is refused, and stays.
        await client.deleteIndex(into).catch(() => undefined);
        throw explained(failure, this.#interruption.signal.aborted);
      }
    }
  }

  #requireKeys(replaced: number, from: string): void {
    if (replaced === 0) return;
    throw new CliError(
      "shared_keys",
      `${formatCounted(replaced, "document")} of '${from}' would give way to others with the same primary key; nothing has changed`,
    );
  }

  async #requireAll(client: FindlingClient, expected: number): Promise<void> {
    const { document_count: found } = await client.getIndexStats(this.#options.into);
    if (found === expected) return;
    throw new CliError(
      "incomplete",
      `the new index has ${formatCount(found)} of ${formatCounted(expected, "document")}; nothing has changed`,
    );
  }

  /** Reads all documents as the new index would. */
  async #check(client: FindlingClient, from: string, draft: NamedIndexDraft, first: Page): Promise<void> {
    const normalizer = new DocumentNormalizer(
      completedFields(draft.fields as Readonly<Record<string, FieldDefinition>>),
    );
    for await (const { hits } of everyPage(client, from, first)) {
      for (const { doc, document_id } of hits) {
        const report = new NormalizationReport();
        normalizer.normalize(doc, "", report);
        for (const name of report.ignoredFields) this.#ignored.add(name);
        const [problem] = report.problems;
        if (problem === undefined) continue;
        const bad = { place: `document ${document_id}`, problem: problem.message };
        if (this.#options.skipBad !== true) throw explained(new BadDocumentsError([bad]), false);
        this.#skipped.add(bad);
      }
    }
  }

  /** The first interrupt ends the run in order, the second one at once. */
  async #interruptible(run: () => Promise<void>): Promise<void> {
    let count = 0;
    const onInterrupt = (): void => {
      if (++count > 1) process.exit(EXIT.interrupted);
      this.#interruption.abort();
    };
    process.on("SIGINT", onInterrupt);
    process.on("SIGTERM", onInterrupt);
    try {
      await run();
    } finally {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onInterrupt);
    }
  }
}

/** @throws CliError unless all aliases stand for the index whose documents are copied */
async function requireAliases(client: FindlingClient, swap: readonly string[], old: string): Promise<void> {
  if (swap.length === 0) return;
  const aliases = new Map((await client.listAliases()).map(({ alias, index }) => [alias, index]));
  for (const alias of swap) {
    const target = aliases.get(alias);
    if (target === old) continue;
    const found = target === undefined ? "is no alias" : `stands for '${target}'`;
    throw new CliError(
      "other_alias",
      `'${alias}' ${found}, not for '${old}'; PUT /alias/${alias} gives it to an index`,
    );
  }
}

/** Whether the swap was carried out although its answer got lost. */
async function isSwapped(client: FindlingClient, swap: readonly string[], into: string): Promise<boolean> {
  if (swap.length === 0) return false;
  const aliases = await client.listAliases().catch(() => []);
  return swap.every((alias) => aliases.some((each) => each.alias === alias && each.index === into));
}

function explained(failure: unknown, isInterrupted: boolean): unknown {
  if (isInterrupted) {
    return new CliError("interrupted", "interrupted; nothing has changed", failure);
  }
  if (failure instanceof BadDocumentsError) {
    return new CliError(
      "bad_document",
      `${failure.message}; nothing has changed: mend it or the schema, or leave bad ones out with --skip-bad`,
      failure,
    );
  }
  return failure;
}
