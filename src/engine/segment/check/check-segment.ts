import { CorruptionError } from "../../../errors/index.js";
import type { Directory } from "../../directory/directory.js";
import type { DocId } from "../../schema/document.js";
import type { EngineField, EngineSchema } from "../../schema/engine-schema.js";
import { type OpenSegment, openSegment, type SegmentIdentity } from "../open-segment.js";
import { documentFileName, hasPaths, indexFileName } from "../segment-files.js";
import { checkColumn } from "./check-column.js";
import { checkDocuments } from "./check-documents.js";
import { checkFieldTerms } from "./check-field-terms.js";
import { TextOrderCheck } from "./check-text-order.js";

/** Something in a segment that contradicts its format or itself. */
export interface SegmentProblem {
  readonly file: string;
  /** One sentence in lower case without a full stop. */
  readonly problem: string;
}

/**
 * Everything that is wrong with a segment: its files as opening checks them, every document, and all
 * structures against one another and against the documents. Reads only, and reads all of it.
 *
 * @throws FindlingError `storage_unavailable`
 */
export async function checkSegment(
  directory: Directory,
  name: string,
  schema: EngineSchema,
  liveDocsFile: string | null,
  committed?: SegmentIdentity,
): Promise<SegmentProblem[]> {
  const problems: SegmentProblem[] = [];
  let segment: OpenSegment | null = null;
  try {
    segment = await openSegment(directory, name, schema, liveDocsFile, committed && { committed });
    checkOpenSegment(segment, problems);
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    problems.push({ file: error.file, problem: error.message });
  } finally {
    segment?.close();
  }
  return problems;
}

/** Each step relies on what the ones before have checked, so the first that finds problems is the last. */
function checkOpenSegment(segment: OpenSegment, problems: SegmentProblem[]): void {
  const indexFile = indexFileName(segment.name);
  const { fields } = segment.schema;
  for (const problem of segment.ids.check()) problems.push({ file: indexFile, problem });
  for (const field of fields) report(problems, indexFile, field, checkStructures(segment, field));
  if (problems.length > 0) {
    segment.documents.verify();
    return;
  }
  const ranks = new Map<EngineField, TextOrderCheck>();
  for (const field of fields) {
    const order = segment.textOrder(field.name);
    if (order !== null) ranks.set(field, new TextOrderCheck(order, field.composed === true));
  }
  for (const problem of checkDocuments(segment, ranks))
    problems.push({ file: documentFileName(segment.name), problem });
  if (problems.length > 0) return;
  for (const [field, check] of ranks) {
    const problem = check.finish((docId) => textOf(segment, field, docId));
    if (problem !== null) report(problems, indexFile, field, [problem]);
  }
}

function report(
  problems: SegmentProblem[],
  file: string,
  field: EngineField,
  found: readonly string[],
): void {
  for (const problem of found) problems.push({ file, problem: `field '${field.name}': ${problem}` });
}

function checkStructures(segment: OpenSegment, field: EngineField): string[] {
  const problems: string[] = [];
  const terms = segment.terms(field.name);
  if (terms !== null) problems.push(...checkFieldTerms(terms));
  const column = segment.column(field.name);
  if (column === null) return problems;
  if (column.multi !== field.multi || (column.facetParents !== null) !== hasPaths(field)) {
    return [...problems, "its column has the shape of another kind of field"];
  }
  return [...problems, ...checkColumn(field, column, segment.maxDoc)];
}

/** A document's value of a single-valued text field, which it has. */
function textOf(segment: OpenSegment, field: EngineField, docId: DocId): string {
  const json = field.stored ? segment.storedJson(docId) : segment.unstoredJson(docId);
  return (JSON.parse(json) as Record<string, string>)[field.name]!;
}
