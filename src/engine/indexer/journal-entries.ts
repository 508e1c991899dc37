import { CorruptionError } from "../../errors/index.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";

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

/** Bytes of a document id in a delete record: 32 hex digits as 16 bytes. */
const ID_BYTES = 16;

export interface JournalRecord {
  readonly kind: number;
  readonly payload: Uint8Array;
}

export function encodeJournalEntry(entry: JournalEntry): JournalRecord {
  switch (entry.kind) {
    case "add":
      return {
        kind: ADD,
        payload: new TextEncoder().encode(JSON.stringify({ ids: entry.ids, documents: entry.documents })),
      };
    case "delete":
      return { kind: DELETE, payload: packIds(entry.ids) };
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

function packIds(ids: readonly DocumentId[]): Uint8Array {
  const bytes = new Uint8Array(ids.length * ID_BYTES);
  ids.forEach((id, i) => {
    for (let j = 0; j < ID_BYTES; j++) {
      bytes[i * ID_BYTES + j] = Number.parseInt(id.slice(2 * j, 2 * j + 2), 16);
    }
  });
  return bytes;
}

function unpackIds(bytes: Uint8Array): DocumentId[] {
  const ids: DocumentId[] = [];
  for (let at = 0; at < bytes.length; at += ID_BYTES) {
    let id = "";
    for (let j = 0; j < ID_BYTES; j++) id += bytes[at + j]!.toString(16).padStart(2, "0");
    ids.push(id);
  }
  return ids;
}
