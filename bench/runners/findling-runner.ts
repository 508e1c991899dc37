/** Findling's engine in the benchmark's line protocol (`bench/README.md`). */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import {
  type CanonicalDocument,
  defineSchema,
  FileDirectory,
  Index,
  type Query,
  TieredMergePolicy,
} from "../../src/engine/index.js";
import type { EngineCommand, RunAnswer } from "../engine-process.js";
import { lines, type WorkloadQuery, type WorkloadRow } from "../workload.js";

type Fields = readonly { readonly name: string; readonly weight: number }[];
type Ask = (query: WorkloadQuery) => { count: number; top: string[]; scores: number[] };

const DOCUMENTS_PER_WRITE = 1000;

let index: Index | null = null;
let fields: Fields = [];

async function build(input: string, named: Fields, folder: string): Promise<void> {
  const schema = defineSchema({
    id: "keyword",
    ...Object.fromEntries(named.map(({ name }) => [name, "text"] as const)),
    n: "u64",
    m: "u64",
    f: { kind: "facet", multi: true },
  });
  const directory = await FileDirectory.open(folder, { create: true });
  // As the peers do: a large buffer, one writer, and one segment in the end.
  const built = await Index.create(directory, schema, { memoryBudgetBytes: 512 << 20 });
  let batch: CanonicalDocument[] = [];
  for await (const line of lines(input)) {
    batch.push(toDocument(JSON.parse(line) as WorkloadRow, named));
    if (batch.length === DOCUMENTS_PER_WRITE) {
      await built.add(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await built.add(batch);
  await built.commit();
  await built.close();
  const merged = await Index.open(directory, {
    mergePolicy: new TieredMergePolicy({ segmentsPerTier: 2, floorBytes: 2 ** 40, maxMergedBytes: 2 ** 40 }),
  });
  await merged.merge();
  await merged.close();
}

function toDocument(row: WorkloadRow, named: Fields): CanonicalDocument {
  const document: Record<string, CanonicalDocument[string]> = { id: row.id };
  named.forEach(({ name }, i) => {
    document[name] = row.t[i]!;
  });
  document["n"] = row.n;
  document["m"] = row.m;
  if (row.f.length > 0) document["f"] = row.f;
  return document;
}

const term = (word: string): Query => anyField((field) => ({ kind: "term", field, term: word }));

function anyField(make: (field: string) => Query): Query {
  return {
    kind: "boolean",
    clauses: fields.map(({ name, weight }) => ({
      occur: "should",
      query: weight === 1 ? make(name) : { kind: "boost", query: make(name), factor: weight },
    })),
  };
}

function all(...queries: Query[]): Query {
  return { kind: "boolean", clauses: queries.map((query) => ({ occur: "must", query })) };
}

function filtered(query: Query, filter: Query): Query {
  return {
    kind: "boolean",
    clauses: [
      { occur: "must", query },
      { occur: "filter", query: filter },
    ],
  };
}

function any(terms: readonly string[], names: Fields): Query {
  return {
    kind: "boolean",
    clauses: terms.flatMap((word) =>
      names.map(({ name, weight }) => ({
        occur: "should" as const,
        query: {
          kind: "boost" as const,
          query: { kind: "term" as const, field: name, term: word },
          factor: weight,
        },
      })),
    ),
  };
}

function fuzzy(word: string, maxDistance: 1 | 2): Query {
  return {
    kind: "fuzzy",
    term: word,
    maxDistance,
    fields: fields.map(({ name, weight }) => ({ field: name, boost: weight })),
  };
}

function top(query: Query, k: number): ReturnType<Ask> {
  const result = index!.search({ query, offset: 0, limit: k });
  return {
    count: result.count,
    top: result.hits.map(({ json }) => (JSON.parse(json) as { id: string }).id),
    scores: result.hits.map(({ score }) => score),
  };
}

const KINDS: Readonly<Record<string, Ask>> = {
  term_high: ({ terms, k }) => top(term(terms[0]!), k),
  term_low: ({ terms, k }) => top(term(terms[0]!), k),
  and2: ({ terms, k }) => top(all(...terms.map(term)), k),
  or3: ({ terms, k }) => top(any(terms, fields), k),
  or3_nocount: ({ terms, k }) => ({ ...top(any(terms, fields), k), count: -1 }),
  or3_one: ({ terms, k }) => ({
    ...top(any(terms, [{ name: fields.at(-1)!.name, weight: 1 }]), k),
    count: -1,
  }),
  phrase: ({ terms, k }) =>
    top(
      anyField((field) => ({
        kind: "phrase",
        field,
        terms: terms.map((word, position) => ({ term: word, position })),
        slop: 0,
        lastIsPrefix: false,
      })),
      k,
    ),
  fuzzy1: ({ terms, k }) => top(fuzzy(terms[0]!, 1), k),
  fuzzy2: ({ terms, k }) => top(fuzzy(terms[0]!, 2), k),
  prefix: ({ terms, k }) =>
    top(
      anyField((field) => ({ kind: "prefix", field, prefix: terms[0]! })),
      k,
    ),
  filter: ({ terms, k, facet }) =>
    top(filtered(term(terms[0]!), { kind: "facet", field: "f", paths: [facet!] }), k),
  range: ({ terms, k, lo, hi }) =>
    top(
      filtered(term(terms[0]!), {
        kind: "value_range",
        field: "m",
        lower: { value: lo!, inclusive: true },
        upper: { value: hi!, inclusive: true },
      }),
      k,
    ),
  sort: ({ terms, k }) => {
    const result = index!.search({
      query: term(terms[0]!),
      offset: 0,
      limit: k,
      orderBy: [{ kind: "field", field: "n", descending: true }],
    });
    const ids = result.hits.map(({ json }) => (JSON.parse(json) as { id: string }).id);
    return { count: result.count, top: ids, scores: [] };
  },
  facet: ({ terms, k }) => {
    const result = index!.search({ query: term(terms[0]!), offset: 0, limit: k, facets: ["f"] });
    return { count: result.count, top: result.hits.map(({ documentId }) => documentId), scores: [] };
  },
};

function run(kind: string, queries: readonly WorkloadQuery[]): RunAnswer {
  const ask = KINDS[kind];
  const answer: Required<Omit<RunAnswer, "unsupported">> = { lat_us: [], counts: [], tops: [], scores: [] };
  if (ask === undefined) return { ...answer, unsupported: true };
  for (const query of queries) {
    const start = process.hrtime.bigint();
    const { count, top: ids, scores } = ask(query);
    answer.lat_us.push(Number(process.hrtime.bigint() - start) / 1000);
    answer.counts.push(count);
    answer.tops.push(ids);
    answer.scores.push(scores);
  }
  return answer;
}

async function answerTo(command: EngineCommand | { cmd: "quit" }): Promise<unknown> {
  switch (command.cmd) {
    case "info": {
      const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
        version: string;
      };
      return { engine: "findling", version: manifest.version };
    }
    case "build": {
      const start = performance.now();
      await build(command.input, command.fields, command.dir);
      const built = await Index.open(await FileDirectory.open(command.dir, { create: false }));
      const bytes = built.bytesOnDisk;
      await built.close();
      return { build_s: (performance.now() - start) / 1000, index_bytes: bytes };
    }
    case "open": {
      const start = performance.now();
      fields = command.fields;
      index = await Index.open(await FileDirectory.open(command.dir, { create: false }));
      return { open_s: (performance.now() - start) / 1000, segments: index.segmentCount };
    }
    case "run":
      return run(command.kind, command.queries);
    case "quit":
      await index?.close();
      return null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await answerTo(JSON.parse(line) as EngineCommand);
  if (answer === null) break;
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
