import Type from "typebox";
import { memberAt } from "../../contract/nested-fields.js";
import { FindlingError } from "../../errors/index.js";
import { writeJson } from "../../json/exact-json.js";
import type { ApiCall } from "../api-call.js";
import { cutDocument, cutText } from "../cut-document.js";
import { DOCUMENTS_ARE_DATA, type Tool } from "../tool.js";

const LIMIT_DEFAULT = 5;
const LIMIT_MAX = 20;
const OFFSET_MAX = 1_000;
/** Characters of one value of a hit, and of all hits together. */
const VALUE_MAX = 300;
const HITS_LENGTH_MAX = 24_000;
/** Characters around what matched in a text. */
const FRAGMENT_SIZE = 240;

interface Hit {
  readonly doc: Readonly<Record<string, unknown>>;
  readonly document_id: string;
  readonly score: number;
  readonly source_index: string;
  readonly highlights?: Readonly<Record<string, readonly string[]>>;
}

interface SearchAnswer {
  readonly count: number;
  readonly hits: readonly Hit[];
}

export const SEARCH_TOOL: Tool = {
  name: "search",
  title: "Search",
  description:
    'Finds documents in an index (or in a federation, several indexes as one). Mode `fuzzy` forgives typos; `exact` takes the query language: `title:"red shoes" AND price:[10 TO 50]`; `dynamic` is both, the exact matches first. `describe_index` says which fields there are. Long values are cut, and `cut` says how long they are; `get_document` shows them. Cite hits by `citation`.',
  writes: false,
  input: Type.Object(
    {
      index: Type.Optional(Type.String({ description: "Name of an index." })),
      federation: Type.Optional(Type.String({ description: "Name of a federation, in place of `index`." })),
      query: Type.String({ description: "What to search for; `*` in mode `exact` is everything." }),
      mode: Type.Optional(
        Type.Union([Type.Literal("fuzzy"), Type.Literal("exact"), Type.Literal("dynamic")], {
          default: "fuzzy",
        }),
      ),
      filter: Type.Optional(
        Type.String({ description: "What every hit must match too, in the language of mode `exact`." }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0 })),
      fields: Type.Optional(
        Type.Array(Type.String(), { description: "Stored fields to show; all unless given." }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    notice: Type.String(),
    count: Type.Integer({ description: "All documents that match." }),
    hits: Type.Array(
      Type.Object({
        citation: Type.String({ description: "Index and id of the document." }),
        index: Type.String(),
        document_id: Type.String(),
        score: Type.Number(),
        document: Type.Record(Type.String(), Type.Unknown()),
        matches: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            description: "What matched, by field, with its surroundings.",
          }),
        ),
        cut: Type.Optional(
          Type.Record(Type.String(), Type.Integer(), {
            description: "Whole length of values that were cut.",
          }),
        ),
      }),
    ),
    hits_left_out: Type.Integer({
      description: "Hits of this page that would have made the answer too long.",
    }),
  }),

  async run(args, call) {
    const { count, hits } = await searched(args, call);
    const shown: unknown[] = [];
    let length = 0;
    for (const hit of hits) {
      const each = shownHit(hit);
      length += writeJson(each).length;
      if (length > HITS_LENGTH_MAX && shown.length > 0) break;
      shown.push(each);
    }
    return { notice: DOCUMENTS_ARE_DATA, count, hits: shown, hits_left_out: hits.length - shown.length };
  },
};

async function searched(args: Readonly<Record<string, unknown>>, call: ApiCall): Promise<SearchAnswer> {
  const {
    index,
    federation,
    query,
    mode = "fuzzy",
    filter,
    limit = LIMIT_DEFAULT,
    offset = 0,
    fields,
  } = args;
  if ((index === undefined) === (federation === undefined))
    throw new FindlingError("invalid_request", "give either 'index' or 'federation'");
  const clause = { [String(mode)]: { ctx: query } };
  const body = {
    query:
      filter === undefined
        ? clause
        : [
            { occur: "must", ...clause },
            { occur: "must", exact: { ctx: filter } },
          ],
    limit,
    offset,
    facets: false,
    highlight: { pre_tag: "", post_tag: "", fragment_size: FRAGMENT_SIZE, fragments: 1 },
    ...(fields === undefined ? {} : { fields }),
  };
  const answer =
    index === undefined
      ? await call("searchFederation", { parameters: { federation_name: String(federation) }, body })
      : await call("searchIndex", { parameters: { index_name: String(index) }, body });
  return answer as SearchAnswer;
}

function shownHit({ doc, document_id: id, score, source_index: index, highlights }: Hit): object {
  const matches = Object.entries(highlights ?? {}).flatMap(([field, [fragment]]) =>
    // A value that is shown whole says as much.
    fragment === undefined || isWhole(memberAt(doc, field))
      ? []
      : [[field, cutText(plain(fragment), VALUE_MAX)] as const],
  );
  return {
    citation: `${index}/${id}`,
    index,
    document_id: id,
    score,
    ...cutDocument(doc, VALUE_MAX),
    ...(matches.length === 0 ? {} : { matches: Object.fromEntries(matches) }),
  };
}

function isWhole(value: unknown): boolean {
  return typeof value === "string" && value.length <= VALUE_MAX;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Highlighted text is made for pages. */
function plain(fragment: string): string {
  return fragment.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!);
}
