import Type, { type TSchema } from "typebox";
import type { FederatedIndex, Federation } from "./federation.js";
import { foreignId } from "./foreign-id.js";
import { schemaOf, type WireSchema } from "./wire-schema.js";

/** A federation as a caller defines it: after the quirks of the body are settled, before defaults and rules. */
export interface FederationDraft {
  /** `PUT` takes it from the path. */
  readonly name?: string;
  readonly friendly_name?: string;
  readonly index_configurations: readonly FederatedIndexDraft[];
  readonly organization_id?: number | string;
  readonly created_by?: number | string;
  readonly last_modified_by?: number | string;
}

export interface FederatedIndexDraft {
  readonly name: string;
  /** Default 1. */
  readonly weight_multiplier?: number;
}

export interface FederationStats {
  readonly federation_name: string;
  /** Committed documents of all its indexes. */
  readonly num_docs: number;
  /** In the federation's order; a deleted index counts 0. */
  readonly indices: readonly FederatedIndexStats[];
}

export interface FederatedIndexStats {
  readonly index_name: string;
  readonly num_docs: number;
  /** Bytes on disk. */
  readonly space_usage: number;
}

const weight = Type.Number({
  minimum: 0,
  maximum: 100,
  description: "Times this the scores of the index's hits count. Default 1.",
});

const EXAMPLE_MEMBERS = [
  { name: "books", weight_multiplier: 2 },
  { name: "films", weight_multiplier: 1 },
];

export const federationBodySchema: WireSchema<FederationDraft> = schemaOf<FederationDraft>()(
  Type.Object(
    {
      name: Type.Optional(Type.String({ description: "Required in POST." })),
      friendly_name: Type.Optional(Type.String({ description: "Default: the name." })),
      index_configurations: Type.Array(
        Type.Object({ name: Type.String(), weight_multiplier: Type.Optional(weight) }),
        { minItems: 1, description: "Existing indexes, each once. Their order decides ties." },
      ),
      organization_id: Type.Optional(foreignId),
      created_by: Type.Optional(foreignId),
      last_modified_by: Type.Optional(foreignId),
    },
    { examples: [{ name: "library", index_configurations: EXAMPLE_MEMBERS }] },
  ),
);

export const federationSchema: TSchema = schemaOf<Federation>()(
  Type.Object(
    {
      name: Type.String(),
      friendly_name: Type.String(),
      created_at: Type.String(),
      created_by: Type.Optional(Type.String()),
      last_modified: Type.String(),
      last_modified_by: Type.Optional(Type.String()),
      organization_id: Type.Optional(Type.String()),
      index_configurations: Type.Array(
        Type.Unsafe<FederatedIndex>(Type.Object({ name: Type.String(), weight_multiplier: weight })),
      ),
    },
    {
      examples: [
        {
          name: "library",
          friendly_name: "Library",
          created_at: "2025-01-01T00:00:00.123000Z",
          last_modified: "2025-01-01T00:00:00.123000Z",
          index_configurations: EXAMPLE_MEMBERS,
        },
      ],
    },
  ),
);

export const federationListSchema: TSchema = Type.Array(federationSchema);

export const federationStatsSchema: TSchema = schemaOf<FederationStats>()(
  Type.Object(
    {
      federation_name: Type.String(),
      num_docs: Type.Integer({ description: "Committed documents of all its indexes." }),
      indices: Type.Array(
        Type.Object({
          index_name: Type.String(),
          num_docs: Type.Integer({ description: "0 if the index has been deleted." }),
          space_usage: Type.Integer({ description: "Bytes on disk." }),
        }),
      ),
    },
    {
      examples: [
        {
          federation_name: "library",
          num_docs: 350,
          indices: [
            { index_name: "books", num_docs: 100, space_usage: 20480 },
            { index_name: "films", num_docs: 250, space_usage: 51200 },
          ],
        },
      ],
    },
  ),
);
