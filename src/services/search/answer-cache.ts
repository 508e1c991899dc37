import type { Facet, FacetNode, SearchClause, SearchHit } from "../../contract/search.js";
import type { SentBody } from "../../contract/sent-body.js";
import type { SearchPage } from "./cursor-store.js";

/** A page of hits that is given again, and what was searched for. */
export interface KeptAnswer {
  readonly page: SearchPage;
  readonly clauses: readonly SearchClause[];
}

/**
 * Everything but the request that an answer depends on, in an order of the asker's: settings, which are
 * compared by identity, and generations of indexes. An answer is good as long as all are the same.
 */
export type AnswerGround = readonly (object | string)[];

interface Entry extends KeptAnswer {
  readonly ground: AnswerGround;
  readonly bytes: number;
}

/** The part of the cache that one answer may take. */
const LARGEST_SHARE = 1 / 16;
/** Requests that are remembered for having been asked once; a power of two. */
const REMEMBERED = 8_192;
const BYTES_PER_HIT = 150;
const BYTES_PER_FACET_NODE = 100;
const BYTES_PER_ENTRY = 500;

/**
 * Answers to requests that come again and again; those that weren't asked for lately are given up first. A
 * request is kept when it is asked for the second time, so that the many that never come again cost next to
 * nothing.
 */
export class AnswerCache {
  readonly #bytesMax: number;
  /** Asked for since the others were set apart: moving an entry with every use would take as long as finding it. */
  #recent: Generation = { entries: new Map(), bytes: 0 };
  /** Asked for before that; given up all at once. */
  #earlier: Generation = { entries: new Map(), bytes: 0 };
  /** Hashes of keys by their lowest bits: newer ones take the places of older ones. */
  readonly #asked = new Uint32Array(REMEMBERED);

  /** @param bytesMax that kept answers may take, what is made of them included; 0: nothing is kept */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What answers take, estimated. */
  get bytes(): number {
    return this.#recent.bytes + this.#earlier.bytes;
  }

  /**
   * Names a request; null if its answer is not to be kept.
   *
   * @param target what is searched
   */
  keyOf(target: string, { text }: SentBody): string | null {
    return this.#bytesMax <= 0 || text === null ? null : `${target}\0${text}`;
  }

  find(key: string, ground: AnswerGround): KeptAnswer | undefined {
    const recent = this.#recent.entries.get(key);
    const entry = recent ?? this.#earlier.entries.get(key);
    if (entry === undefined) return undefined;
    if (!isSame(entry.ground, ground)) {
      this.#drop(key);
      return undefined;
    }
    if (recent === undefined) {
      this.#drop(key);
      this.#put(key, entry);
    }
    return entry;
  }

  /** Whether the request was asked for before, so that its answer is worth keeping; remembers it. */
  isWanted(key: string): boolean {
    const hash = hashOf(key);
    const place = hash & (REMEMBERED - 1);
    const isKnown = this.#asked[place] === hash;
    this.#asked[place] = hash;
    return isKnown;
  }

  /**
   * Keeps an answer where there is room for it.
   *
   * @param ground as it was before the search began
   * @returns the page to answer with, which says that it is kept
   */
  keep(key: string, ground: AnswerGround, { page, clauses }: KeptAnswer): SearchPage {
    // As numbers they would keep the names of all paths of an index in memory that may be gone.
    const facets = page.facets?.map(({ field, nodes }) => ({ field, nodes }));
    const bytes = 2 * key.length + bytesOf(page.hits, facets) + BYTES_PER_ENTRY;
    if (bytes > this.#bytesMax * LARGEST_SHARE) return page;
    const kept = {
      ...page,
      hits: page.hits.map(alone),
      ...(facets === undefined ? {} : { facets }),
      keptPage: {},
    };
    this.#drop(key);
    this.#put(key, { page: kept, clauses, ground, bytes });
    return kept;
  }

  #put(key: string, entry: Entry): void {
    if (this.#recent.bytes + entry.bytes > this.#bytesMax / 2) {
      this.#earlier = this.#recent;
      this.#recent = { entries: new Map(), bytes: 0 };
    }
    this.#recent.entries.set(key, entry);
    this.#recent.bytes += entry.bytes;
  }

  #drop(key: string): void {
    for (const generation of [this.#recent, this.#earlier]) {
      generation.bytes -= generation.entries.get(key)?.bytes ?? 0;
      generation.entries.delete(key);
    }
  }
}

interface Generation {
  readonly entries: Map<string, Entry>;
  bytes: number;
}

/** The hit with bytes that keep no larger buffer in memory. */
function alone(hit: SearchHit): SearchHit {
  const { docJson, highlightsJson, explanationJson } = hit;
  if (isWhole(docJson) && highlightsJson === undefined && explanationJson === undefined) return hit;
  return {
    ...hit,
    docJson: ownBytes(docJson),
    ...(highlightsJson === undefined ? {} : { highlightsJson: ownBytes(highlightsJson) }),
    ...(explanationJson === undefined ? {} : { explanationJson: ownBytes(explanationJson) }),
  };
}

function ownBytes(bytes: Uint8Array): Uint8Array {
  return isWhole(bytes) ? bytes : bytes.slice();
}

function isWhole(bytes: Uint8Array): boolean {
  return bytes.byteLength === bytes.buffer.byteLength;
}

function isSame(a: AnswerGround, b: AnswerGround): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return a.length === b.length;
}

/** FNV-1a over code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** The bytes of a page, and of its documents once more as they stand in the answer. */
function bytesOf(hits: SearchPage["hits"], facets: readonly Facet[] = []): number {
  let bytes = 0;
  for (const { docJson, highlightsJson, explanationJson } of hits) {
    bytes += 2 * docJson.length + BYTES_PER_HIT;
    if (highlightsJson !== undefined) bytes += 2 * highlightsJson.length;
    if (explanationJson !== undefined) bytes += 2 * explanationJson.length;
  }
  for (const { nodes } of facets) bytes += nodeCount(nodes) * BYTES_PER_FACET_NODE;
  return bytes;
}

function nodeCount(nodes: readonly FacetNode[]): number {
  return nodes.reduce((sum, { children }) => sum + 1 + (children === undefined ? 0 : nodeCount(children)), 0);
}
