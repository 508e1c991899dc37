import type { SearchHit, SearchResult } from "../contract/search.js";
import { FacetsJson } from "./facets-json.js";
import { HitsJson } from "./hits-json.js";
import { WrittenAnswer } from "./json-text.js";
import { JsonWriter } from "./json-writer.js";
import { KeptTexts } from "./kept-texts.js";
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
      writeHits(writer, result, seconds + beforeFacets(result));
      writeRest(writer, result);
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
    writeHits(KEPT_WRITER.clear(), result, "");
    const before = KEPT_WRITER.take();
    writeRest(KEPT_WRITER.ascii(beforeFacets(result)), result);
    kept = { before, after: KEPT_WRITER.take() };
    KEPT_PIECES.set(page, kept);
  }
  return kept;
}

/** Of one such page after the other. */
const KEPT_WRITER = new JsonWriter();

const FACETS = new FacetsJson();
const HITS = new HitsJson();

/**
 * The answer as far as the time that the search took, and what follows then. Ids and index names hold nothing that
 * JSON escapes (contract 4.1).
 *
 * @param next ASCII
 */
function writeHits(writer: JsonWriter, result: SearchResult, next: string): void {
  const { hits, count } = result;
  const end = `],"count":${count},"time_taken":${next}`;
  if (!hits.every(isPlain)) {
    writeShown(writer, hits, end);
    return;
  }
  writer.kept(MARKS, hits.length === 0 ? NO_HITS : FIRST_HIT);
  HITS.write(writer, hits);
  writer.ascii(end);
}

function isPlain({ highlights, explanation }: SearchHit): boolean {
  return highlights === undefined && explanation === undefined;
}

/** Hits of which some are shown with more than the document. */
function writeShown(writer: JsonWriter, hits: SearchResult["hits"], end: string): void {
  writer.ascii(`${ENVELOPE_START}{"hits":[`);
  for (let place = 0; place < hits.length; place++) {
    const { docJson, document_id: id, score, source_index: index, highlights, explanation } = hits[place]!;
    const shown = highlights === undefined ? "" : `,"highlights":${JSON.stringify(highlights)}`;
    const explained = explanation === undefined ? "" : `,"explanation":${JSON.stringify(explanation)}`;
    const written = Number.isFinite(score) ? score : null;
    writer.ascii(place === 0 ? '{"doc":' : ',{"doc":').bytes(docJson);
    writer.text(`,"document_id":"${id}","score":${written},"source_index":"${index}"${shown}${explained}}`);
  }
  writer.ascii(end);
}

function beforeFacets({ facets }: SearchResult): string {
  return facets === undefined ? "" : ',"facets":';
}

/** What comes behind the time and what introduces the facets. */
function writeRest(writer: JsonWriter, { facets, cursor }: SearchResult): void {
  if (facets !== undefined) FACETS.write(writer, facets);
  if (cursor !== undefined) writer.text(`,"cursor":${JSON.stringify(cursor)}`);
  writer.kept(MARKS, ANSWER_END);
}

const MARKS = new KeptTexts();
const ANSWER_END = MARKS.add(`}${ENVELOPE_END}`);
const NO_HITS = MARKS.add(`${ENVELOPE_START}{"hits":[`);
const FIRST_HIT = MARKS.add(`${ENVELOPE_START}{"hits":[{"doc":`);
