import { bytesOfJson } from "../../contract/document-json.js";
import { pickJsonMembers } from "../../contract/json-members.js";
import type { Facet, ScoreExplanation } from "../../contract/search.js";
import { type EngineField, type EngineSchema, searchTimeout } from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";
import type { FederatedHit, FederatedSearchResult, SearchCaller } from "../../ports/search-backend.js";
import { FederatedWords } from "../../query/federated-words.js";
import { hasScores, type SearchPlan } from "../../query/search-plan.js";
import { showHits } from "../embedded/show-hits.js";
import type { Cluster } from "./cluster.js";
import { isTooLong } from "./cluster-errors.js";
import { Collection, type KeptCounts, liveOf, type SearchedStorage } from "./collection.js";
import { documentIdOf } from "./document-revisions.js";
import { allOf, amongst, anyOf, boosted, type Dsl, scripted } from "./dsl.js";
import { facetTree } from "./facet-trees.js";
import { livesAt } from "./index-generations.js";
import { partOf } from "./index-mapping.js";
import { QueryLowering } from "./lower-query.js";
import { scoresByOwnStatistics } from "./own-statistics.js";
import { plainExplanation } from "./plain-explanation.js";

/** A member as it is searched. */
export interface SearchMember {
  readonly storage: SearchedStorage;
  readonly schema: EngineSchema;
  /** Null: its documents are left out, but its statistics count. */
  readonly plan: SearchPlan | null;
  readonly weight: number;
}

export interface SearchAccess {
  readonly cluster: Cluster;
  readonly kept: KeptCounts;
  readonly timeoutMs: number;
}

/** A search of several indexes as one request, ready to be sent any number of times. */
export interface PreparedSearch {
  readonly members: readonly SearchMember[];
  readonly collection: Collection;
  readonly query: Dsl;
  readonly sort: readonly Dsl[];
  readonly isScored: boolean;
  readonly explains: boolean;
  readonly facets: readonly PreparedFacet[];
}

interface PreparedFacet {
  readonly field: string;
  readonly isFlat: boolean;
  readonly aggregation: Dsl;
}

interface Hit {
  readonly _id: string;
  readonly _source?: { readonly doc: string; readonly member: string };
  readonly _explanation?: ScoreExplanation;
  readonly sort: readonly unknown[];
}

export interface SearchAnswer {
  readonly timed_out: boolean;
  readonly pit_id?: string;
  readonly hits: { readonly total?: { readonly value: number }; readonly hits: readonly Hit[] };
  readonly aggregations?: Readonly<Record<string, Aggregation>>;
}

interface Aggregation {
  readonly doc_count?: number;
  readonly buckets?: readonly { readonly key: string; readonly doc_count: number }[];
  readonly sum_other_doc_count?: number;
  readonly inner?: Aggregation;
}

/** Paths of one facet field that are counted, at most: the cluster bounds the buckets of an answer. */
const FACET_PATHS_MAX = 60_000;
/** Hits that the cluster gives from an offset; deeper ones are reached page by page. */
export const WINDOW_MAX = 10_000;

/** What a search may take beyond its time limit, as the cluster ends it first. */
export const BEYOND_TIMEOUT_MS = 2_000;

const DECAY = `
/* decays with the age in days */
if (doc[params.field].size() == 0) return _score;
double latest = doc[params.field].get(doc[params.field].size() - 1);
return _score * Math.exp(-params.rate * Math.max(0.0, params.now - latest) / 86400.0);
`;

/**
 * @param members of which one at least has a plan
 * @param options whether the cluster's own statistics are those of all members' live documents
 */
export async function prepareSearch(
  access: SearchAccess,
  members: readonly SearchMember[],
  caller: SearchCaller | undefined,
  { countsOnlyLive = false }: { readonly countsOnlyLive?: boolean } = {},
): Promise<PreparedSearch> {
  const { cluster, kept, timeoutMs } = access;
  const collection = new Collection(
    cluster,
    members.map(({ storage }) => storage),
    { kept, caller, timeoutMs },
  );
  const words = new FederatedWords(members.map((member) => ({ member, plan: member.plan })));
  const schemas = members.map(({ schema }) => schema);
  const hasOwnStatistics =
    countsOnlyLive &&
    members.every(
      ({ plan, weight }) =>
        plan === null || (plan.explain !== true && scoresByOwnStatistics(plan.ast, schemas, weight)),
    );
  const lowerings = new Map<SearchMember, QueryLowering>();
  const loweringOf = (member: SearchMember): QueryLowering => {
    let lowering = lowerings.get(member);
    if (lowering === undefined) {
      lowering = new QueryLowering({
        schema: member.schema,
        collection,
        holds: async ({ word }) => {
          const found = await Promise.all(
            words.clausesFor(word).map(async ({ clause, member: owner }) => {
              const query = await loweringOf(owner).filter(clause.ast);
              return collection.only(owner.storage).count(query);
            }),
          );
          return found.some((count) => count > 0);
        },
        statisticsFieldsOf: (word) => words.fieldsOf(word),
        hasOwnStatistics,
        boosts: members.length === 1 ? null : words.boosts,
      });
      lowerings.set(member, lowering);
    }
    return lowering;
  };

  const planned = members.flatMap((member) =>
    member.plan === null ? [] : [{ ...member, plan: member.plan, member }],
  );
  const { plan: first } = planned[0]!;
  const isScored = hasScores(first);
  const queries = await Promise.all(
    alike(planned).map(async (group) => {
      const [{ member, plan, weight }] = group;
      const lowering = loweringOf(member);
      // An index of the cluster holds one storage's documents.
      const live =
        members.length === 1
          ? livesAt(group[0].storage.generation)
          : [anyOf(group.map(({ storage }) => liveOf(storage)))];
      if (!isScored) return allOf([...live, await lowering.filter(plan.ast)]);
      return amongst(live, boosted(decayed(await lowering.scored(plan.ast), plan), weight));
    }),
  );
  return {
    members,
    collection,
    query: anyOf(queries),
    sort: sortOf(first, planned),
    isScored,
    explains: first.explain === true && isScored,
    facets: await facetsOf(planned, loweringOf),
  };
}

/**
 * The body of a request for hits, without what says which. Scores are among the values of the order: the cluster would
 * work them out once more to give them besides. Sources come whole: it would read each to cut parts out of it, which
 * takes it longer than to send three times as much. Only where that is too long for one answer, they are cut.
 */
export function bodyOf({ query, sort, explains, facets }: PreparedSearch, withCounts: boolean): Dsl {
  return {
    query,
    sort,
    track_total_hits: withCounts,
    ...(explains && { explain: true }),
    ...(withCounts &&
      facets.length > 0 && {
        aggs: Object.fromEntries(facets.map(({ aggregation }, i) => [`f${i}`, aggregation])),
      }),
  };
}

/** Sends a request for hits. @throws FindlingError `search_timeout`, and as the cluster's requests */
export async function sendSearch(
  access: SearchAccess,
  path: string,
  body: Dsl,
  caller: SearchCaller | undefined,
): Promise<SearchAnswer> {
  try {
    return await sendOnce(access, path, body, caller);
  } catch (error) {
    if (!isTooLong(error)) throw error;
    return sendOnce(access, path, { ...body, _source: ["doc", "member"] }, caller);
  }
}

async function sendOnce(
  { cluster, timeoutMs }: SearchAccess,
  path: string,
  body: Dsl,
  caller: SearchCaller | undefined,
): Promise<SearchAnswer> {
  if (caller?.isGone === true) throw new FindlingError("search_timeout", "the caller has gone");
  const { body: answer } = await cluster.request<SearchAnswer>("POST", path, {
    query: {
      allow_partial_search_results: false,
      search_type: "dfs_query_then_fetch",
    },
    body: { ...body, timeout: `${timeoutMs}ms` },
    timeoutMs: timeoutMs + BEYOND_TIMEOUT_MS,
    caller,
  });
  if (answer.timed_out) throw searchTimeout(timeoutMs);
  return answer;
}

export async function searchOnce(
  access: SearchAccess,
  prepared: PreparedSearch,
  caller: SearchCaller | undefined,
): Promise<FederatedSearchResult> {
  const { offset, limit } = planOf(prepared);
  const isDeep = offset + limit > WINDOW_MAX;
  const answer = await sendSearch(
    access,
    `/${prepared.collection.documents}/_search`,
    { ...bodyOf(prepared, true), from: isDeep ? 0 : offset, size: isDeep ? 0 : limit },
    caller,
  );
  return {
    count: answer.hits.total!.value,
    hits: shownHits(prepared, answer.hits.hits),
    facets: countedFacets(prepared, answer),
  };
}

export function planOf({ members }: PreparedSearch): SearchPlan {
  return members.find(({ plan }) => plan !== null)!.plan!;
}

/** The page's hits as they are answered. */
export function shownHits(prepared: PreparedSearch, hits: readonly Hit[]): readonly FederatedHit[] {
  const { members, sort, isScored } = prepared;
  const scoreAt = sort.findIndex((key) => "_score" in key);
  const byStorage = new Map(members.map(({ storage }, i) => [storage.storageId, i]));
  const found = hits.map(({ _id: clusterId, sort: values, _source: source, _explanation: explanation }) => {
    const memberIndex = byStorage.get(source!.member)!;
    const score = isScored ? (values[scoreAt] as number) : 1;
    return {
      memberIndex,
      documentId: documentIdOf(clusterId),
      score,
      docJson: bytesOfJson(storedJson(source!.doc, members[memberIndex]!.schema)),
      ...(explanation === undefined
        ? {}
        : {
            explanationJson: bytesOfJson(JSON.stringify({ ...plainExplanation(explanation), value: score })),
          }),
    };
  });
  const shown = members.map(({ schema, plan }) => ({ searcher: { schema }, plan: plan! }));
  return showHits(found, ({ memberIndex }) => shown[memberIndex]!, { interrupt: { check() {} }, admit() {} });
}

/** A document as it may be shown: without the fields that are not stored. */
export function storedJson(json: string, schema: EngineSchema): string {
  if (schema.fields.every(({ stored }) => stored)) return json;
  return pickJsonMembers(json, new Set(schema.fields.filter(({ stored }) => stored).map(({ name }) => name)));
}

export function countedFacets(
  { facets }: PreparedSearch,
  { aggregations = {} }: SearchAnswer,
): readonly Facet[] {
  const fields = new Map<string, { readonly isFlat: boolean; readonly counts: Map<string, number> }>();
  for (const [i, { field, isFlat }] of facets.entries()) {
    const terms = innermost(aggregations[`f${i}`]);
    if ((terms?.sum_other_doc_count ?? 0) > 0) {
      throw new FindlingError(
        "not_supported",
        `facet field '${field}' has more than ${FACET_PATHS_MAX} paths in what was found, more than a cluster counts at once; ask for fewer documents`,
      );
    }
    let known = fields.get(field);
    if (known === undefined) fields.set(field, (known = { isFlat, counts: new Map() }));
    for (const { key, doc_count: count } of terms?.buckets ?? []) {
      known.counts.set(key, (known.counts.get(key) ?? 0) + count);
    }
  }
  return [...fields].map(([field, { isFlat, counts }]) => ({ field, nodes: facetTree(counts, isFlat) }));
}

function innermost(aggregation: Aggregation | undefined): Aggregation | undefined {
  return aggregation?.inner === undefined ? aggregation : innermost(aggregation.inner);
}

interface PlannedMember extends SearchMember {
  readonly member: SearchMember;
  readonly plan: SearchPlan;
}

function decayed(query: Dsl, { timeDecay }: SearchPlan): Dsl {
  if (timeDecay === undefined) return query;
  const { field, nowSeconds, ratePerDay } = timeDecay;
  return scripted(query, DECAY, { field: partOf("d", field), now: nowSeconds, rate: ratePerDay });
}

function sortOf(
  { orderBy = [{ kind: "score", descending: true }] }: SearchPlan,
  members: readonly PlannedMember[],
): readonly Dsl[] {
  const fields = new Map<string, EngineField>(
    members.flatMap(({ schema }) => schema.fields.map((field) => [field.name, field] as const)).reverse(),
  );
  const keys = orderBy.flatMap((key): Dsl | readonly Dsl[] => {
    const order = key.descending ? "desc" : "asc";
    if (key.kind === "score") return { _score: { order } };
    const { kind } = fields.get(key.field)!;
    const kinds = kindsOf(key.field, members);
    if (new Set(Object.values(kinds)).size > 1 && NUMBERS.has(kind)) return byNumber(key, kinds);
    const part = kind === "text" || kind === "keyword" || kind === "label" ? "o" : "v";
    return { [partOf(part, key.field)]: { order, missing: "_last", unmapped_type: "keyword" } };
  });
  const byMember: Dsl = {
    _script: {
      type: "number",
      order: "asc",
      script: {
        source: "params.order[doc['member'].value]",
        params: { order: Object.fromEntries(members.map(({ storage }, i) => [storage.storageId, i])) },
      },
    },
  };
  return [...keys, ...(members.length > 1 ? [byMember] : []), { seq: { order: "asc" } }];
}

type Alike = readonly [PlannedMember, ...PlannedMember[]];

/** Members whose documents are asked for and scored by one query: the cluster bounds the parts of all queries together. */
function alike(members: readonly PlannedMember[]): readonly Alike[] {
  if (members.length === 1) return [[members[0]!]];
  const groups = new Map<string, [PlannedMember, ...PlannedMember[]]>();
  for (const member of members) {
    const { plan, weight, schema } = member;
    const kinds = schema.fields.map(({ name, kind, precision }) => [name, kind, precision]);
    const key = JSON.stringify([plan.ast, plan.timeDecay, weight, kinds, schema.analyzer]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return [...groups.values()];
}

const NUMBERS: ReadonlySet<string> = new Set(["u64", "i64", "f64"]);

/** By member of what kind a field is there. */
function kindsOf(name: string, members: readonly PlannedMember[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    members.flatMap(({ schema, storage }) => {
      const found = schema.fields.find((field) => field.name === name);
      return found === undefined ? [] : [[storage.storageId, found.kind]];
    }),
  );
}

/** A number as the nearest double, or how far it is from that, from its sort bytes. */
const NUMBER = `
if (!doc.containsKey(params.field) || doc[params.field].size() == 0) return params.isRest ? 0.0 : params.missing;
String hex = doc[params.field].value;
String kind = params.kinds[doc['member'].value];
long bits = Long.parseUnsignedLong(hex, 16);
if (kind == 'f64') {
  if (params.isRest) return 0.0;
  return Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
}
BigDecimal exact = new BigDecimal(kind == 'i64' ? Long.toString(bits ^ Long.MIN_VALUE) : new BigInteger(hex, 16).toString());
double near = exact.doubleValue();
if (!params.isRest) return near;
String reached = Math.abs(near) < 9.2e18 ? Long.toString((long) near) : Double.toString(near);
return exact.subtract(new BigDecimal(reached)).doubleValue();
`;

/** Orders by numbers of several kinds as what they are. */
function byNumber(
  { field, descending }: Extract<NonNullable<SearchPlan["orderBy"]>[number], { readonly kind: "field" }>,
  kinds: Readonly<Record<string, string>>,
): readonly Dsl[] {
  const missing = descending ? -Number.MAX_VALUE : Number.MAX_VALUE;
  return [false, true].map((isRest) => ({
    _script: {
      type: "number",
      order: descending ? "desc" : "asc",
      script: { source: NUMBER, params: { field: partOf("v", field), kinds, isRest, missing } },
    },
  }));
}

/** One aggregation for each facet field of each member, as their queries may differ. */
async function facetsOf(
  members: readonly PlannedMember[],
  loweringOf: (member: SearchMember) => QueryLowering,
): Promise<readonly PreparedFacet[]> {
  const prepared: PreparedFacet[] = [];
  for (const { member, plan, schema, storage } of members) {
    const isFlat = (field: string): boolean =>
      schema.fields.find(({ name }) => name === field)?.kind === "label";
    const terms = (field: string): Dsl => ({ terms: { field: partOf("f", field), size: FACET_PATHS_MAX } });
    for (const field of plan.facets) {
      const aggregation =
        members.length === 1
          ? terms(field)
          : { filter: { term: { member: storage.storageId } }, aggs: { inner: terms(field) } };
      prepared.push({ field, isFlat: isFlat(field), aggregation });
    }
    for (const { field, ast } of plan.multiSelectFacets ?? []) {
      const filter = allOf([liveOf(storage), await loweringOf(member).filter(ast)]);
      const aggregation = { global: {}, aggs: { inner: { filter, aggs: { inner: terms(field) } } } };
      prepared.push({ field, isFlat: isFlat(field), aggregation });
    }
  }
  return prepared;
}
