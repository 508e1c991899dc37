import type { HitPosition } from "../../ports/search-backend.js";

const ID_BYTES = 16;

/** 16 bytes take 22 letters of base64 in the alphabet for URLs; a position may have a key: the last hit's values. */
const TOKEN = /^([A-Za-z0-9_-]{22})\.([0-9a-z]{1,10})(?:\.([A-Za-z0-9_-]{1,100000}))?$/;

/** A cursor's name that nobody can guess: 128 random bits. */
export function generateCursorId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** What a client sends back: the cursor, and the position of the first hit that it hasn't got yet. */
export function formatCursorToken(id: string, { offset, key }: HitPosition): string {
  return `${id}.${offset.toString(36)}${key === "" ? "" : `.${key}`}`;
}

/** Null if it isn't a token. */
export function parseCursorToken(
  token: string,
): { readonly id: string; readonly position: HitPosition } | null {
  const match = TOKEN.exec(token);
  if (match === null) return null;
  const [, id, offset, key = ""] = match;
  return { id: id!, position: { offset: Number.parseInt(offset!, 36), key } };
}
