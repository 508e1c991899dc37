import { CorruptionError } from "../../errors/index.js";
import { readJson } from "../../json/exact-json.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import {
  DOCUMENT_ID_BYTES,
  invalidDocumentId,
  writeDocumentId,
} from "../segment/document-ids/document-id-bytes.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import type { EncodedDocuments, Replacing } from "./encoded-documents.js";

/**
 * A write as the journal keeps it: what was added, and by what others gave way to it, which documents a delete hit, by
 * id, and a commit of all before.
 */
export type JournalEntry =
  | {
      readonly kind: "add";
      readonly ids: readonly DocumentId[];
      readonly documents: readonly CanonicalDocument[];
      /** Whose place they take; absent: nobody's. */
      readonly replacing?: Replacing;
    }
  | { readonly kind: "delete"; readonly ids: readonly DocumentId[] }
  | { readonly kind: "delete_all" }
  | { readonly kind: "commit" };

/** Record kinds in the journal file. */
const ADD = 1;
const DELETE = 2;
const DELETE_ALL = 3;
const COMMIT = 4;
/** As `ADD`, and documents with the same value of the member `key` give way: those of the state that the entries before make. */
const REPLACE = 5;
/** As `ADD`, and documents with the same ids give way. */
const UPDATE = 6;

/** Ids packed between two pauses; a power of two. */
const IDS_PER_STEP = 4096;

export interface JournalRecord {
  readonly kind: number;
  readonly payload: Uint8Array;
}

export const COMMIT_RECORD: JournalRecord = { kind: COMMIT, payload: new Uint8Array(0) };

const ADDITION_KINDS = { nobody: ADD, same_key: REPLACE, same_id: UPDATE } as const;

/** The entry of documents to add. */
export function additionRecord(documents: EncodedDocuments): JournalRecord {
  return { kind: ADDITION_KINDS[documents.replaces ?? "nobody"], payload: documents.json };
}

export function* encodeDeletion(
  entry: Exclude<JournalEntry, { readonly kind: "add" | "commit" }>,
): SlicedWork<JournalRecord> {
  switch (entry.kind) {
    case "delete":
      return { kind: DELETE, payload: yield* packIds(entry.ids) };
    case "delete_all":
      return { kind: DELETE_ALL, payload: new Uint8Array(0) };
  }
}

/**
 * The record's checksum has been verified, so a kind that is not known was written by a newer program.
 * @throws CorruptionError naming `file` for such a kind
 */
export function decodeJournalEntry(file: string, record: JournalRecord): JournalEntry {
  switch (record.kind) {
    case ADD:
    case REPLACE:
    case UPDATE: {
      const { ids, documents, key } = readJson(new TextDecoder().decode(record.payload)) as {
        ids: DocumentId[];
        documents: CanonicalDocument[];
        key?: string;
      };
      if (record.kind === ADD) return { kind: "add", ids, documents };
      return {
        kind: "add",
        ids,
        documents,
        replacing: record.kind === REPLACE ? { key } : { sameIds: true },
      };
    }
    case DELETE:
      return { kind: "delete", ids: unpackIds(record.payload) };
    case DELETE_ALL:
      return { kind: "delete_all" };
    case COMMIT:
      return { kind: "commit" };
    default:
      throw new CorruptionError(
        file,
        `it holds a record of kind ${record.kind}, which this program does not know; was it written by a newer one?`,
      );
  }
}

/** Ids as 16 bytes each. */
function* packIds(ids: readonly DocumentId[]): SlicedWork<Uint8Array> {
  const bytes = new Uint8Array(ids.length * DOCUMENT_ID_BYTES);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    if (!writeDocumentId(id, bytes, i * DOCUMENT_ID_BYTES)) throw invalidDocumentId(id);
    if ((i & (IDS_PER_STEP - 1)) === IDS_PER_STEP - 1) yield;
  }
  return bytes;
}

function unpackIds(bytes: Uint8Array): DocumentId[] {
  const ids: DocumentId[] = [];
  for (let at = 0; at < bytes.length; at += DOCUMENT_ID_BYTES) {
    let id = "";
    for (let j = 0; j < DOCUMENT_ID_BYTES; j++) id += bytes[at + j]!.toString(16).padStart(2, "0");
    ids.push(id);
  }
  return ids;
}
