import { writeJson } from "../../src/client/exact-json.js";
import type { IndexView } from "../../src/client/index.js";
import type { Document } from "../api/queries.js";

/** Fields that usually name a document. */
const TITLES = ["title", "name", "headline", "label", "subject", "product_name", "id"];
const BODIES = ["description", "summary", "text", "body", "content", "abstract", "subtitle", "title"];

/** Characters of a value that a list shows. */
const SHOWN_MAX = 300;

/** The field that a document is called by. */
export function titleField(doc: Document, view: IndexView | undefined): string | undefined {
  const has = (name: string): boolean => typeof doc[name] === "string" && doc[name] !== "";
  const suggested = view?.suggest_field;
  if (suggested !== undefined && has(suggested)) return suggested;
  return TITLES.find(has) ?? view?.search_fields.find(has) ?? Object.keys(doc).find(has);
}

/** The field that tells most of it. */
export function bodyField(doc: Document, title: string | undefined): string | undefined {
  return BODIES.find((name) => name !== title && typeof doc[name] === "string" && doc[name] !== "");
}

/** A value in one line. */
export function shownValue(value: unknown): string {
  const text =
    typeof value === "string"
      ? value
      : Array.isArray(value)
        ? value.slice(0, 20).map(plain).join(", ")
        : plain(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

function plain(value: unknown): string {
  return typeof value === "object" && value !== null ? writeJson(value) : String(value);
}
