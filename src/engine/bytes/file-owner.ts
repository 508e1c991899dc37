import { CorruptionError } from "../../errors/index.js";

/** Bytes that an owner takes in a file's head. */
export const OWNER_BYTES = 16;

/**
 * Whose a file is: 128 random bits, given once to each segment and to each index, as 32 hex digits. Files of one
 * name and shape are told apart by it, should a backup or a hand have put one in the place of another.
 */
export type FileOwner = string;

export function isFileOwner(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

export function newOwner(): FileOwner {
  return hexOf(crypto.getRandomValues(new Uint8Array(OWNER_BYTES)));
}

export function ownerBytes(owner: FileOwner): Uint8Array {
  return Uint8Array.from(owner.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

/** The owner in a file's head, at `at`. */
export function ownerAt(bytes: Uint8Array, at: number): FileOwner {
  return hexOf(bytes.subarray(at, at + OWNER_BYTES));
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Compares whose a file is with whose it should be; null: the file was written before files said so.
 *
 * @param kind what owners are, such as "segment"
 * @throws CorruptionError naming the file
 */
export function requireOwner(
  file: string,
  kind: string,
  found: FileOwner | null,
  expected: FileOwner | null,
): void {
  if (found === expected) return;
  throw new CorruptionError(
    file,
    found === null
      ? `it doesn't say which ${kind} it belongs to, though it should be one of ${kind} ${expected}`
      : `it belongs to another ${kind}: it is of ${found}, not of ${expected ?? "one that was written before files were bound"}; put back the file that was here`,
  );
}
