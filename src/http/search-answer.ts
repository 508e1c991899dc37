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
  writer.ascii(hits.length === 0 ? `${ENVELOPE_START}{"hits":[` : `${ENVELOPE_START}{"hits":[{"doc":`);
  const last = hits.length - 1;
  const end = `],"count":${count},"time_taken":`;
  if (last < 0) writer.ascii(end);
  let index: string | null = null;
  let behindScore = "";
  for (let place = 0; place <= last; place++) {
    const { docJson, document_id: id, score, source_index: ofHit, highlights, explanation } = hits[place]!;
    if (ofHit !== index) {
      index = ofHit;
      behindScore = `,"source_index":"${index}"`;
    }
    const next = place === last ? `}${end}` : '},{"doc":';
    const written = Number.isFinite(score) ? score : null;
    writer.bytes(docJson);
    if (highlights === undefined && explanation === undefined) {
      writer.ascii(`,"document_id":"${id}","score":${written}${behindScore}${next}`);
      continue;
    }
    const shown = highlights === undefined ? "" : `,"highlights":${JSON.stringify(highlights)}`;
    const explained = explanation === undefined ? "" : `,"explanation":${JSON.stringify(explanation)}`;
    writer.text(`,"document_id":"${id}","score":${written}${behindScore}${shown}${explained}${next}`);
  }
}

/** What comes behind it. */
function writeAfter(writer: JsonWriter, { facets, cursor }: SearchResult): void {
  if (facets !== undefined) FACETS.write(writer.ascii(',"facets":'), facets);
  if (cursor !== undefined) writer.text(`,"cursor":${JSON.stringify(cursor)}`);
  writer.ascii(`}${ENVELOPE_END}`);
}
