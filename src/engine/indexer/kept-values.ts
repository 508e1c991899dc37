import { readJson } from "../../json/exact-json.js";
import type { CanonicalDocument } from "../schema/document.js";

/** All values of a document, whether hits return them or not, from its two JSON texts. */
export function keptValues(stored: string, unstored: string): CanonicalDocument {
  const values = readJson(stored) as CanonicalDocument;
  return unstored === "{}" ? values : { ...values, ...(readJson(unstored) as CanonicalDocument) };
}
