import type { SealedSecret, StoredAiConfig } from "../../contract/ai-config.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { keyIdOf, openSecret, sealSecret } from "./sealed-secret.js";
import type { SecretKey } from "./secret-key.js";
import type { SecretKeyRing } from "./secret-key-ring.js";

const LLM_API_KEY = "ai.llm_api_key";

/** A secret that can't be used, and why. */
export interface SecretProblem {
  readonly index: string;
  /** Catalog file that holds it. */
  readonly file: string;
  /** True where the bytes are not what was written; false where only the key is another one. */
  readonly isDamage: boolean;
  readonly problem: string;
}

/** Whether a secret is in plain text, as versions before encryption have stored it. */
export function hasPlainSecret({ schema, next_schema: next }: CatalogIndex): boolean {
  return [schema, next].some((each) => typeof each?.ai?.llm_api_key === "string");
}

/**
 * An index with every plain secret sealed; what is sealed already stays as it is. A key is made only where there is
 * something to encrypt.
 */
export async function withSealedSecrets(index: CatalogIndex, keys: SecretKeyRing): Promise<CatalogIndex> {
  if (!hasPlainSecret(index)) return index;
  const key = await keys.sealingKey();
  const { schema, next_schema: next } = index;
  return {
    ...index,
    schema: sealedSchema(schema, key),
    ...(next !== undefined && { next_schema: sealedSchema(next, key) }),
  };
}

function sealedSchema(schema: IndexSchema, key: SecretKey): IndexSchema {
  const secret = schema.ai?.llm_api_key;
  if (schema.ai === undefined || typeof secret !== "string") return schema;
  const sealed = sealSecret(secret, { index: schema.name, member: LLM_API_KEY }, key);
  return { ...schema, ai: { ...schema.ai, llm_api_key: sealed } };
}

/** What a search of an index's secrets needs to know. */
export interface SecretSource {
  readonly keys: SecretKeyRing;
  /** Catalog file that holds the secret, for messages. */
  readonly file: string;
}

/**
 * The key in an index's `ai`; undefined if it has none.
 *
 * @throws FindlingError `storage_unavailable` if it was sealed with a key that is not on the ring
 * @throws CorruptionError if it is damaged
 */
export function openLlmApiKey(
  index: string,
  { llm_api_key: secret }: StoredAiConfig,
  source: SecretSource,
): string | undefined {
  if (secret === undefined || typeof secret === "string") return secret;
  return open(secret, { index, member: LLM_API_KEY }, source);
}

function open(
  secret: SealedSecret,
  place: { readonly index: string; readonly member: string },
  { keys, file }: SecretSource,
): string {
  const { index, member } = place;
  const keyId = keyIdOf(secret);
  if (keyId === undefined) {
    throw new CorruptionError(
      file,
      `'${member}' of index '${index}' has a form that is not known to this version`,
    );
  }
  const key = keys.keyWithId(keyId);
  if (key === undefined) {
    throw new FindlingError(
      "storage_unavailable",
      `'${member}' of index '${index}' was encrypted with a secret key that is not at hand (id ${keyId}); give that one as FINDLING_SECRET_KEY or put its secret.key back, or set '${member}' anew`,
    );
  }
  const opened = openSecret(secret, place, key);
  if (opened === undefined) {
    throw new CorruptionError(
      file,
      `'${member}' of index '${index}' is damaged or was encrypted for another index; set it anew`,
    );
  }
  return opened;
}

/** Secrets of an index that can't be used as things are. */
export function secretProblemsOf(
  { schema, next_schema: next }: CatalogIndex,
  source: SecretSource,
): readonly SecretProblem[] {
  for (const { name, ai } of next === undefined ? [schema] : [schema, next]) {
    if (ai === undefined) continue;
    try {
      openLlmApiKey(name, ai, source);
    } catch (error) {
      if (!(error instanceof FindlingError)) throw error;
      const isDamage = error instanceof CorruptionError;
      return [{ index: name, file: source.file, isDamage, problem: error.message }];
    }
  }
  return [];
}
