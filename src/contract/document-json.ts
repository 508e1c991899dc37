const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The text of a document's JSON in UTF-8. */
export function textOfJson(json: Uint8Array): string {
  return decoder.decode(json);
}

/** What a document's JSON in UTF-8 says. */
export function parsedDocument(json: Uint8Array): Record<string, unknown> {
  return JSON.parse(textOfJson(json)) as Record<string, unknown>;
}

/** A document's JSON text in UTF-8. */
export function bytesOfJson(json: string): Uint8Array {
  return encoder.encode(json);
}
