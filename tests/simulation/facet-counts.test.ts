/**
 * Facet counts through the engine's door against counting the stored documents' paths in plain loops: several fields
 * with paths of any depth and script, few and thousands of them, documents in any number of segments, deleted and
 * merged, found by words, filters and several paths at once, again and again and beside searches that are stopped.
 * `FINDLING_TEST_KERNEL_RUNS` sets the number of runs; a failure prints the seed that shows it again.
 */
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { imageThreshold } from "../../src/engine/kernels/image-memory.js";
import {
  type CanonicalDocument,
  defineSchema,
  type FacetNode,
  Index,
  MemoryDirectory,
  type OrderKey,
  type Query,
  Searcher,
  TieredMergePolicy,
} from "../../src/engine/server-door.js";
import { SeededRandom } from "../setup/seeded-random.js";
import { compareCodePoints } from "./naive-values.js";

/** Facets of which one has several paths, one has one at most, one always has exactly one, one has many different ones. */
const FACETS = ["topics", "place", "kind", "wide"] as const;
const schema = defineSchema({
  body: "text",
  topics: { kind: "facet", multi: true },
  place: "facet",
  kind: { kind: "facet", multi: true },
  wide: { kind: "facet", multi: true },
  never: "facet",
  n: "u64",
});
const WORDS = 8;
const NUMBERS = 50;
/** Names that begin alike, that sort differently by UTF-16 units than by code points, and around the slash's own place. */
const NAMES = ["a", "ab", "a b", "a-b", "a.b", "A", "é", "e\u0301", "日本", "\u{1f600}", "\uffef", "a\u0001"];

/** A document as these tests draw it. */
interface Drawn {
  readonly body: string;
  readonly topics?: readonly string[];
  readonly place?: string;
  readonly kind: readonly string[];
  readonly wide?: readonly string[];
  readonly n?: number;
}

/** A query, and which documents it has to match. */
interface Asked {
  readonly query: Query;
  readonly matches: (document: Drawn) => boolean;
}

const thresholdBefore = imageThreshold.bytes;
const IMAGE_THRESHOLDS = [0, Number.POSITIVE_INFINITY];

afterEach(() => {
  imageThreshold.bytes = thresholdBefore;
});

test("facet counts are those of the stored documents", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
      const random = new SeededRandom(seed);
      const documents = new DrawnDocuments(random);
      const indexes = await createIndexes(random);
      for (let round = 1 + random.below(3); round > 0; round--) {
        await write(random, indexes, documents);
        const stored = storedIn(indexes[0]!);
        expect(storedIn(indexes[1]!)).toEqual(stored);
        const asked = Array.from({ length: 4 }, () => askFor(random, documents, 2));
        for (let i = 0; i < 12; i++) compare(random, indexes, random.pick(asked), stored);
      }
      for (const index of indexes) await index.close();
    }),
    { numRuns: Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 8) },
  );
}, 600_000);

/** One index twice: searched by kernels, and without. */
async function createIndexes(random: SeededRandom): Promise<Index[]> {
  const mergePolicy = new TieredMergePolicy({
    segmentsPerTier: random.pick([2, 4, 20]),
    floorBytes: 1 << 16,
  });
  const fails = (error: unknown): void => {
    throw error;
  };
  const options = { lock: false, mergePolicy, onMergeError: fails, onCommitPointError: fails };
  return Promise.all(IMAGE_THRESHOLDS.map(() => Index.create(new MemoryDirectory(), schema, options)));
}

/** Adds some documents in some segments, deletes some, and may merge. */
async function write(
  random: SeededRandom,
  indexes: readonly Index[],
  documents: DrawnDocuments,
): Promise<void> {
  const parts = Array.from({ length: 1 + random.below(3) }, () =>
    documents.draw(1 + random.below(documents.partMax)),
  );
  const deleted = random.pick([null, null, askFor(random, documents, 1)]);
  const isMerged = random.next() < 0.2;
  for (const [i, index] of indexes.entries()) {
    imageThreshold.bytes = IMAGE_THRESHOLDS[i]!;
    for (const part of parts) {
      await index.add(part as unknown as readonly CanonicalDocument[]);
      await index.commit();
    }
    if (deleted !== null) {
      await index.deleteByQuery(deleted.query);
      await index.commit();
    }
    if (isMerged) await index.merge();
  }
}

function storedIn(index: Index): Drawn[] {
  const { hits } = index.search({ query: { kind: "match_all" }, limit: Number.POSITIVE_INFINITY });
  return hits.map(({ json }) => JSON.parse(json) as Drawn);
}

function compare(
  random: SeededRandom,
  indexes: readonly Index[],
  asked: Asked,
  stored: readonly Drawn[],
): void {
  const facets = [random.pick(FACETS), random.pick([...FACETS, "never"] as const), random.pick(FACETS)];
  const { query } = asked;
  const orderBy = random.pick<readonly OrderKey[] | null>([
    null,
    null,
    [{ kind: "field", field: "n", descending: true }],
  ]);
  const options = {
    query,
    facets: facets.slice(0, 1 + random.below(3)),
    offset: random.pick([0, 0, 3]),
    limit: random.pick([0, 1, 10, 1000]),
    ...(orderBy === null ? {} : { orderBy }),
  };
  const context = JSON.stringify(options);
  const matching = stored.filter(asked.matches);
  const expected = options.facets.map((field) => ({
    field,
    nodes: naiveNodes(matching.map(pathsOf(field))),
  }));
  for (const index of indexes) {
    if (random.next() < 0.2) stop(index, options, random.below(4));
    const result = index.search(options);
    expect(result.facets, context).toEqual(expected);
    expect(result.count, context).toBe(matching.length);
    // The page has nothing to do with the counts, nor has whether the number of matches is wanted.
    if (random.next() < 0.2) {
      const uncounted = index.searcher.rank({ ...options, withCount: false });
      expect(
        uncounted.facets.map(({ field, nodes }) => ({ field, nodes })),
        context,
      ).toEqual(expected);
    }
    // Nor has what the index's earlier searches have left behind.
    if (random.next() < 0.2) {
      const anew = new Searcher(index.searcher.segments, schema).search(options);
      expect(anew.facets, context).toEqual(expected);
    }
  }
}

/** A search that is given up somewhere on the way. */
function stop(index: Index, options: Parameters<Index["search"]>[0], checks: number): void {
  const ended = new Error("ended");
  let left = checks;
  const interrupt = {
    check(): void {
      if (left-- <= 0) throw ended;
    },
  };
  try {
    index.search({ ...options, interrupt });
  } catch (error) {
    if (error !== ended) throw error;
  }
}

function pathsOf(field: string): (document: Drawn) => readonly string[] {
  return (document) => {
    const value = (document as unknown as Record<string, string | readonly string[] | undefined>)[field];
    return value === undefined ? [] : typeof value === "string" ? [value] : value;
  };
}

/** @param documents each matching document's paths */
function naiveNodes(documents: readonly (readonly string[])[]): FacetNode[] {
  const counts = new Map<string, number>();
  for (const paths of documents) {
    const distinct = new Set<string>();
    for (const path of paths) {
      for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
        distinct.add(path.slice(0, end));
    }
    for (const path of distinct) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  const below = new Map<string, string[]>();
  for (const path of counts.keys()) {
    const parent = path.slice(0, path.lastIndexOf("/"));
    below.set(parent, [...(below.get(parent) ?? []), path]);
  }
  const nodesUnder = (parent: string): FacetNode[] =>
    (below.get(parent) ?? [])
      .sort((a, b) => counts.get(b)! - counts.get(a)! || compareCodePoints(a, b))
      .map((path) => {
        const children = nodesUnder(path);
        return children.length === 0
          ? { path, count: counts.get(path)! }
          : { path, count: counts.get(path)!, children };
      });
  return nodesUnder("");
}

/** @param depth how many levels of clauses there may be */
function askFor(random: SeededRandom, documents: DrawnDocuments, depth: number): Asked {
  const kind = random.below(depth === 0 ? 5 : 9);
  if (kind === 0) return { query: { kind: "match_all" }, matches: () => true };
  if (kind <= 2) {
    const term = `w${random.below(WORDS + 1)}`;
    return {
      query: { kind: "term", field: "body", term },
      matches: ({ body }) => body.split(" ").includes(term),
    };
  }
  if (kind === 3) {
    const first = random.below(NUMBERS);
    const last = first + random.below(NUMBERS / 4);
    const bound = (value: number): { value: number; inclusive: boolean } => ({ value, inclusive: true });
    return {
      query: { kind: "value_range", field: "n", lower: bound(first), upper: bound(last) },
      matches: ({ n }) => n !== undefined && n >= first && n <= last,
    };
  }
  if (kind <= 5) {
    const field = random.pick(FACETS);
    const paths = Array.from({ length: 1 + random.below(3) }, () => documents.path(field));
    return {
      query: { kind: "facet", field, paths },
      matches: (document) =>
        pathsOf(field)(document).some((own) =>
          paths.some((path) => own === path || own.startsWith(`${path}/`)),
        ),
    };
  }
  const parts = Array.from({ length: 2 + random.below(2) }, () => askFor(random, documents, depth - 1));
  if (kind === 6) {
    const clauses = parts.map(({ query }) => ({ occur: "should", query }) as const);
    return {
      query: { kind: "boolean", clauses },
      matches: (document) => parts.some(({ matches }) => matches(document)),
    };
  }
  const occurs = parts.map((_, i) =>
    i === 0 ? "must" : random.pick(["must", "filter", "must_not"] as const),
  );
  return {
    query: { kind: "boolean", clauses: parts.map(({ query }, i) => ({ occur: occurs[i]!, query })) },
    matches: (document) => parts.every(({ matches }, i) => matches(document) === (occurs[i] !== "must_not")),
  };
}

class DrawnDocuments {
  readonly #random: SeededRandom;
  readonly #breadth: number;
  readonly #depthMax: number;
  readonly #wide: number;
  /** Documents that are added at once, at most. */
  readonly partMax: number;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#breadth = random.pick([1, 3, 20]);
    this.#depthMax = random.pick([1, 3, 3, 12]);
    this.partMax = random.pick([5, 60, 60, 300, 1200]);
    // So many that they are neither ranked nor put in order by kernels.
    this.#wide = this.partMax === 1200 ? 20_000 : random.pick([30, 1000]);
  }

  draw(count: number): Drawn[] {
    return Array.from({ length: count }, () => this.#document());
  }

  path(field: (typeof FACETS)[number]): string {
    const random = this.#random;
    if (field === "wide") {
      const number = random.below(this.#wide);
      return `/w${number % 7}/${number % 90}/${number}`.slice(0, random.pick([3, 12, 12, 12]));
    }
    let path = "";
    for (let level = random.below(this.#depthMax); level >= 0; level--)
      path += `/${random.pick(NAMES)}${random.below(this.#breadth)}`;
    return path;
  }

  #document(): Drawn {
    const random = this.#random;
    // The later the word, the rarer.
    const words = Array.from({ length: WORDS }, (_, word) =>
      random.below(3 ** word) === 0 ? `w${word}` : "x",
    );
    const lists = (field: (typeof FACETS)[number], count: number): readonly string[] | undefined =>
      count === 0 ? undefined : Array.from({ length: count }, () => this.path(field));
    const topics = lists("topics", random.pick([0, 1, 1, 2, 3, 9]));
    const place = random.below(4) === 0 ? undefined : this.path("place");
    const wide = lists("wide", random.below(4));
    const n = random.below(5) === 0 ? undefined : random.below(NUMBERS);
    return {
      body: words.join(" "),
      ...(topics === undefined ? {} : { topics }),
      ...(place === undefined ? {} : { place }),
      kind: [this.path("kind")],
      ...(wide === undefined ? {} : { wide }),
      ...(n === undefined ? {} : { n }),
    };
  }
}
