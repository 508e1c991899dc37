/** Findling's searches in OpenSearch's words, and the mapping that they need. */

const SEARCH_FIELDS = ["name", "title", "description", "priority", "maintainer", "version"];
const FACET_FIELDS = ["section", "debtags"];
/** More than there are paths in the corpus: Findling's answer holds the whole tree. */
const PATHS_MAX = 2000;
/** OpenSearch's limit: Findling has none, and with the default of 50 many matches would be missing. */
const EXPANSIONS_MAX = 1024;
/** Ancestors of a facet path, the path included, are in a field of their own. */
const PATHS_SUFFIX = "_paths";

/** The index that every Findling under test gets: what each would guess for itself differs from build to build. */
export const FINDLING_INDEX: object = {
  search_fields: SEARCH_FIELDS,
  fields: {
    id: { type: "text" },
    ...Object.fromEntries(SEARCH_FIELDS.map((field) => [field, { type: "text" }])),
    ...Object.fromEntries(FACET_FIELDS.map((field) => [field, { type: "facet", multi: true }])),
    installed_size: { type: "u64" },
    download_size: { type: "u64" },
    depends: { type: "u64" },
    arch_independent: { type: "bool" },
  },
};

const text = { type: "text", analyzer: "words" };
const number = { type: "long" };
const unindexed = { type: "keyword", index: false, doc_values: false };

/** Findling's tokens (contract 5.1), one shard, and no replica. */
export const OPEN_SEARCH_INDEX: object = {
  settings: {
    number_of_shards: 1,
    number_of_replicas: 0,
    refresh_interval: -1,
    analysis: {
      tokenizer: { words: { type: "pattern", pattern: "[^\\p{L}\\p{M}\\p{N}]+" } },
      analyzer: { words: { type: "custom", tokenizer: "words", filter: ["lowercase"] } },
    },
  },
  mappings: {
    dynamic: "strict",
    _source: { excludes: FACET_FIELDS.map((field) => field + PATHS_SUFFIX) },
    properties: {
      id: { type: "keyword" },
      ...Object.fromEntries(SEARCH_FIELDS.map((field) => [field, text])),
      ...Object.fromEntries(FACET_FIELDS.map((field) => [field, unindexed])),
      ...Object.fromEntries(FACET_FIELDS.map((field) => [field + PATHS_SUFFIX, { type: "keyword" }])),
      installed_size: number,
      download_size: number,
      depends: number,
      arch_independent: { type: "boolean" },
    },
  },
};

/** A document of the corpus with its facets' ancestors beside it. */
export function openSearchDocument(json: string): string {
  const document = JSON.parse(json) as Record<string, unknown>;
  for (const field of FACET_FIELDS) {
    const paths = [document[field] ?? []].flat() as string[];
    document[field + PATHS_SUFFIX] = [...new Set(paths.flatMap(withAncestors))];
  }
  return JSON.stringify(document);
}

function withAncestors(path: string): string[] {
  const segments = path.split("/").slice(1);
  return segments.map((_, i) => `/${segments.slice(0, i + 1).join("/")}`);
}

/** Exact count and all facets, as every answer of Findling has them. */
export function request(query: object, size: number): object {
  return {
    query,
    size,
    track_total_hits: true,
    aggs: Object.fromEntries(
      FACET_FIELDS.map((field) => [field, { terms: { field: field + PATHS_SUFFIX, size: PATHS_MAX } }]),
    ),
  };
}

export function must(clauses: readonly object[], should: readonly object[] = []): object {
  return { bool: { must: clauses, should } };
}

export function should(clauses: readonly object[]): object {
  return { bool: { should: clauses } };
}

/** The scores of all fields added up. */
export function anyField(word: string): object {
  return { multi_match: { query: word, fields: SEARCH_FIELDS, type: "most_fields" } };
}

/** Any of the words, each within its distance (contract 5.2). */
export function anyWordFuzzily(words: string): object {
  const tokens = words.split(" ");
  return should(
    tokens.map((query) => ({
      multi_match: {
        query,
        fields: SEARCH_FIELDS,
        type: "most_fields",
        fuzziness: "AUTO:3,6",
        max_expansions: EXPANSIONS_MAX,
      },
    })),
  );
}

export function phrase(words: string): object {
  return should(SEARCH_FIELDS.map((field) => ({ match_phrase: { [field]: words } })));
}

/** The facet path or one below it. */
export function path(field: string, value: string): object {
  return { term: { [field + PATHS_SUFFIX]: value } };
}

export function between(field: string, lower: number, upper: number): object {
  return { range: { [field]: { gte: lower, lte: upper } } };
}
