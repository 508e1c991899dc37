import { CorruptionError } from "../../errors/index.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import {
  DOCUMENT_ID_BYTES,
  invalidDocumentId,
  writeDocumentId,
} from "../segment/document-ids/document-id-bytes.js";
import type { SlicedWork } from "../segment/sliced-work.js";

/** A write as the journal keeps it: what was added, and which documents a delete hit, by id. */
export type JournalEntry =
  | {
      readonly kind: "add";
      readonly ids: readonly DocumentId[];
      readonly documents: readonly CanonicalDocument[];
    }
  | { readonly kind: "delete"; readonly ids: readonly DocumentId[] }
  | { readonly kind: "delete_all" };

/** Record kinds in the journal file. */
const ADD = 1;
const DELETE = 2;
const DELETE_ALL = 3;

/** Characters of JSON made between two pauses. */
const CHARACTERS_PER_STEP = 1 << 16;
/** Ids packed between two pauses; a power of two. */
const IDS_PER_STEP = 4096;

export interface JournalRecord {
  readonly kind: number;
  readonly payload: Uint8Array;
}

export function* encodeJournalEntry(entry: JournalEntry): SlicedWork<JournalRecord> {
  switch (entry.kind) {
    case "add":
      return { kind: ADD, payload: yield* encodeAdd(entry) };
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
    case ADD: {
      const add = JSON.parse(new TextDecoder().decode(record.payload)) as {
        ids: DocumentId[];
        documents: CanonicalDocument[];
      };
      return { kind: "add", ids: add.ids, documents: add.documents };
    }
    case DELETE:
      return { kind: "delete", ids: unpackIds(record.payload) };
    case DELETE_ALL:
      return { kind: "delete_all" };
    default:
      throw new CorruptionError(
        file,
        `it holds a record of kind ${record.kind}, which this program does not know; was it written by a newer one?`,
      );
  }
}

/** UTF-8 JSON of an object with the members `ids` and `documents`. */
function* encodeAdd({ ids, documents }: JournalEntry & { kind: "add" }): SlicedWork<Uint8Array> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  let text = `{"ids":${JSON.stringify(ids)},"documents":[`;
  for (let i = 0; i < documents.length; i++) {
    if (i > 0) text += ",";
    text += JSON.stringify(documents[i]);
    if (text.length < CHARACTERS_PER_STEP) continue;
    parts.push(encoder.encode(text));
    text = "";
    yield;
  }
  parts.push(encoder.encode(`${text}]}`));
  const payload = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let length = 0;
  for (const part of parts) {
    payload.set(part, length);
    length += part.length;
    yield;
  }
  return payload;
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
