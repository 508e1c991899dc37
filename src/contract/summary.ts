import Type, { type TSchema } from "typebox";
import { invalidMember } from "./invalid-member.js";
import { searchBodyMembers } from "./search-bodies.js";
import { asWireObject, describeKind, memberOf } from "./wire-object.js";
import { schemaOf } from "./wire-schema.js";

/** A document that a summary was made from. */
export interface SummarySource {
  readonly document_id: string;
  readonly source_index: string;
}

/** What the stream of a summary tells (contract 3.6): `metadata` first, `done` or `error` last. */
export type SummaryEvent =
  | {
      readonly name: "metadata";
      readonly data: { readonly results_count: number; readonly cached: boolean };
    }
  /** In order, together the text. */
  | { readonly name: "delta"; readonly data: { readonly content: string } }
  /** Extension, only if asked for, right before `done`. */
  | { readonly name: "sources"; readonly data: { readonly sources: readonly SummarySource[] } }
  | { readonly name: "done"; readonly data: { readonly results_count: number } }
  | { readonly name: "error"; readonly data: { readonly message: string } };

/** What of the AI features an index has. */
export interface Capabilities {
  readonly ai: {
    readonly enabled: boolean;
    readonly searchSummaryConfigured: boolean;
    readonly llmProviderConfigured: boolean;
    readonly llmModelConfigured: boolean;
  };
}

/**
 * Whether a summary's body asks for the `sources` event.
 *
 * @throws FindlingError `invalid_request`
 */
export function wantsSources(body: unknown): boolean {
  const value = memberOf(asWireObject(body) ?? {}, "sources");
  if (value === undefined || typeof value === "boolean") return value ?? false;
  throw invalidMember("sources", `must be true or false, not ${describeKind(value)}`);
}

export const capabilitiesSchema: TSchema = schemaOf<Capabilities>()(
  Type.Object(
    {
      ai: Type.Object({
        enabled: Type.Boolean({
          description: "`ai_enabled`; off, the others still tell what is configured.",
        }),
        searchSummaryConfigured: Type.Boolean(),
        llmProviderConfigured: Type.Boolean(),
        llmModelConfigured: Type.Boolean(),
      }),
    },
    {
      examples: [
        {
          ai: {
            enabled: true,
            searchSummaryConfigured: true,
            llmProviderConfigured: true,
            llmModelConfigured: true,
          },
        },
      ],
    },
  ),
);

export const summaryBodySchema: TSchema = Type.Object(
  {
    ...searchBodyMembers,
    fields: Type.Optional(
      Type.Array(Type.String(), { description: "Extension. Stored fields that the model sees." }),
    ),
    sources: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Extension. A `sources` event before `done` names the documents that were used.",
      }),
    ),
  },
  {
    description:
      "As in a search; how its hits would be shown (highlighting, facets and so on) has no effect.",
    examples: [{ query: { fuzzy: { ctx: "space travel" } } }],
  },
);

/** Documents the frames; a stream has no JSON body of its own. */
export const summaryStreamSchema: TSchema = Type.String({
  description:
    "Events: `metadata` {results_count, cached} first; `delta` {content}, whose contents together are the summary (Markdown); `sources` {sources: [{document_id, source_index}]} if asked for; last `done` {results_count} or `error` {message}. Comments keep the connection open.",
  examples: [
    'event: metadata\ndata: {"results_count":3,"cached":false}\n\nevent: delta\ndata: {"content":"Hello"}\n\nevent: done\ndata: {"results_count":3}\n\n',
  ],
});
