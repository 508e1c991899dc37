import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { SealedSecret } from "../../contract/ai-config.js";
import type { SecretKey } from "./secret-key.js";

/**
 * A sealed secret is AES-256-GCM (NIST SP 800-38D) over the secret's UTF-8, as text:
 *
 *     v1.<key id, 16 hex digits>.<nonce, 12 bytes>.<ciphertext, then the tag of 16 bytes>
 *
 * nonce and ciphertext in base64url without padding. The nonce is drawn anew for every value. Version,
 * key id and place are authenticated with it, so that what was sealed for one place opens nowhere else.
 */
const FORM = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;
const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Where a secret belongs. Indexes can't be renamed, and a key's id never changes, so it stays there for life. */
export type SecretPlace =
  | {
      readonly index: string;
      /** Dotted, such as `ai.llm_api_key`. */
      readonly member: string;
    }
  | {
      /** The id of an access key, whose value is the secret. */
      readonly accessKey: string;
    };

export function sealSecret(secret: string, place: SecretPlace, { id, key }: SecretKey): SealedSecret {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(place, id));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { sealed: `v1.${id}.${nonce.toString("base64url")}.${sealed.toString("base64url")}` };
}

/** The id of the key that it was sealed with; undefined if the form is not one this version knows. */
export function keyIdOf({ sealed }: SealedSecret): string | undefined {
  return FORM.exec(sealed)?.[1];
}

/** Undefined if it is damaged, sealed for another place, or sealed with other bytes than the key's. */
export function openSecret(
  { sealed }: SealedSecret,
  place: SecretPlace,
  { id, key }: SecretKey,
): string | undefined {
  const [, keyId, nonceText, sealedText] = FORM.exec(sealed) ?? [];
  if (keyId !== id || nonceText === undefined || sealedText === undefined) return undefined;
  const bytes = Buffer.from(sealedText, "base64url");
  // Characters may differ in bits that no byte comes from.
  if (bytes.toString("base64url") !== sealedText) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(nonceText, "base64url"), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(associatedData(place, id));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** JSON, so that no two places are the same text. */
function associatedData(place: SecretPlace, keyId: string): Buffer {
  const parts =
    "index" in place
      ? ["findling secret", "v1", keyId, place.index, place.member]
      : ["findling access key", "v1", keyId, place.accessKey];
  return Buffer.from(JSON.stringify(parts), "utf8");
}
