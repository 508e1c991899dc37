import { CliError } from "../cli-error.js";
import { type BadDocument, BadDocumentsError } from "./bad-documents-error.js";
import { BatchBuilder, type DocumentBatch, RecordChecksum } from "./document-batch.js";
import type { InputPrefix } from "./import-progress-file.js";
import type { ImportRecord } from "./import-source.js";

/**
 * The documents after the prefix, in batches.
 *
 * @throws CliError `input_changed` if the prefix is not what was imported
 * @throws BadDocumentsError at the first record that isn't a document, unless those are skipped
 */
export async function* batchesAfter(
  prefix: InputPrefix,
  records: AsyncIterable<readonly ImportRecord[]>,
  onSkip: ((bad: BadDocument) => void) | undefined,
): AsyncGenerator<DocumentBatch> {
  const checksum = new RecordChecksum();
  const builder = new BatchBuilder(checksum);
  for await (const group of records) {
    for (const record of group) {
      if (checksum.records < prefix.records) {
        checksum.add(record.bytes);
        if (checksum.records === prefix.records) checkPrefix(prefix, checksum);
        continue;
      }
      const { problem } = record.parsed;
      if (problem !== undefined) {
        const bad = { place: record.place, problem };
        if (onSkip === undefined) throw new BadDocumentsError([bad]);
        onSkip(bad);
      }
      const batch = builder.add(record);
      if (batch !== undefined) yield batch;
    }
  }
  if (checksum.records < prefix.records) throw inputChanged(prefix);
  const last = builder.finish();
  if (last !== undefined) yield last;
}

function checkPrefix(prefix: InputPrefix, checksum: RecordChecksum): void {
  if (prefix.checksum !== null && prefix.checksum !== checksum.value()) {
    throw inputChanged(prefix);
  }
}

function inputChanged(prefix: InputPrefix): CliError {
  return new CliError(
    "input_changed",
    `the first ${prefix.records} documents of the input are not the ones that were imported; start over with --restart, or go on regardless with --resume-after ${prefix.records}`,
  );
}
