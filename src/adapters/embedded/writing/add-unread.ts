import { type DocumentReading, type Index, releaseBuffer } from "../../../engine/server-door.js";
import { type DocumentsRead, readDocuments, type UnreadDocuments } from "../../../intake/read-documents.js";
import type { DocumentsWritten } from "../../../ports/search-backend.js";

/** What ids and punctuation take beside a document's JSON, and the last documents' room for growth. */
const BYTES_BESIDES = 1 << 16;

/** Adds the documents of a body that is read in this thread, when its turn has come. */
export async function addUnread(index: Index, documents: UnreadDocuments): Promise<DocumentsWritten> {
  const bytesExpected = documents.bytes.length + BYTES_BESIDES;
  const { primaryKey } = documents;
  const { ids, replaced, outcome } = await index.addInBulk(
    readAndRelease(documents),
    bytesExpected,
    primaryKey,
  );
  return { ids, replaced, ...outcome };
}

/** Gives the body's memory back as soon as it has been read. */
function* readAndRelease(documents: UnreadDocuments): DocumentReading<DocumentsRead> {
  try {
    return yield* readDocuments(documents);
  } finally {
    releaseBuffer(documents.bytes.buffer);
  }
}
