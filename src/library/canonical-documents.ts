import type { CanonicalDocument } from "../contract/canonical-value.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { nearestNameAdvice } from "../contract/nearest-name.js";
import { describeKind } from "../contract/wire-object.js";
import { FindlingError } from "../errors/index.js";
import {
  DocumentNormalizer,
  NormalizationReport,
  type NormalizedChange,
} from "../intake/document-normalizer.js";

/** Brings documents that a program hands over into the form that the engine keeps. */
export class CanonicalDocuments {
  readonly #normalizer: DocumentNormalizer;
  readonly #names: readonly string[];

  constructor({ fields }: IndexSchema) {
    this.#normalizer = new DocumentNormalizer(fields);
    this.#names = Object.keys(fields);
  }

  /** @throws FindlingError `invalid_document` naming each place that doesn't fit */
  of(documents: unknown): readonly CanonicalDocument[] {
    const isOne = !Array.isArray(documents) && typeof documents === "object" && documents !== null;
    const list: unknown = isOne ? [documents] : documents;
    if (!Array.isArray(list))
      throw new FindlingError(
        "invalid_document",
        `documents must be an object, or a list of them, not ${describeKind(documents)}`,
      );
    const report = new NormalizationReport();
    const canonical = list.map((document: unknown, i) => {
      const path = isOne ? "" : `[${i}]`;
      return report.isFull
        ? {}
        : this.#normalizer.normalize(this.#read(document, path, report), path, report);
    });
    requireSound(report);
    return canonical;
  }

  /** @throws FindlingError `invalid_document` naming each member that doesn't fit */
  changeOf(members: unknown): NormalizedChange {
    if (typeof members !== "object" || members === null || Array.isArray(members))
      throw new FindlingError(
        "invalid_document",
        `what is to be changed must be an object, not ${describeKind(members)}`,
      );
    const report = new NormalizationReport();
    const written = this.#read(members, "", report) as Readonly<Record<string, unknown>>;
    const change = this.#normalizer.normalizeChange(written, "the change", report);
    requireSound(report);
    return change;
  }

  /** The document with JSON's values in place of JavaScript's own; members that the schema lacks are problems. */
  #read(document: unknown, path: string, report: NormalizationReport): unknown {
    if (typeof document !== "object" || document === null || Array.isArray(document)) return document;
    let isPlain = true;
    for (const [name, value] of Object.entries(document)) {
      if (typeof value === "object" || typeof value === "bigint") isPlain &&= isJson(value);
      if (this.#names.includes(name) || value === undefined || value === null) continue;
      const place = path === "" ? name : `${path}.${name}`;
      report.problem(place, `is in no field of the schema${nearestNameAdvice(name, this.#names)}`);
    }
    if (isPlain) return document;
    return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, asJson(value)]));
  }
}

function isJson(value: unknown): boolean {
  return (
    typeof value !== "bigint" && !(value instanceof Date) && !(Array.isArray(value) && !value.every(isJson))
  );
}

function asJson(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : value.toISOString();
  return Array.isArray(value) ? value.map(asJson) : value;
}

function requireSound({ problems }: NormalizationReport): void {
  const [first] = problems;
  if (first !== undefined) throw new FindlingError("invalid_document", first.message, { items: problems });
}
