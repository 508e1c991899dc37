import Type, { type TSchema } from "typebox";
import type { LlmProvider } from "./ai-config.js";
import { invalidMember } from "./invalid-member.js";
import { searchBodyMembers } from "./search-bodies.js";
import { asWireObject, describeKind, memberOf } from "./wire-object.js";
import { schemaOf } from "./wire-schema.js";

/** A document that a summary was made from. */
export interface SummarySource {
  readonly document_id: string;
  readonly source_index: string;
}

/** What a language model was asked for a summary, and what that cost. It holds no key. */
export interface SummaryModelCall {
  readonly provider: LlmProvider;
  readonly model: string;
  /** 0 to 1. */
  readonly temperature: number;
  /** The system prompt as it was sent. */
  readonly system: string;
  /** Topic, documents and instructions as they were sent. */
  readonly prompt: string;
  /** As the log has it: `done`, or the code of the error that ended the call. */
  readonly outcome: string;
  readonly attempts: number;
  /** Null where the provider doesn't tell. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** From the first attempt to the last word. */
  readonly duration_ms: number;
}

/** What the stream of a summary tells (contract 3.6): `metadata` first, `done` or `error` last. */
export type SummaryEvent =
  | {
      readonly name: "metadata";
      readonly data: { readonly results_count: number; readonly cached: boolean };
    }
  /** In order, together the text. */
  | { readonly name: "delta"; readonly data: { readonly content: string } }
  /** Extension, only if asked for, where a model was called: after the last `delta`. */
  | { readonly name: "model_call"; readonly data: SummaryModelCall }
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
 * Whether a summary's body asks for the event of this name.
 *
 * @throws FindlingError `invalid_request`
 */
export function wantsEvent(body: unknown, name: "sources" | "model_call"): boolean {
  const value = memberOf(asWireObject(body) ?? {}, name);
  if (value === undefined || typeof value === "boolean") return value ?? false;
  throw invalidMember(name, `must be true or false, not ${describeKind(value)}`);
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
    model_call: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Extension, for keys with the permission 4. A `model_call` event after the summary tells what the model was asked, and the tokens and milliseconds that it took.",
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
    "Events: `metadata` {results_count, cached} first; `delta` {content}, whose contents together are the summary (Markdown); `model_call` {provider, model, temperature, system, prompt, outcome, attempts, input_tokens, output_tokens, duration_ms} and `sources` {sources: [{document_id, source_index}]} if asked for; last `done` {results_count} or `error` {message}. Comments keep the connection open.",
  examples: [
    'event: metadata\ndata: {"results_count":3,"cached":false}\n\nevent: delta\ndata: {"content":"Hello"}\n\nevent: done\ndata: {"results_count":3}\n\n',
  ],
});
