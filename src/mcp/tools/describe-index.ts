import Type from "typebox";
import { memberAt } from "../../contract/nested-fields.js";
import { FindlingError } from "../../errors/index.js";
import type { ApiCall } from "../api-call.js";
import { cutDocument } from "../cut-document.js";
import { DOCUMENTS_ARE_DATA, quoted, type Tool } from "../tool.js";

/** Documents that are looked at where the key may not see the index's settings. */
const SAMPLE = 20;
const FIELDS_MAX = 200;
/** Values of a facet field that are shown, the most frequent ones. */
const FACET_VALUES = 10;
/** Characters of an example's values. */
const EXAMPLE_LENGTH = 120;

interface Field {
  readonly name: string;
  readonly type: string;
  readonly searched_without_naming_it: boolean;
}

interface IndexView {
  readonly fields: Readonly<Record<string, { readonly type: string; readonly indexed: boolean }>>;
  readonly search_fields: readonly string[];
  readonly language?: string;
}

interface Sample {
  readonly count: number;
  readonly hits: readonly { readonly doc: Readonly<Record<string, unknown>> }[];
  readonly facets?: readonly Readonly<
    Record<string, readonly { readonly path: string; readonly count: number }[]>
  >[];
}

const field = Type.Object({
  name: Type.String(),
  type: Type.String({ description: "`unknown` where the access key may not see the index's settings." }),
  searched_without_naming_it: Type.Boolean(),
});

export const DESCRIBE_INDEX_TOOL: Tool = {
  name: "describe_index",
  title: "Describe an index",
  description:
    "Says which fields an index has, the most frequent values of its facets, how a document looks, and queries that work there.",
  writes: false,
  input: Type.Object(
    { index: Type.String({ description: "Name of an index." }) },
    { additionalProperties: false },
  ),
  output: Type.Object({
    notice: Type.String(),
    index: Type.String(),
    documents: Type.Integer(),
    language: Type.Optional(Type.String()),
    fields: Type.Array(field),
    fields_left_out: Type.Integer(),
    facets: Type.Record(
      Type.String(),
      Type.Array(Type.Object({ value: Type.String(), documents: Type.Integer() })),
    ),
    example: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    queries: Type.Array(Type.Object({ mode: Type.String(), query: Type.String(), finds: Type.String() })),
  }),

  async run({ index }, call) {
    const name = String(index);
    const sample = await sampleOf(name, call);
    const view = await viewOf(name, call);
    const fields = view === null ? fieldsOfSample(sample) : fieldsOf(view);
    const facets = facetsOf(sample);
    const example = sample.hits[0]?.doc;
    return {
      notice: DOCUMENTS_ARE_DATA,
      index: name,
      documents: sample.count,
      ...(view?.language === undefined ? {} : { language: view.language }),
      fields: fields.slice(0, FIELDS_MAX),
      fields_left_out: Math.max(0, fields.length - FIELDS_MAX),
      facets,
      example: example === undefined ? null : cutDocument(example, EXAMPLE_LENGTH).document,
      queries: [...textQueries(fields, example), ...facetQueries(facets), ...numberQueries(fields, example)],
    };
  },
};

async function sampleOf(index: string, call: ApiCall): Promise<Sample> {
  const body = { query: { exact: { ctx: "*" } }, limit: SAMPLE };
  return (await call("searchIndex", { parameters: { index_name: index }, body })) as Sample;
}

/** Null where the key may not see it. */
async function viewOf(index: string, call: ApiCall): Promise<IndexView | null> {
  try {
    return (await call("getIndex", { parameters: { index_name: index } })) as IndexView;
  } catch (error) {
    if (error instanceof FindlingError && error.code === "insufficient_permissions") return null;
    throw error;
  }
}

function fieldsOf({ fields, search_fields: searchFields }: IndexView): Field[] {
  return Object.entries(fields)
    .filter(([, { indexed }]) => indexed)
    .map(([name, { type }]) => ({ name, type, searched_without_naming_it: searchFields.includes(name) }));
}

function fieldsOfSample({ hits }: Sample): Field[] {
  const names = new Set(hits.flatMap(({ doc }) => Object.keys(doc)));
  return [...names].map((name) => ({ name, type: "unknown", searched_without_naming_it: false }));
}

type Facets = Readonly<Record<string, readonly { readonly value: string; readonly documents: number }[]>>;

function facetsOf({ facets = [] }: Sample): Facets {
  const entries = facets.flatMap((each) => Object.entries(each));
  return Object.fromEntries(
    entries.map(([name, nodes]) => [
      name,
      nodes.slice(0, FACET_VALUES).map(({ path, count }) => ({ value: path, documents: count })),
    ]),
  );
}

interface ExampleQuery {
  readonly mode: string;
  readonly query: string;
  readonly finds: string;
}

type Document = Readonly<Record<string, unknown>>;

function textQueries(fields: readonly Field[], example: Document = {}): ExampleQuery[] {
  for (const { name } of fields) {
    const value = memberAt(example, name);
    const words = typeof value === "string" ? wordsOf(value) : [];
    if (name === "id" || words.length === 0) continue;
    const text = words.slice(0, 2).join(" ");
    return [
      { mode: "fuzzy", query: text, finds: "documents with these words, typos allowed" },
      { mode: "exact", query: `${name}:${quoted(text)}`, finds: `documents whose ${name} has this phrase` },
    ];
  }
  return [];
}

function facetQueries(facets: Facets): ExampleQuery[] {
  return Object.entries(facets).flatMap(([name, [first]]) =>
    first === undefined
      ? []
      : [{ mode: "exact", query: `${name}:${quoted(first.value)}`, finds: `documents in ${first.value}` }],
  );
}

function numberQueries(fields: readonly Field[], example: Document = {}): ExampleQuery[] {
  const numbers = fields.filter(({ type }) => ["u64", "i64", "f64"].includes(type));
  return numbers.slice(0, 2).flatMap(({ name }) => {
    const value = memberAt(example, name);
    return typeof value === "number"
      ? [
          {
            mode: "exact",
            query: `${name}:[${value} TO *]`,
            finds: `documents whose ${name} is at least ${value}`,
          },
        ]
      : [];
  });
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}
