import type { DocumentView } from "../../contract/document-bodies.js";
import type { StoredDocument } from "../../services/documents/stored-document.js";
import { ENVELOPE_END, ENVELOPE_MEMBERS, ENVELOPE_START, WrittenAnswer } from "./envelope.js";
import type { JsonWriter } from "./json-writer.js";

/** Longer ones would be parsed, and written four times, for some milliseconds. */
const PARSED_LENGTH_MAX = 128 * 1024;

const VIEW_MEMBERS: ReadonlySet<string> = new Set(["doc", "document_id", "score", "source_index"]);

/**
 * The answer's data; of a long document the answer itself, into which its JSON goes as it is.
 *
 * @param hasVersion whether it tells the version
 */
export function documentAnswer(document: StoredDocument, hasVersion = false): DocumentView | WrittenAnswer {
  if (hasVersion) return { ...document.view, version: document.version() };
  const isSpliced = document.json.length > PARSED_LENGTH_MAX && document.memberNames.every(staysInPlace);
  return isSpliced ? new DocumentAnswer(document) : document.view;
}

/** Whether a member of this name is where the JSON has it, and in its own right. */
function staysInPlace(name: string): boolean {
  // Objects have whole numbers before all other names.
  return !VIEW_MEMBERS.has(name) && !ENVELOPE_MEMBERS.has(name) && !/^\d+$/.test(name);
}

/** A document's members, and the document, and both once more beside `data` (contract 3.3, 1.4). */
class DocumentAnswer extends WrittenAnswer {
  readonly #document: StoredDocument;

  constructor(document: StoredDocument) {
    super();
    this.#document = document;
  }

  override parts(): readonly Uint8Array[] {
    const { json, documentId, sourceIndex } = this.#document;
    const document = Buffer.from(json);
    const members = document.subarray(1, -1);
    const rest = `,"document_id":${JSON.stringify(documentId)},"score":1,"source_index":${JSON.stringify(sourceIndex)}`;
    const beforeDocument = Buffer.from(',"doc":');
    const view = [members, beforeDocument, document];
    return [
      Buffer.from(`${ENVELOPE_START}{`),
      ...view,
      Buffer.from(`${rest}},`),
      ...view,
      Buffer.from(`${rest}${ENVELOPE_END}`),
    ];
  }

  override writeTo(writer: JsonWriter): void {
    for (const part of this.parts()) writer.bytes(part);
  }
}
