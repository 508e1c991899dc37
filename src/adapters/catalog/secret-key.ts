import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

const KEY_BYTES = 32;
const HEX = /^[0-9A-Fa-f]{64}$/;
/** 32 bytes in either alphabet; the last character carries four bits only. */
const BASE64 = /^[A-Za-z0-9+/_-]{42}[AEIMQUYcgkosw048]=?$/;

/** What secrets are encrypted with. The bytes are in a `KeyObject`, which no log or error prints. */
export interface SecretKey {
  /** 16 hex digits that tell keys apart and say nothing about their bytes. */
  readonly id: string;
  readonly key: KeyObject;
}

/** @throws RangeError if it is not 32 bytes */
export function secretKeyOf(bytes: Uint8Array): SecretKey {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`a secret key has ${KEY_BYTES} bytes`);
  const id = createHmac("sha256", bytes).update("findling secret key id").digest("hex").slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}

/** A key written as 64 hex digits or as base64, of either alphabet, padded or not; else undefined. */
export function parseSecretKey(text: string): SecretKey | undefined {
  if (HEX.test(text)) return secretKeyOf(Buffer.from(text, "hex"));
  // Node reads both alphabets as one.
  if (BASE64.test(text)) return secretKeyOf(Buffer.from(text, "base64"));
  return undefined;
}
