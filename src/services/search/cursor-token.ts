const ID_BYTES = 16;

/** 16 bytes take 22 letters of base64 in the alphabet for URLs. */
const TOKEN = /^([A-Za-z0-9_-]{22})\.([0-9a-z]{1,10})$/;

/** A cursor's name that nobody can guess: 128 random bits. */
export function generateCursorId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** What a client sends back: the cursor, and the place of the first hit that it hasn't got yet. */
export function formatCursorToken(id: string, position: number): string {
  return `${id}.${position.toString(36)}`;
}

/** Null if it isn't a token. */
export function parseCursorToken(token: string): { readonly id: string; readonly position: number } | null {
  const match = TOKEN.exec(token);
  return match === null ? null : { id: match[1]!, position: Number.parseInt(match[2]!, 36) };
}
