import type { SearchResult } from "../contract/search.js";
import { FacetsJson } from "./facets-json.js";
import { WrittenAnswer } from "./json-text.js";
import { JsonWriter } from "./json-writer.js";
import { ENVELOPE_END, ENVELOPE_START } from "./success-answer.js";

/** A search's answer, with each document's stored JSON spliced in as it is. */
export class SearchAnswer extends WrittenAnswer {
  readonly #result: SearchResult;

  constructor(result: SearchResult) {
    super();
    this.#result = result;
  }

  override writeTo(writer: JsonWriter): void {
    const result = this.#result;
    const seconds = JSON.stringify(result.time_taken);
    if (result.keptPage === undefined) {
      writeBefore(writer, result);
      writer.ascii(seconds);
      writeAfter(writer, result);
      return;
    }
    const { before, after } = keptPieces(result.keptPage, result);
    writer.bytes(before).ascii(seconds).bytes(after);
  }
}

/** Around the time that the search took, UTF-8. */
interface KeptPieces {
  readonly before: Buffer;
  readonly after: Buffer;
}

/** What was made of pages that are given again. */
const KEPT_PIECES = new WeakMap<object, KeptPieces>();

function keptPieces(page: object, result: SearchResult): KeptPieces {
  let kept = KEPT_PIECES.get(page);
  if (kept === undefined) {
    writeBefore(KEPT_WRITER.clear(), result);
    const before = KEPT_WRITER.take();
    writeAfter(KEPT_WRITER, result);
    kept = { before, after: KEPT_WRITER.take() };
    KEPT_PIECES.set(page, kept);
  }
  return kept;
}

/** Of one such page after the other. */
const KEPT_WRITER = new JsonWriter();

const FACETS = new FacetsJson();

/**
 * The answer as far as the time that the search took. Ids and index names hold nothing that JSON escapes (contract
 * 4.1).
 */
function writeBefore(writer: JsonWriter, { hits, count }: SearchResult): void {
  let between = `${ENVELOPE_START}{"hits":[`;
  for (let place = 0; place < hits.length; place++) {
    const { docJson, document_id: id, score, source_index: index, highlights, explanation } = hits[place]!;
    writer.ascii(`${between}{"doc":`);
    writer.bytes(docJson);
    between = `,"document_id":"${id}","score":${Number.isFinite(score) ? score : null},"source_index":"${index}"`;
    if (highlights !== undefined || explanation !== undefined) {
      const shown = highlights === undefined ? "" : `,"highlights":${JSON.stringify(highlights)}`;
      const explained = explanation === undefined ? "" : `,"explanation":${JSON.stringify(explanation)}`;
      writer.text(between + shown + explained);
      between = "";
    }
    between += "},";
  }
  const end = hits.length === 0 ? between : between.slice(0, -1);
  writer.ascii(`${end}],"count":${count},"time_taken":`);
}

/** What comes behind it. */
function writeAfter(writer: JsonWriter, { facets, cursor }: SearchResult): void {
  if (facets !== undefined) FACETS.write(writer.ascii(',"facets":'), facets);
  if (cursor !== undefined) writer.text(`,"cursor":${JSON.stringify(cursor)}`);
  writer.ascii(`}${ENVELOPE_END}`);
}
