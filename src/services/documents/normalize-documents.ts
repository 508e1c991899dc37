import type { CanonicalDocument } from "../../contract/canonical-value.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { FindlingError } from "../../errors/index.js";
import { DocumentNormalizer, NormalizationReport } from "./document-normalizer.js";

export interface NormalizedDocuments {
  readonly documents: readonly CanonicalDocument[];
  /** At most 20 names of members that the schema doesn't have. */
  readonly ignoredFields: readonly string[];
}

/** Documents normalized between two looks at the clock; a power of two. */
const DOCUMENTS_PER_STEP = 16;

/** Work goes on for at most about this long before other requests have their turn. */
const SLICE_MS = 2;

/**
 * The documents of a request, all or none: an array of them, or one by itself (contract 3.3, 4.3). Lets
 * the event loop turn while it works on many.
 *
 * @throws FindlingError `invalid_request` for too few or too many, `invalid_document` with each place
 */
export async function normalizeDocuments(
  schema: IndexSchema,
  body: unknown,
  maxDocuments: number,
): Promise<NormalizedDocuments> {
  const work = normalization(schema, body, maxDocuments);
  let sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() < sliceEnd) continue;
    await new Promise((resume) => setImmediate(resume));
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** The same in steps. */
export function* normalization(
  schema: IndexSchema,
  body: unknown,
  maxDocuments: number,
): Generator<undefined, NormalizedDocuments, undefined> {
  const isList = Array.isArray(body);
  const raws: readonly unknown[] = isList ? body : [body];
  if (raws.length === 0)
    throw new FindlingError("invalid_request", "the body must hold at least one document");
  if (raws.length > maxDocuments) {
    throw new FindlingError(
      "invalid_request",
      `the body holds ${raws.length} documents, at most ${maxDocuments} are allowed in one request`,
    );
  }
  const normalizer = new DocumentNormalizer(schema);
  const report = new NormalizationReport();
  const documents: CanonicalDocument[] = [];
  for (let i = 0; i < raws.length && !report.isFull; i++) {
    documents.push(normalizer.normalize(raws[i], isList ? `[${i}]` : "", report));
    if ((i & (DOCUMENTS_PER_STEP - 1)) === DOCUMENTS_PER_STEP - 1) yield;
  }
  const [first] = report.problems;
  if (first !== undefined) {
    throw new FindlingError("invalid_document", `no document was added: ${first.message}`, {
      details: first.message,
      items: report.problems,
    });
  }
  return { documents, ignoredFields: report.ignoredFields };
}
