import { SchemaInference } from "../../src/cli/import/schema-inference.js";
import { readJson } from "../../src/client/exact-json.js";
import type { FieldDraft } from "../../src/client/index.js";

/** A file's records, as far as they can be read. */
export interface ReadFile {
  readonly name: string;
  readonly format: "JSON" | "NDJSON" | "CSV";
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly bad: readonly BadRecord[];
  /** What the documents look like. */
  readonly fields: Readonly<Record<string, FieldDraft>>;
}

export interface BadRecord {
  /** From 1. */
  readonly record: number;
  readonly problem: string;
}

/** Documents that are looked at to guess the schema. */
const INFERRED_FROM = 5_000;
/** Records between two breaths, so that the page stays awake. */
const AT_A_TIME = 5_000;

interface Records {
  readonly format: ReadFile["format"];
  readonly documents: Readonly<Record<string, unknown>>[];
  readonly bad: BadRecord[];
}

/** @throws Error if it is no text, or JSON that ends early */
export async function readFile(file: File): Promise<ReadFile> {
  const text = (await file.text()).replace(/^\uFEFF/, "");
  const start = text.trimStart()[0];
  const isCsv = /\.(csv|tsv)$/i.test(file.name) || (start !== "{" && start !== "[");
  const records = isCsv ? await readCsv(text) : start === "[" ? readArray(text) : await readLines(text);
  const inference = new SchemaInference({ areValuesText: isCsv });
  for (const document of records.documents.slice(0, INFERRED_FROM)) inference.add(document);
  return { name: file.name, ...records, fields: inference.result("").index.fields };
}

function readArray(text: string): Records {
  const values = readJson(text) as unknown[];
  const documents: Record<string, unknown>[] = [];
  const bad: BadRecord[] = [];
  for (const [at, value] of values.entries()) {
    if (isObject(value)) documents.push(value);
    else bad.push({ record: at + 1, problem: "a document must be a JSON object" });
  }
  return { format: "JSON", documents, bad };
}

async function readLines(text: string): Promise<Records> {
  // One object over several lines is a file as well.
  const whole = parsed(text);
  if (isObject(whole)) return { format: "JSON", documents: [whole], bad: [] };
  const documents: Record<string, unknown>[] = [];
  const bad: BadRecord[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (at % AT_A_TIME === AT_A_TIME - 1) await breath();
    if (line.trim() === "") continue;
    try {
      const value: unknown = readJson(line);
      if (isObject(value)) documents.push(value);
      else bad.push({ record: at + 1, problem: "a document must be a JSON object" });
    } catch (error) {
      bad.push({ record: at + 1, problem: (error as Error).message });
    }
  }
  return { format: "NDJSON", documents, bad };
}

async function readCsv(text: string): Promise<Records> {
  const { default: Papa } = await import("papaparse");
  const { data, errors } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: "greedy",
    transformHeader: fieldName,
  });
  const problems = new Map(errors.map(({ row = 0, message }) => [row, message]));
  const documents: Record<string, unknown>[] = [];
  for (const [at, row] of data.entries()) {
    if (problems.has(at)) continue;
    documents.push(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== "")));
  }
  const bad = [...problems].map(([row, problem]) => ({ record: row + 1, problem }));
  return { format: "CSV", documents, bad };
}

/** A column's name as a field may be named. */
function fieldName(column: string, position: number): string {
  const name = column.trim().replace(/[^A-Za-z0-9_-]/g, "_");
  if (name === "" || name === "_id") return `column_${position + 1}`;
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
