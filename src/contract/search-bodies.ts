import Type, { type TSchema } from "typebox";
import { CURSOR_BODY_SCHEMA } from "./cursor.js";
import { IGNORED_MEMBERS_SCHEMA } from "./ignored-members.js";
import { ORDER_KEYS_MAX } from "./order-key.js";
import { SEARCH_PHASES } from "./search.js";
import { SEARCH_EXTENSION_MEMBERS } from "./search-extensions.js";

const orderBy = Type.Optional(
  Type.Union(
    [
      Type.String(),
      Type.Array(
        Type.Union([
          Type.String(),
          Type.Object({ field: Type.String(), sort: Type.Optional(Type.Enum(["asc", "desc"])) }),
        ]),
        { maxItems: ORDER_KEYS_MAX },
      ),
    ],
    {
      description:
        "A field to order by; scores are then 1. Extension: a list of `price`, `price:asc` or objects, ties by the next entry; `_score` stands for relevance, and scores are then computed.",
    },
  ),
);

const asYouType = Type.Optional(
  Type.Boolean({
    description:
      "Extension. The last word is still being typed: it stands for every word that begins like it, typos allowed.",
  }),
);
const typedMode = Type.Object({ ctx: Type.String(), as_you_type: asYouType });
const fuzzyMode = Type.Object({
  ctx: Type.String(),
  as_you_type: asYouType,
  match: Type.Optional(
    Type.Enum(["any", "all"], {
      description: "Extension. `all`: only documents match that hold every word. Default `any`.",
    }),
  ),
});
const occur = Type.Optional(Type.Enum(["should", "must"]));

/** One clause: exactly one of the three modes. */
const clause = Type.Object(
  {
    fuzzy: Type.Optional(fuzzyMode),
    exact: Type.Optional(typedMode),
    dynamic: Type.Optional(typedMode),
    occur,
  },
  { description: "Exactly one of `fuzzy`, `exact` and `dynamic`, and whether it must match." },
);

const query = Type.Union([clause, Type.Array(clause, { minItems: 1 }), Type.String()], {
  description:
    "One clause, several (at most 64 unless the server is set otherwise), or plain text, which is short for a fuzzy clause.",
});

/** What a search is by the specification. */
export const searchBodyMembers: Readonly<Record<string, TSchema>> = {
  query,
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "Default 20, at most 200 unless the server is set otherwise. 0 asks for count and facets only.",
    }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: "Default 0." })),
  order_by: orderBy,
  sort: Type.Optional(Type.String({ description: "`asc` or `desc` (default); also `field:asc`." })),
  minimum_number_should_match: Type.Optional(Type.Integer({ minimum: 0 })),
  occur,
};

const firstSearchBody = Type.Object(
  { ...searchBodyMembers, ...SEARCH_EXTENSION_MEMBERS },
  {
    examples: [
      { query: { fuzzy: { ctx: "human wrld" } } },
      {
        query: [
          { occur: "must", exact: { ctx: "active:true AND category:/fiction" } },
          { fuzzy: { ctx: "space" } },
        ],
        limit: 10,
      },
    ],
  },
);

export const searchBodySchema: TSchema = Type.Union([firstSearchBody, CURSOR_BODY_SCHEMA]);

export const deleteByQueryBodySchema: TSchema = Type.Object(
  { query },
  { examples: [{ query: { exact: { ctx: "id:123" } } }] },
);

// Not a recursive schema: OpenAPI tools stumble over those, and a reader understands the sentence.
const facetNode = Type.Object({
  path: Type.String(),
  count: Type.Integer({ description: "Matching documents at or under the path." }),
  children: Type.Optional(
    Type.Array(Type.Object({}, { additionalProperties: true }), { description: "Nodes of this same shape." }),
  ),
});

export const searchAnswerSchema: TSchema = Type.Object(
  {
    hits: Type.Array(
      Type.Object({
        doc: Type.Record(Type.String(), Type.Unknown(), { description: "The stored fields." }),
        document_id: Type.String(),
        score: Type.Number(),
        source_index: Type.String(),
        highlights: Type.Optional(
          Type.Record(Type.String(), Type.Array(Type.String()), { description: "Only with `highlight`." }),
        ),
        version: Type.Optional(
          Type.String({ description: "If asked for: another one whenever the document has changed." }),
        ),
        explanation: Type.Optional(
          Type.Object(
            {
              value: Type.Number(),
              description: Type.String(),
              details: Type.Array(Type.Object({}, { additionalProperties: true })),
            },
            { description: "Only with `explain`; `details` are nodes of this same shape." },
          ),
        ),
      }),
    ),
    count: Type.Integer({ description: "All matches, not the page." }),
    time_taken: Type.Number({ description: "Seconds." }),
    cursor: Type.Optional(
      Type.String({ description: "Only with `cursor`, and as long as more hits follow." }),
    ),
    profile: Type.Optional(
      Type.Object(
        {
          phases: Type.Array(
            Type.Object({
              name: Type.Enum([...SEARCH_PHASES], {
                description:
                  "`read` the body, `compile` the query, `wait` for a thread, `match` and rank and count facets, read `documents`, `show` them: highlights, explanations, fields.",
              }),
              ms: Type.Number({ minimum: 0 }),
            }),
          ),
        },
        { description: "Only with `profile`." },
      ),
    ),
    facets: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Array(facetNode)), {
        description: "One element for each facet field, with exactly one member.",
      }),
    ),
    ignored_members: IGNORED_MEMBERS_SCHEMA,
    left_out: Type.Optional(
      Type.Array(Type.Object({ index: Type.String(), reason: Type.String() }), {
        description:
          "Extension, of federations. Indexes that aren't searched, as their values of `order_by` can't be compared with the others'; absent where there are none.",
      }),
    ),
  },
  {
    examples: [
      {
        hits: [
          {
            doc: { id: "1", title: "Human World" },
            document_id: "9f2c3f0d6a5b4c1e8d7f6a5b4c3d2e1f",
            score: 4.27,
            source_index: "books",
          },
        ],
        count: 137,
        time_taken: 0.000734112,
        facets: [
          { category: [{ path: "/fiction", count: 12, children: [{ path: "/fiction/space", count: 4 }] }] },
        ],
      },
    ],
  },
);
