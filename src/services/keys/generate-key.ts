const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const KEY_LENGTH = 40;

/** Bytes from here on are thrown away: with them, the first letters would come up more often. */
const USABLE_BYTES = 256 - (256 % ALPHABET.length);

/** A new key: forty random characters that are safe in a path (contract 2.1), 238 bits. */
export function generateKey(fillRandomly: (bytes: Uint8Array<ArrayBuffer>) => void = fillFromSystem): string {
  const bytes = new Uint8Array(KEY_LENGTH * 2);
  let key = "";
  while (key.length < KEY_LENGTH) {
    fillRandomly(bytes);
    for (let i = 0; i < bytes.length && key.length < KEY_LENGTH; i++) {
      if (bytes[i]! < USABLE_BYTES) key += ALPHABET[bytes[i]! % ALPHABET.length];
    }
  }
  return key;
}

function fillFromSystem(bytes: Uint8Array<ArrayBuffer>): void {
  crypto.getRandomValues(bytes);
}
