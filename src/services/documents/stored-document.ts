import type { DocumentView } from "../../contract/document-bodies.js";
import { readJson } from "../../json/exact-json.js";

/** A document as it is stored, and where. */
export class StoredDocument {
  readonly json: string;
  readonly documentId: string;
  readonly sourceIndex: string;
  /** Its members' names, and maybe others. */
  readonly memberNames: readonly string[];
  /** What a partial update can be bound to. */
  readonly version: () => string;

  constructor(document: {
    readonly json: string;
    readonly documentId: string;
    readonly sourceIndex: string;
    readonly memberNames: readonly string[];
    readonly version: () => string;
  }) {
    this.json = document.json;
    this.documentId = document.documentId;
    this.sourceIndex = document.sourceIndex;
    this.memberNames = document.memberNames;
    this.version = document.version;
  }

  get view(): DocumentView {
    const doc = readJson(this.json) as Readonly<Record<string, unknown>>;
    return { ...doc, doc, document_id: this.documentId, score: 1, source_index: this.sourceIndex };
  }
}
