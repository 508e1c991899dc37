/** A document as it came. */
export type JsonObject = Readonly<Record<string, unknown>>;
