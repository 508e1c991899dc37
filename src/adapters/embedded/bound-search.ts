import {
  type CollectionStatistics,
  CombinedStatistics,
  type Query,
  type RankedHit,
  type Searcher,
  type SearchInterrupt,
  type SearchOptions,
} from "../../engine/server-door.js";
import type { BackendSearchResult, FederatedHit } from "../../ports/search-backend.js";
import { hasScores, type SearchPlan } from "../../query/search-plan.js";
import { explainHits, explainsHits, withExplanations } from "./explain-hits.js";
import { FederatedCollection } from "./federated-collection.js";
import { contentsOf, lowerFor, lowerQuery } from "./lower-query.js";
import { mergeFacets } from "./merge-facets.js";
import { type OrderedMember, RankedSearch } from "./ranked-search.js";
import type { SearchAdmission } from "./search-patience.js";
import type { ReadablePlaces } from "./search-threads/hit-order.js";
import { showHits } from "./show-hits.js";

/** What a member of a federation costs at least, and a hit that has to be merged among members. */
const MEMBER_MICROSECONDS = 40;
const MERGED_MICROSECONDS = 0.1;

/** An index of a federation as one search sees it; the port's `FederationMember` with its snapshot. */
export interface SearchedMember {
  readonly searcher: Searcher;
  readonly plan: SearchPlan | null;
  readonly weight: number;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** A member that is not left out, with its query in the engine's terms. */
interface BoundMember extends OrderedMember {
  readonly memberIndex: number;
  readonly searcher: Searcher;
  readonly query: Query;
  /** Facet fields with queries of their own. */
  readonly facetQueries: readonly { readonly field: string; readonly query: Query }[];
}

/**
 * A search on snapshots of one or several indexes: every member ranks by the same statistics, its hits
 * are merged with the others', and only documents that are asked for are read (contract 5.8).
 */
export class BoundSearch {
  readonly #members: readonly BoundMember[];
  /** What scores depend on; undefined for the snapshot's own. */
  readonly #statistics: CollectionStatistics | undefined;
  readonly #admission: SearchAdmission;

  private constructor(
    members: readonly BoundMember[],
    statistics: CollectionStatistics | undefined,
    admission: SearchAdmission,
  ) {
    this.#members = members;
    this.#statistics = statistics;
    this.#admission = admission;
  }

  static ofIndex(searcher: Searcher, plan: SearchPlan, admission: SearchAdmission): BoundSearch {
    const contents = contentsOf(searcher, admission.interrupt);
    const member = boundMember({ searcher, plan, memberIndex: 0, lower: (ast) => lowerQuery(ast, contents) });
    return new BoundSearch([member], undefined, admission);
  }

  /** Scores depend on all members, those left out included: so a filter that leaves one out doesn't move the others. */
  static ofFederation(members: readonly SearchedMember[], admission: SearchAdmission): BoundSearch {
    const { interrupt } = admission;
    admission.admit(members.length * MEMBER_MICROSECONDS);
    const collection = new FederatedCollection(
      members.map(({ searcher, plan }) => ({ member: contentsOf(searcher, interrupt), plan })),
    );
    const bound = members.flatMap(({ searcher, plan, weight }, memberIndex) => {
      if (plan === null) return [];
      interrupt.check();
      const member = boundMember({ searcher, plan, memberIndex, lower: (ast) => lowerFor(ast, collection) });
      return [{ ...member, query: weighted(member.query, hasScores(plan) ? weight : 1) }];
    });
    return new BoundSearch(
      bound,
      new CombinedStatistics(members.map(({ searcher }) => searcher.statistics)),
      admission,
    );
  }

  /** @param page how far the hits are wanted; a limit of 0 ranks none */
  rank(page: Page): RankedSearch {
    return this.#rank(page, null);
  }

  /**
   * Ranks the search, which was ranked before, to a greater depth.
   *
   * @param depth hits from the first one on
   */
  rankDeeper(ranked: RankedSearch, depth: number): RankedSearch {
    return this.#rank({ offset: 0, limit: depth }, ranked);
  }

  /** Reads the documents of a page of a ranking of this search, by this one or in another thread. */
  load(ranked: ReadablePlaces, { offset, limit }: Page): FederatedHit[] {
    const hits: FederatedHit[] = [];
    const end = Math.min(offset + limit, ranked.length);
    for (let place = offset; place < end; place++) {
      this.#admission.interrupt.check();
      const { member, hit } = ranked.at(place);
      const { memberIndex, searcher } = this.#members[member]!;
      const { documentId, score, json } = searcher.loadBytes(hit);
      hits.push({ memberIndex, documentId, score, docJson: json });
    }
    return hits;
  }

  /** Whether hits come with more, or less, than their documents. */
  get dressesHits(): boolean {
    return this.#explainsHits || this.#members.some(({ plan }) => plan.hitParts !== undefined);
  }

  /** The hits of a page as for `load`, with what the plan asks for beside documents. */
  hits(ranked: ReadablePlaces, page: Page): readonly FederatedHit[] {
    const loaded = withExplanations(this.load(ranked, page), this.#explain(ranked, page));
    const byIndex = new Map(this.#members.map((member) => [member.memberIndex, member]));
    return showHits(loaded, ({ memberIndex }) => byIndex.get(memberIndex)!, this.#admission);
  }

  get #explainsHits(): boolean {
    return this.#members.length > 0 && this.#members.every(({ plan }) => explainsHits(plan));
  }

  /** Why the hits of a page score what they score, as JSON in UTF-8; null if nobody asks. */
  #explain(ranked: ReadablePlaces, { offset, limit }: Page): Uint8Array[] | null {
    if (!this.#explainsHits) return null;
    const end = Math.min(offset + limit, ranked.length);
    const places = this.#members.map((): number[] => []);
    const hits = this.#members.map((): RankedHit[] => []);
    for (let place = offset; place < end; place++) {
      const { member, hit } = ranked.at(place);
      places[member]!.push(place - offset);
      hits[member]!.push(hit);
    }
    const texts = new Array<Uint8Array>(Math.max(0, end - offset));
    for (let member = 0; member < this.#members.length; member++) {
      const search = { ...this.#members[member]!, statistics: this.#statistics };
      const explained = explainHits(search, hits[member]!, this.#admission);
      for (let i = 0; i < explained.length; i++) texts[places[member]![i]!] = explained[i]!;
    }
    return texts;
  }

  #rank(page: Page, beginning: RankedSearch | null): RankedSearch {
    const { interrupt } = this.#admission;
    const options = this.#members.map((member) => optionsOf(member, page, beginning === null, interrupt));
    this.#admit(options, page);
    const results = this.#members.map(({ searcher }, i) => searcher.rank(options[i]!, this.#statistics));
    const facets =
      beginning === null
        ? mergeFacets(
            results.flatMap((result, i) => [result.facets, this.#multiSelectFacets(this.#members[i]!)]),
          )
        : beginning.facets;
    const limit = page.offset + page.limit;
    return new RankedSearch(this.#members, { results, facets, limit, interrupt });
  }

  #admit(options: readonly SearchOptions[], { offset, limit }: Page): void {
    const { interrupt } = this.#admission;
    const members = this.#members.length;
    let microseconds = members > 1 ? (offset + limit) * members * MERGED_MICROSECONDS : 0;
    for (let i = 0; i < members; i++) {
      interrupt.check();
      microseconds += this.#members[i]!.searcher.cost(options[i]!);
    }
    this.#admission.admit(microseconds);
  }

  #multiSelectFacets({ searcher, facetQueries }: BoundMember): BackendSearchResult["facets"] {
    const { interrupt } = this.#admission;
    return facetQueries.flatMap(({ field, query }) => {
      const options = { query, offset: 0, limit: 0, facets: [field], interrupt };
      this.#admission.admit(searcher.cost(options));
      return searcher.rank(options).facets;
    });
  }
}

function boundMember({
  searcher,
  plan,
  memberIndex,
  lower,
}: {
  readonly searcher: Searcher;
  readonly plan: SearchPlan;
  readonly memberIndex: number;
  readonly lower: (ast: SearchPlan["ast"]) => Query;
}): BoundMember {
  return {
    memberIndex,
    searcher,
    plan,
    query: lower(plan.ast),
    facetQueries: (plan.multiSelectFacets ?? []).map(({ field, ast }) => ({ field, query: lower(ast) })),
    orderFields: (plan.orderBy ?? []).map((key) =>
      key.kind === "score" ? undefined : searcher.schema.fields.find(({ name }) => name === key.field),
    ),
  };
}

/** The weight is part of the query, so that scores tie where the weighted ones do. */
function weighted(query: Query, weight: number): Query {
  return weight === 1 ? query : { kind: "boost", query, factor: weight };
}

function optionsOf(
  { query, plan }: BoundMember,
  page: Page,
  withFacets: boolean,
  interrupt: SearchInterrupt,
): SearchOptions {
  const { orderBy, timeDecay, facets } = plan;
  const order = orderBy === undefined ? {} : { orderBy };
  const decay = timeDecay === undefined ? {} : { timeDecay };
  return { query, ...page, facets: withFacets ? facets : [], interrupt, ...order, ...decay };
}
