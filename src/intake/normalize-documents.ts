import type { CanonicalDocument } from "../contract/canonical-value.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { FindlingError } from "../errors/index.js";
import { DocumentNormalizer, NormalizationReport } from "./document-normalizer.js";
import { TimeSlice } from "./time-slice.js";

export interface NormalizedDocuments {
  readonly documents: readonly CanonicalDocument[];
  /** At most 20 names of members that the schema doesn't have. */
  readonly ignoredFields: readonly string[];
}

/** Documents normalized between two looks at the clock; a power of two. */
const DOCUMENTS_PER_STEP = 16;

/**
 * The documents of a request, all or none: an array of them, or one by itself (contract 3.3, 4.3). Lets
 * the event loop turn while it works on many.
 *
 * @param awaited names of fields that the index is about to have
 * @throws FindlingError `invalid_request` for too few or too many, `invalid_document` with each place; `rate_limited`
 *   for a value of a field that is awaited
 */
export async function normalizeDocuments(
  fields: IndexSchema["fields"],
  body: unknown,
  maxDocuments: number,
  awaited?: readonly string[],
): Promise<NormalizedDocuments> {
  const work = normalization(fields, body, maxDocuments, awaited);
  const slice = new TimeSlice();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slice.isOver) await slice.pause();
  }
}

/** Normalizes in steps. */
export function* normalization(
  fields: IndexSchema["fields"],
  body: unknown,
  maxDocuments: number,
  awaited?: readonly string[],
): Generator<undefined, NormalizedDocuments, undefined> {
  const normalizing = new RequestNormalizer(fields, maxDocuments, awaited);
  const documents = Array.isArray(body) ? yield* normalizing.next(body) : [normalizing.only(body)];
  return { documents, ignoredFields: normalizing.end() };
}

/** Brings the documents of one request into canonical form, as they come: first all `next`, or `only`, then `end`. */
export class RequestNormalizer {
  readonly #normalizer: DocumentNormalizer;
  readonly #report = new NormalizationReport();
  readonly #maxDocuments: number;
  #count = 0;

  constructor(fields: IndexSchema["fields"], maxDocuments: number, awaited?: readonly string[]) {
    this.#normalizer = new DocumentNormalizer(fields, awaited);
    this.#maxDocuments = maxDocuments;
  }

  /** Documents of a list, in steps; none any more once the request is sure to be refused. */
  *next(raws: readonly unknown[]): Generator<undefined, CanonicalDocument[], undefined> {
    const documents: CanonicalDocument[] = [];
    const start = this.#count;
    this.#count += raws.length;
    if (this.#count > this.#maxDocuments) return documents;
    for (let i = 0; i < raws.length && !this.#report.isFull; i++) {
      documents.push(this.#normalizer.normalize(raws[i], `[${start + i}]`, this.#report));
      if ((i & (DOCUMENTS_PER_STEP - 1)) === DOCUMENTS_PER_STEP - 1) yield;
    }
    return documents;
  }

  /** The document that is the whole body. */
  only(raw: unknown): CanonicalDocument {
    this.#count = 1;
    return this.#normalizer.normalize(raw, "", this.#report);
  }

  /** The ignored fields; what was made of the documents before is of use only if this doesn't throw. @throws as `normalizeDocuments` */
  end(): readonly string[] {
    if (this.#count === 0)
      throw new FindlingError("invalid_request", "the body must hold at least one document");
    if (this.#count > this.#maxDocuments) {
      throw tooManyDocuments(this.#count, this.#maxDocuments);
    }
    const [first] = this.#report.problems;
    if (first !== undefined) {
      throw new FindlingError("invalid_document", `no document was added: ${first.message}`, {
        items: this.#report.problems,
      });
    }
    return this.#report.ignoredFields;
  }
}

export function tooManyDocuments(count: number, documentsMax: number): FindlingError {
  return new FindlingError(
    "invalid_request",
    `the body holds ${count} documents, at most ${documentsMax} are allowed in one request`,
  );
}
