import { bitsetWords } from "../../bytes/bitset.js";
import { fieldNormCode } from "../../bytes/field-norm.js";
import { compareTerms } from "../terms/compare-terms.js";
import type { FieldTermsReader } from "../terms/field-terms-reader.js";
import { checkDenseDocuments } from "./check-dense-documents.js";
import { PostingListCheck } from "./check-posting-list.js";
import { checkTermTries } from "./check-term-tries.js";
import { ProblemList } from "./problem-list.js";

/**
 * Walks everything that a text field stores in a segment and compares each structure with the others:
 * terms ascend; postings ascend and are as many as the dictionary says; positions ascend; block
 * metadata bounds its block; dense bits are the postings; lengths are the postings' sum, norms their
 * codes, totals their totals; the tries hold every term once. Works on damaged data too.
 *
 * @returns the problems found, at most a screenful; empty if all is well
 */
export function checkFieldTerms(reader: FieldTermsReader): string[] {
  const problems = new ProblemList();
  checkTotals(reader, problems);
  // Everything below reads terms by their offsets.
  if (!checkTerms(reader, problems)) return problems.toArray();

  const tokens = new Uint32Array(reader.maxDoc);
  const bits = new Uint32Array(bitsetWords(reader.maxDoc));
  const lists = new PostingListCheck(reader, problems, tokens);
  for (let ordinal = 0; ordinal < reader.termCount; ordinal++) {
    if (!lists.check(ordinal, bits)) continue;
    checkDenseDocuments(reader, ordinal, bits, problems);
  }
  lists.finish();
  checkLengths(reader, tokens, problems);
  checkTermTries(reader, problems);
  return problems.toArray();
}

/** Totals and norms against the exact lengths. */
function checkTotals(reader: FieldTermsReader, problems: ProblemList): void {
  let docs = 0;
  let tokens = 0;
  for (let docId = 0; docId < reader.maxDoc; docId++) {
    const length = reader.lengthOf(docId);
    if (length > 0) docs++;
    tokens += length;
    if (reader.norms[docId] !== fieldNormCode(length)) {
      problems.add(`document ${docId} has ${length} tokens and norm ${reader.norms[docId]}`);
    }
  }
  const { totals } = reader;
  if (totals.docsWithTokens !== docs || totals.tokens !== tokens) {
    problems.add(
      `the lengths add up to ${tokens} tokens in ${docs} documents, the header says ${totals.tokens} in ${totals.docsWithTokens}`,
    );
  }
}

/** Whether the terms' offsets ascend, so that the terms can be read. */
function checkTerms(reader: FieldTermsReader, problems: ProblemList): boolean {
  const { bytes, offsets } = reader.dictionary;
  for (let ordinal = 0; ordinal < reader.termCount; ordinal++) {
    const start = offsets[ordinal]!;
    const end = offsets[ordinal + 1]!;
    if (start > end || end > bytes.length || (ordinal === 0 && start !== 0)) {
      problems.add(`term ${ordinal} is said to be bytes ${start} to ${end} of ${bytes.length}`);
      return false;
    }
    if (ordinal > 0 && compareTerms(bytes, offsets[ordinal - 1]!, start, bytes, start, end) >= 0) {
      problems.add(`term ${ordinal} doesn't come after the term before it`);
    }
  }
  return true;
}

function checkLengths(reader: FieldTermsReader, tokens: Uint32Array, problems: ProblemList): void {
  for (let docId = 0; docId < reader.maxDoc; docId++) {
    const length = reader.lengthOf(docId);
    if (tokens[docId] !== length) {
      problems.add(
        `document ${docId} has ${tokens[docId]} tokens in its postings, its length says ${length}`,
      );
    }
  }
}
