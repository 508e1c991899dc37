import { popcount } from "../../bytes/bitset.js";
import { isDense, RANK_WORDS } from "../postings/dense-documents.js";
import type { FieldTermsReader } from "../terms/field-terms-reader.js";
import type { ProblemList } from "./problem-list.js";

/** Compares a term's stored bits and ranks with its postings as bits, whose bits it clears. */
export function checkDenseDocuments(
  reader: FieldTermsReader,
  ordinal: number,
  postings: Uint32Array,
  problems: ProblemList,
): void {
  const bits = reader.denseDocs(ordinal);
  const ranks = reader.denseRanks(ordinal);
  const dense = isDense(reader.docFreq(ordinal), reader.maxDoc);
  if (bits === null || ranks === null || !dense) {
    if (dense) problems.add(`dense term ${ordinal} has no bits`);
    if (bits !== null && !dense) problems.add(`term ${ordinal} has bits but isn't dense`);
    postings.fill(0);
    return;
  }
  let rank = 0;
  for (let word = 0; word < postings.length; word++) {
    if (word % RANK_WORDS === 0 && ranks[word / RANK_WORDS] !== rank) {
      problems.add(`term ${ordinal} has ${rank} documents before ${word * 32}, its ranks say otherwise`);
    }
    if (bits[word] !== postings[word])
      problems.add(`term ${ordinal}: bits and postings differ near document ${word * 32}`);
    rank += popcount(postings[word]!);
    postings[word] = 0;
  }
}
