import type { CanonicalDocument } from "../contract/canonical-value.js";
import type { SkippedDocument } from "../contract/document-bodies.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { type ErrorItem, FindlingError } from "../errors/index.js";
import { DocumentNormalizer, NormalizationReport } from "./document-normalizer.js";
import type { SentDocument } from "./document-records.js";
import { TimeSlice } from "./time-slice.js";

/** How many bad documents are named. */
const NAMED_MAX = 1_000;
const PROBLEMS_MAX = 20;
const IGNORED_FIELDS_MAX = 20;

export interface SentDocuments {
  readonly documents: readonly CanonicalDocument[];
  /** Where each of them stood among those that were sent, ascending. */
  readonly places: readonly number[];
  readonly ignoredFields: readonly string[];
  /** At most 1,000. */
  readonly skipped: readonly SkippedDocument[];
  readonly skippedCount: number;
}

/**
 * Documents in canonical form, each by itself. Lets the event loop turn while it works on many.
 *
 * @param skipsBad whether bad ones are left out; else they are all or none
 * @throws FindlingError `invalid_request` for none at all, `invalid_document` with each place
 */
export async function normalizeSent(
  fields: IndexSchema["fields"],
  sent: readonly SentDocument[],
  skipsBad: boolean,
  awaited?: readonly string[],
): Promise<SentDocuments> {
  const normalizing = new SentNormalizer(fields, { skipsBad, awaited });
  const documents: CanonicalDocument[] = [];
  const places: number[] = [];
  const slice = new TimeSlice();
  for (const [i, each] of sent.entries()) {
    const document = normalizing.next(each);
    if (document !== null) {
      documents.push(document);
      places.push(i);
    }
    if (normalizing.isFull) break;
    if (slice.isOver) await slice.pause();
  }
  return { documents, places, ...normalizing.end() };
}

/** Brings documents into canonical form, as they come: first all `next`, then `end`. */
export class SentNormalizer {
  readonly #normalizer: DocumentNormalizer;
  readonly #skipsBad: boolean;
  readonly #skipped: SkippedDocument[] = [];
  readonly #ignored = new Set<string>();
  readonly #problems: ErrorItem[] = [];
  #skippedCount = 0;
  #count = 0;

  constructor(
    fields: IndexSchema["fields"],
    { skipsBad, awaited }: { readonly skipsBad: boolean; readonly awaited?: readonly string[] | undefined },
  ) {
    this.#normalizer = new DocumentNormalizer(fields, awaited);
    this.#skipsBad = skipsBad;
  }

  /** Whether the request is refused, and has enough reasons. */
  get isFull(): boolean {
    return this.#problems.length >= PROBLEMS_MAX;
  }

  /** Null for a bad one. @throws FindlingError `rate_limited` for a value of a field that is awaited */
  next(sent: SentDocument): CanonicalDocument | null {
    const report = new NormalizationReport();
    const path = `[${this.#count++}]`;
    const document = "problem" in sent ? null : this.#normalizer.normalize(sent.value, path, report);
    if ("problem" in sent) report.problem(path, sent.problem);
    const [problem] = report.problems;
    if (problem === undefined) {
      for (const name of report.ignoredFields)
        if (this.#ignored.size < IGNORED_FIELDS_MAX) this.#ignored.add(name);
      return document;
    }
    this.#skippedCount++;
    const line = sent.line === undefined ? {} : { line: sent.line };
    if (this.#skipped.length < NAMED_MAX) this.#skipped.push({ ...problem, ...line });
    if (this.#skipsBad) return null;
    const at = sent.line === undefined ? "" : `line ${sent.line}: `;
    this.#problems.push(
      ...report.problems.map(({ path: place, message }) => ({ path: place, message: at + message })),
    );
    return null;
  }

  /** What was made of the documents before is of use only if this doesn't throw. @throws as `normalizeSent` */
  end(): Pick<SentDocuments, "ignoredFields" | "skipped" | "skippedCount"> {
    if (this.#count === 0)
      throw new FindlingError("invalid_request", "the body must hold at least one document");
    const [first] = this.#problems;
    if (first !== undefined) {
      throw new FindlingError("invalid_document", `no document was added: ${first.message}`, {
        items: this.#problems.slice(0, PROBLEMS_MAX),
      });
    }
    return {
      ignoredFields: [...this.#ignored],
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
    };
  }
}
