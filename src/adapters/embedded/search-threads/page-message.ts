import type { Facet, FacetNode, FacetPathNames } from "../../../contract/search.js";
import { CountedFacet } from "../../../engine/server-door.js";
import type {
  BackendHit,
  BackendPhases,
  BackendSearchResult,
  FederatedHit,
} from "../../../ports/search-backend.js";

/**
 * A page on its way to another thread: a few arrays in place of an object for each hit and facet, which take both threads
 * longer than many a search.
 */
export interface PageMessage {
  readonly count: number;
  readonly documentIds: readonly string[];
  readonly scores: Float64Array;
  /** By hit, of a federation's page only. */
  readonly memberIndexes: Uint32Array | null;
  /** By hit its document, its highlights and its explanation, one after the other. */
  readonly texts: Uint8Array;
  /** By hit, where its document, its highlights and its explanation end in `texts`; what it has none of ends where it begins. */
  readonly ends: Uint32Array;
  readonly facets: readonly FacetMessage[];
  readonly phases?: BackendPhases;
}

export type FacetMessage =
  | { readonly field: string; readonly nodes: readonly FacetNode[] }
  | {
      readonly field: string;
      /** Stands for the paths' names, from 1 on, each time greater. */
      readonly namesId: number;
      /** The entries of `FacetCounts`. */
      readonly entries: Uint32Array;
      /** Paths that the other thread hasn't been told yet, and their numbers. */
      readonly newNumbers: readonly number[];
      readonly newPaths: readonly string[];
    };

/** What of a hit is in `PageMessage.texts`. */
const TEXTS = 3;

/** Fields' names that both sides remember: the newest of them. */
const NAMES_MAX = 64;

/** Makes messages of pages, and remembers which names of paths the other thread knows. */
export class PageSender {
  readonly #known: WeakMap<FacetPathNames, KnownNames> = new WeakMap();
  #lastId = 0;

  message({
    count,
    hits,
    facets,
    phases,
  }: { readonly hits: readonly (BackendHit | FederatedHit)[] } & BackendSearchResult): PageMessage {
    const scores = new Float64Array(hits.length);
    const ends = new Uint32Array(TEXTS * hits.length);
    const first = hits[0];
    const memberIndexes = first !== undefined && "memberIndex" in first ? new Uint32Array(hits.length) : null;
    let length = 0;
    for (const [i, hit] of hits.entries()) {
      scores[i] = hit.score;
      if (memberIndexes !== null) memberIndexes[i] = (hit as FederatedHit).memberIndex;
      ends[TEXTS * i] = length += hit.docJson.length;
      ends[TEXTS * i + 1] = length += hit.highlightsJson?.length ?? 0;
      ends[TEXTS * i + 2] = length += hit.explanationJson?.length ?? 0;
    }
    // Documents share buffers with others, which would go along.
    const texts = new Uint8Array(length);
    for (const [i, { docJson, highlightsJson, explanationJson }] of hits.entries()) {
      const end = ends[TEXTS * i]!;
      texts.set(docJson, end - docJson.length);
      if (highlightsJson !== undefined) texts.set(highlightsJson, end);
      if (explanationJson !== undefined) texts.set(explanationJson, ends[TEXTS * i + 1]!);
    }
    const documentIds = hits.map(({ documentId }) => documentId);
    return {
      count,
      documentIds,
      scores,
      memberIndexes,
      texts,
      ends,
      facets: facets.map((each) => this.#facet(each)),
      ...(phases === undefined ? {} : { phases }),
    };
  }

  #facet({ field, counts, ...facet }: Facet): FacetMessage {
    if (counts === undefined) return { field, nodes: facet.nodes };
    const { paths } = counts;
    let known = this.#known.get(paths);
    if (known === undefined || isForgotten(known.id, this.#lastId)) {
      known = { id: ++this.#lastId, isSent: new Uint8Array(0) };
      this.#known.set(paths, known);
    }
    const entries = Uint32Array.from(counts.entries);
    const newNumbers: number[] = [];
    for (let at = 0; at < entries.length; at += 3)
      if (isNew(known, entries[at]!)) newNumbers.push(entries[at]!);
    return {
      field,
      namesId: known.id,
      entries,
      newNumbers,
      newPaths: newNumbers.map((number) => paths.pathOf(number)),
    };
  }
}

interface KnownNames {
  readonly id: number;
  /** By number of a path: 1 where the other thread knows it. */
  isSent: Uint8Array;
}

/** Notes that it is known from now on. */
function isNew(known: KnownNames, number: number): boolean {
  if (number >= known.isSent.length) {
    const longer = new Uint8Array(Math.max(number + 1, 2 * known.isSent.length));
    longer.set(known.isSent);
    known.isSent = longer;
  }
  if (known.isSent[number] === 1) return false;
  known.isSent[number] = 1;
  return true;
}

function isForgotten(id: number, lastId: number): boolean {
  return id <= lastId - NAMES_MAX;
}

/** Reads one sender's messages, all of them and in their order, since each names paths that later ones know. */
export class PageReceiver {
  readonly #names: Map<number, ReceivedNames> = new Map();

  page(message: PageMessage): BackendSearchResult {
    const { count, documentIds, scores, memberIndexes, texts, ends, phases } = message;
    const hits = documentIds.map((documentId, i): BackendHit | FederatedHit => {
      const start = i === 0 ? 0 : ends[TEXTS * i - 1]!;
      const end = ends[TEXTS * i]!;
      const highlightsEnd = ends[TEXTS * i + 1]!;
      const explanationEnd = ends[TEXTS * i + 2]!;
      return {
        documentId,
        score: scores[i]!,
        docJson: texts.subarray(start, end),
        ...(highlightsEnd > end && { highlightsJson: texts.subarray(end, highlightsEnd) }),
        ...(explanationEnd > highlightsEnd && {
          explanationJson: texts.subarray(highlightsEnd, explanationEnd),
        }),
        ...(memberIndexes !== null && { memberIndex: memberIndexes[i]! }),
      };
    });
    const facets = message.facets.map((facet) => this.#facet(facet));
    return phases === undefined ? { count, hits, facets } : { count, hits, facets, phases };
  }

  #facet(message: FacetMessage): Facet {
    if ("nodes" in message) return message;
    const { field, namesId, entries, newNumbers, newPaths } = message;
    let names = this.#names.get(namesId);
    if (names === undefined) {
      this.#names.set(namesId, (names = new ReceivedNames()));
      for (const id of this.#names.keys()) if (isForgotten(id, namesId)) this.#names.delete(id);
    }
    for (const [i, number] of newNumbers.entries()) names.add(number, newPaths[i]!);
    return new CountedFacet(field, { paths: names, entries });
  }
}

/** The paths of one facet field by number, as another thread numbers them. */
class ReceivedNames implements FacetPathNames {
  readonly #paths: string[] = [];

  add(number: number, path: string): void {
    this.#paths[number] = path;
  }

  pathOf(number: number): string {
    return this.#paths[number]!;
  }
}
