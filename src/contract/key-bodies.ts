import Type, { type TSchema } from "typebox";
import type { AccessKey } from "./access-key.js";
import { foreignId } from "./foreign-id.js";
import { schemaOf, type WireSchema } from "./wire-schema.js";

/** What a caller may set of a key (contract 2.5); `POST /auth/key` requires `permissions`. */
export interface KeyDraft {
  readonly name?: string;
  readonly permissions?: number;
  readonly allowed_indexes?: readonly string[];
  readonly status?: "active" | "inactive";
  readonly organization_id?: number | string;
  readonly organization_name?: string;
  readonly application_id?: number | string;
  readonly application_name?: string;
  readonly federation_name?: string;
  /** RFC 3339 with a zone, `YYYY-MM-DD` or Unix seconds; null takes the expiry away. */
  readonly expires_at?: string | number | null;
}

const properties = {
  name: Type.Optional(Type.String()),
  permissions: Type.Integer({
    minimum: 1,
    maximum: 127,
    description:
      "Bit mask: 1 search, 2 ingest, 4 update index, 8 modify auth, 16 modify index, 32 admin, 64 summaries. Usual: 1 read, 15 ingest, 63 admin.",
  }),
  allowed_indexes: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: "Index names; `*` is all of them." }),
  ),
  status: Type.Optional(Type.Enum(["active", "inactive"])),
  organization_id: Type.Optional(foreignId),
  organization_name: Type.Optional(Type.String()),
  application_id: Type.Optional(foreignId),
  application_name: Type.Optional(Type.String()),
  federation_name: Type.Optional(Type.String({ description: "Ties a read key to a federation." })),
};

/** An extension. */
const expiry = {
  expires_at: Type.Optional(
    Type.Union([Type.String(), Type.Number(), Type.Null()], {
      description:
        "Extension: when the key stops letting anybody in: RFC 3339 with a zone, `YYYY-MM-DD` (midnight UTC) or Unix seconds; null for never.",
    }),
  ),
};

export const keyCreateBodySchema: TSchema = Type.Object(
  { ...properties, ...expiry },
  {
    examples: [{ name: "shop window", permissions: 1, allowed_indexes: ["books"] }],
  },
);

export const keyUpdateBodySchema: WireSchema<KeyDraft> = schemaOf<KeyDraft>()(
  Type.Object(
    { ...properties, ...expiry, permissions: Type.Optional(properties.permissions) },
    { examples: [{ status: "inactive" }] },
  ),
);

export const accessKeySchema: TSchema = schemaOf<AccessKey>()(
  Type.Object({
    ...properties,
    key: Type.String({
      description:
        "Forty characters from A-Z, a-z and 0-9; `********` and the last four for callers that don't hold all the rights of the key, `********` where it can't be decrypted.",
    }),
    id: Type.String({
      description: "16 hex digits that stand for the key in paths and usage events, and let nobody in.",
    }),
    name: Type.String(),
    allowed_indexes: Type.Array(Type.String()),
    status: Type.Enum(["active", "inactive"]),
    expires_at: Type.Optional(
      Type.String({
        description: "Extension: from then on the key lets nobody in; RFC 3339 in UTC, where it is set.",
      }),
    ),
    last_used_at: Type.Optional(
      Type.String({
        description:
          "Extension: when a request was let in by the key last, as far as this server knows; RFC 3339 in UTC, where it ever was.",
      }),
    ),
  }),
);

export const accessKeyListSchema: TSchema = Type.Array(accessKeySchema);
