import type { SearchHit, SearchResult } from "../../contract/search.js";
import { WHOLE_BYTES_MAX } from "./answer-pieces.js";
import { ENVELOPE_END, ENVELOPE_START, WrittenAnswer } from "./envelope.js";
import { FacetsJson } from "./facets-json.js";
import { HitsJson } from "./hits-json.js";
import { JsonWriter } from "./json-writer.js";
import { StringTable } from "./string-table.js";

/** A search's answer, with each document's stored JSON spliced in as it is. */
export class SearchAnswer extends WrittenAnswer {
  readonly #result: SearchResult;

  constructor(result: SearchResult) {
    super();
    this.#result = result;
  }

  /** Documents are parts by themselves. */
  override parts(): readonly Uint8Array[] | null {
    const result = this.#result;
    return documentsLength(result.hits) > WHOLE_BYTES_MAX ? partsOf(result) : null;
  }

  override writeTo(writer: JsonWriter): void {
    const result = this.#result;
    writeHits(writer, result);
    writeRest(writer.fraction(result.time_taken), result);
  }
}

const FACETS = new FacetsJson();
const HITS = new HitsJson();

/** The answer up to the time that the search took. Ids and index names hold nothing that JSON escapes (contract 4.1). */
function writeHits(writer: JsonWriter, { hits, count }: SearchResult): void {
  if (hits.every(isPlain)) {
    writer.interned(MARKS, hits.length === 0 ? NO_HITS : FIRST_HIT);
    HITS.write(writer, hits);
  } else {
    writeShown(writer, hits, null);
  }
  writer.interned(MARKS, HITS_END).whole(count).interned(MARKS, COUNT_END);
}

/** The length of all that hits are shown with. */
function documentsLength(hits: SearchResult["hits"]): number {
  let length = 0;
  for (let place = 0; place < hits.length; place++) {
    const { docJson, highlightsJson, explanationJson } = hits[place]!;
    length += docJson.length + (highlightsJson?.length ?? 0) + (explanationJson?.length ?? 0);
  }
  return length;
}

/** Shorter documents are copied to what lies between them. */
const PART_BYTES_MIN = 4 * 1024;

/** What is a part of its own, and where it belongs in the rest. */
interface Cut {
  readonly at: number;
  readonly bytes: Uint8Array;
}

function partsOf(result: SearchResult): Uint8Array[] {
  const cuts: Cut[] = [];
  const writer = PARTS_WRITER.clear();
  writeShown(writer, result.hits, cuts);
  writer.interned(MARKS, HITS_END).whole(result.count).interned(MARKS, COUNT_END);
  writeRest(writer.fraction(result.time_taken), result);
  const rest = writer.take();
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const { at, bytes } of cuts) {
    parts.push(rest.subarray(start, at), bytes);
    start = at;
  }
  parts.push(rest.subarray(start));
  return parts;
}

/** What writes the parts of one answer after the other. */
const PARTS_WRITER = new JsonWriter();

function isPlain({ highlightsJson, explanationJson, version }: SearchHit): boolean {
  return highlightsJson === undefined && explanationJson === undefined && version === undefined;
}

/** Bytes of a hit's other members, about. */
const MEMBERS_LENGTH = 256;

/**
 * Hits of which some are shown with more than the document.
 *
 * @param cuts gets long documents, highlights and explanations, which aren't written then; null: all are
 */
function writeShown(writer: JsonWriter, hits: SearchResult["hits"], cuts: Cut[] | null): void {
  // Once: by doubling, a page of megabytes would be copied, and its memory be garbage, half a dozen times.
  if (cuts === null) writer.reserve(documentsLength(hits) + hits.length * MEMBERS_LENGTH);
  writer.ascii(`${ENVELOPE_START}{"hits":[`);
  for (let place = 0; place < hits.length; place++) {
    const {
      docJson,
      document_id: id,
      score,
      source_index: index,
      version,
      highlightsJson,
      explanationJson,
    } = hits[place]!;
    const written = Number.isFinite(score) ? score : null;
    writer.ascii(place === 0 ? '{"doc":' : ',{"doc":');
    writeOrCut(writer, docJson, cuts);
    writer.text(`,"document_id":"${id}","score":${written},"source_index":"${index}"`);
    if (version !== undefined) writer.text(`,"version":"${version}"`);
    if (highlightsJson !== undefined) writeOrCut(writer.ascii(',"highlights":'), highlightsJson, cuts);
    if (explanationJson !== undefined) writeOrCut(writer.ascii(',"explanation":'), explanationJson, cuts);
    writer.ascii("}");
  }
}

function writeOrCut(writer: JsonWriter, bytes: Uint8Array, cuts: Cut[] | null): void {
  if (cuts === null || bytes.length < PART_BYTES_MIN) writer.bytes(bytes);
  else cuts.push({ at: writer.length, bytes });
}

/** What comes behind the time. */
function writeRest(writer: JsonWriter, result: SearchResult): void {
  const { facets, cursor, profile, ignored_members: ignored, left_out: leftOut } = result;
  if (facets !== undefined) FACETS.write(writer.interned(MARKS, BEFORE_FACETS), facets);
  if (cursor !== undefined) writer.text(`,"cursor":${JSON.stringify(cursor)}`);
  if (profile !== undefined) writer.ascii(`,"profile":${JSON.stringify(profile)}`);
  if (ignored !== undefined) writer.text(`,"ignored_members":${JSON.stringify(ignored)}`);
  if (leftOut !== undefined) writer.text(`,"left_out":${JSON.stringify(leftOut)}`);
  writer.interned(MARKS, ANSWER_END);
}

const MARKS = new StringTable();
const HITS_END = MARKS.add('],"count":');
const COUNT_END = MARKS.add(',"time_taken":');
const BEFORE_FACETS = MARKS.add(',"facets":');
const ANSWER_END = MARKS.add(`}${ENVELOPE_END}`);
const NO_HITS = MARKS.add(`${ENVELOPE_START}{"hits":[`);
const FIRST_HIT = MARKS.add(`${ENVELOPE_START}{"hits":[{"doc":`);
