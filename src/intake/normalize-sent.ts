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
  if (sent.length === 0)
    throw new FindlingError("invalid_request", "the body must hold at least one document");
  const normalizer = new DocumentNormalizer(fields, awaited);
  const documents: CanonicalDocument[] = [];
  const places: number[] = [];
  const skipped: SkippedDocument[] = [];
  const ignored = new Set<string>();
  const problems: ErrorItem[] = [];
  let skippedCount = 0;
  const slice = new TimeSlice();
  for (const [i, each] of sent.entries()) {
    const report = new NormalizationReport();
    const path = `[${i}]`;
    if ("problem" in each) report.problem(path, each.problem);
    else documents.push(normalizer.normalize(each.value, path, report));
    const [problem] = report.problems;
    if (problem === undefined) {
      places.push(i);
      for (const name of report.ignoredFields) if (ignored.size < IGNORED_FIELDS_MAX) ignored.add(name);
    } else {
      if (!("problem" in each)) documents.pop();
      skippedCount++;
      const line = each.line === undefined ? {} : { line: each.line };
      if (skipped.length < NAMED_MAX) skipped.push({ ...problem, ...line });
      const at = each.line === undefined ? "" : `line ${each.line}: `;
      problems.push(
        ...report.problems.map(({ path: place, message }) => ({ path: place, message: at + message })),
      );
      if (!skipsBad && problems.length >= PROBLEMS_MAX) break;
      if (skipsBad) problems.length = 0;
    }
    if (slice.isOver) await slice.pause();
  }
  const [first] = problems;
  if (first !== undefined) {
    throw new FindlingError("invalid_document", `no document was added: ${first.message}`, {
      items: problems.slice(0, PROBLEMS_MAX),
    });
  }
  return { documents, places, ignoredFields: [...ignored], skipped, skippedCount };
}
