/** What the workload asks, bound to the engine's queries; searching as the server does, without reading hits. */
import type { Query, RankedHits, RankedResult, Searcher } from "../../../src/engine/server-door.js";
import type { Mode, PeerAnswer, PeerQuery } from "../peer-query.js";
import { FACET, NUMBER, TEXT } from "./findling-collection.js";

const HITS = 10;

/** A snapshot whose documents are numbered in a row, segment after segment. */
export interface NumberedSearcher {
  readonly searcher: Searcher;
  /** By segment, how many documents there are in those before it. */
  readonly starts: readonly number[];
}

export type SearcherOperation = (numbered: NumberedSearcher, mode: Mode) => PeerAnswer;

export function searcherOperation(line: PeerQuery): SearcherOperation {
  const words = line.terms ?? [];
  switch (line.kind) {
    case "term":
      return ranked(term(words[0]!));
    case "and":
    case "or":
      return ranked({
        kind: "boolean",
        clauses: words.map((word) => ({ occur: line.kind === "and" ? "must" : "should", query: term(word) })),
      });
    case "phrase":
      return ranked({
        kind: "phrase",
        field: TEXT,
        terms: words.map((word, position) => ({ term: word, position })),
        slop: 0,
        lastIsPrefix: false,
      });
    case "fuzzy":
      return ranked({
        kind: "fuzzy",
        term: words[0]!,
        maxDistance: line.distance!,
        fields: [{ field: TEXT, boost: 1 }],
      });
    case "prefix":
      return ranked({ kind: "prefix", field: TEXT, prefix: words[0]! });
    case "term_range":
      return ranked({
        kind: "boolean",
        clauses: [
          { occur: "must", query: term(words[0]!) },
          { occur: "filter", query: range(line) },
        ],
      });
    case "filtered_page":
      return page({
        kind: "boolean",
        clauses: [
          ...words.map((word) => ({ occur: "must" as const, query: term(word) })),
          { occur: "filter", query: { kind: "facet", field: FACET, paths: [line.path!] } },
        ],
      });
    case "range":
      return counted(range(line));
    case "facets":
      return faceted(matching(words));
    case "sort":
      return sorted(matching(words));
    case "stored":
      return stored(line.docs!);
  }
}

const term = (word: string): Query => ({ kind: "term", field: TEXT, term: word });

const range = ({ lower, upper }: PeerQuery): Query => ({
  kind: "value_range",
  field: NUMBER,
  lower: { value: lower!, inclusive: true },
  upper: { value: upper!, inclusive: true },
});

/** Without words: all documents. */
const matching = (words: readonly string[]): Query =>
  words.length === 0 ? { kind: "match_all" } : term(words[0]!);

function ranked(query: Query): SearcherOperation {
  // Spelt out: V8 gives every copy of an object that gets a property more a shape of its own, which no server's
  // requests have and which reading each of them looks up anew.
  const best = { query, offset: 0, limit: HITS, withCount: true };
  const bestUncounted = { query, offset: 0, limit: HITS, withCount: false };
  return ({ searcher, starts }, mode) => {
    const isCounted = mode !== "top10";
    const { count, hits } = searcher.rank(isCounted ? best : bestUncounted);
    return { ...(isCounted && { count }), ...numbered(hits, starts) };
  };
}

/** The ten best with facets, as a shop's page shows them. */
function page(query: Query): SearcherOperation {
  return ({ searcher, starts }, mode) => {
    const withCount = mode !== "top10";
    const { count, hits, facets } = searcher.rank({
      query,
      offset: 0,
      limit: HITS,
      facets: [FACET],
      withCount,
    });
    return { ...(withCount && { count }), ...numbered(hits, starts), facets: roots(facets) };
  };
}

function numbered(
  hits: RankedHits,
  starts: readonly number[],
): { readonly docs: readonly number[]; readonly scores: readonly number[] } {
  const docs: number[] = [];
  const scores: number[] = [];
  for (let place = 0; place < hits.length; place++) {
    const { segmentIndex, docId, score } = hits.at(place);
    docs.push(starts[segmentIndex]! + docId);
    scores.push(score);
  }
  return { docs, scores };
}

/** Top-level facets with their counts. */
function roots(facets: RankedResult["facets"]): NonNullable<PeerAnswer["facets"]> {
  return facets[0]!.nodes.map(({ path, count }) => [path, count] as const);
}

function counted(query: Query): SearcherOperation {
  return ({ searcher }) => {
    const { count } = searcher.rank({ query, offset: 0, limit: 0 });
    return { count, docs: [], scores: [] };
  };
}

function faceted(query: Query): SearcherOperation {
  return ({ searcher }, mode) => {
    const withCount = mode !== "top10";
    const { count, facets } = searcher.rank({ query, offset: 0, limit: 0, facets: [FACET], withCount });
    return { ...(withCount && { count }), docs: [], scores: [], facets: roots(facets) };
  };
}

function sorted(query: Query): SearcherOperation {
  const orderBy = [{ kind: "field", field: NUMBER, descending: true }] as const;
  return ({ searcher, starts }, mode) => {
    const withCount = mode !== "top10";
    const { count, hits } = searcher.rank({ query, offset: 0, limit: HITS, orderBy, withCount });
    const docs: number[] = [];
    const numbers: number[] = [];
    for (let place = 0; place < hits.length; place++) {
      const { segmentIndex, docId } = hits.at(place);
      docs.push(starts[segmentIndex]! + docId);
      numbers.push(numberOf(hits.sortKeys(place)[0] as Uint8Array));
    }
    return { ...(withCount && { count }), docs, scores: [], numbers };
  };
}

/** A u64 below 2^53 from its sort bytes. */
function numberOf(bytes: Uint8Array): number {
  let number = 0;
  for (const byte of bytes) number = number * 256 + byte;
  return number;
}

/** Ten documents a call, other ones each time, so that no cache of the last blocks is what is measured. */
function stored(docs: readonly number[]): SearcherOperation {
  let next = 0;
  return ({ searcher, starts }) => {
    const start = next;
    next = (start + HITS) % docs.length;
    const lengths = docs.slice(start, start + HITS).map((number) => {
      const segmentIndex = starts.findLastIndex((first) => first <= number);
      return searcher.load({ segmentIndex, docId: number - starts[segmentIndex]!, score: 0 }).json.length;
    });
    return { docs: lengths, scores: [] };
  };
}
