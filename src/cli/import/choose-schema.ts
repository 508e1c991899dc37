import { readFile } from "node:fs/promises";
import type { FieldDraft, IndexDraft, NamedIndexDraft } from "../../client/index.js";
import { isNestedTooDeep, JSON_DEPTH_MAX } from "../../contract/json-nesting.js";
import { CliError } from "../cli-error.js";
import { readProblem } from "../file-problem.js";
import { formatCount, formatCounted } from "../terminal/format-amount.js";
import { formatTable } from "../terminal/format-table.js";
import { type BadDocument, BadDocumentsError } from "./bad-documents-error.js";
import type { ImportRecord } from "./import-source.js";
import type { JsonObject } from "./json-object.js";
import { INFERENCE_DOCUMENTS, type InferredSchema, SchemaInference } from "./schema-inference.js";

/** Characters of documents held while the schema is being guessed. */
const AHEAD_LENGTH_MAX = 32 * 1024 * 1024;

export interface ReadAhead {
  readonly inferred: InferredSchema;
  readonly documents: number;
  /** Whether those are all that there are. */
  readonly isWhole: boolean;
  /** Everything from the beginning, what was read ahead included. */
  readonly records: AsyncGenerator<readonly ImportRecord[]>;
}

export interface InferenceOptions {
  readonly indexName: string;
  readonly areValuesText: () => boolean;
  /** Whether bad records are passed over. */
  readonly skipsBad: boolean;
  /** The field that tells documents apart. */
  readonly primaryKey?: string | undefined;
}

/**
 * Looks at the first documents and guesses a schema from them; the records can still be read from the start.
 *
 * @throws BadDocumentsError if none of the records is a document, unless such records are skipped
 * @throws CliError `no_documents` if there is none to guess from
 */
export async function inferAhead(
  records: AsyncGenerator<readonly ImportRecord[]>,
  { indexName, areValuesText, skipsBad, primaryKey }: InferenceOptions,
): Promise<ReadAhead> {
  const groups: (readonly ImportRecord[])[] = [];
  const documents: JsonObject[] = [];
  const bad: BadDocument[] = [];
  let length = 0;
  let isAtEnd = false;
  while (documents.length < INFERENCE_DOCUMENTS && length < AHEAD_LENGTH_MAX) {
    const next = await records.next();
    if (next.done === true) {
      isAtEnd = true;
      break;
    }
    groups.push(next.value);
    for (const { place, bytes, parsed } of next.value) {
      length += bytes.length;
      if (parsed.problem !== undefined) bad.push({ place, problem: parsed.problem });
      else if (documents.length < INFERENCE_DOCUMENTS) documents.push(parsed.document);
    }
  }
  const inference = new SchemaInference({ areValuesText: areValuesText(), primaryKey });
  for (const document of documents) inference.add(document);
  const inferred = inference.result(indexName);
  if (documents.length === 0 && bad.length > 0 && !skipsBad) throw new BadDocumentsError(bad);
  if (inferred.fields.length === 0) throw noDocuments(bad);
  const all = (async function* (): AsyncGenerator<readonly ImportRecord[]> {
    yield* groups;
    if (!isAtEnd) yield* records;
  })();
  return { inferred, documents: documents.length, isWhole: isAtEnd, records: all };
}

function noDocuments([first, ...others]: readonly BadDocument[]): CliError {
  const reason =
    first === undefined
      ? ""
      : `: ${others.length === 0 ? "it" : `all ${formatCount(others.length + 1)}`} can't be read, as at ${first.place}: ${first.problem}`;
  return new CliError("no_documents", `there is no document with a field to make an index from${reason}`);
}

/** What was guessed as a table, under a line that says from what. */
export function describeFields({ inferred, documents, isWhole }: ReadAhead): string {
  const rows = inferred.fields.map(({ name, definition, documents: having, example }) => [
    name,
    describeType(definition),
    documents === 0 ? "" : `${Math.round((100 * having) / documents)} %`,
    example,
  ]);
  const origin = `${isWhole ? "" : "the first "}${formatCounted(documents, "document")}`;
  const ambiguous = inferred.fields.flatMap(({ name, ambiguous: formats }) =>
    formats === undefined
      ? []
      : [
          `'${name}' may be dates of the format ${formats[0]} or ${formats[1]}: say which with "type": "datetime", "coerce": true and "format"`,
        ],
  );
  const remarks = inferred.fields.flatMap(({ name, misfits }) =>
    misfits === undefined
      ? []
      : [
          `'${name}' would be ${misfits.type} but for ${formatCount(misfits.values)} of ${formatCounted(misfits.allValues, "value")}, such as '${misfits.example}'`,
        ],
  );
  const units = inferred.fields.flatMap(({ name, measured }) =>
    measured === undefined
      ? []
      : [
          `'${name}' stays text, as its numbers have units, such as '${measured}'; to order by them and to ask for ranges, give numbers alone, and the unit in the field's name or in a field of its own`,
        ],
  );
  const table = formatTable(["field", "type", "present", "for example"], rows);
  return [`the schema, guessed from ${origin}:`, "", table, "", ...ambiguous, ...remarks, ...units].join(
    "\n",
  );
}

/** A type, and what is special about it, as `f64 (1.234,56)` or `facet (flat, multi)`. */
function describeType({ type, multi, precision, coerce, ...rest }: FieldDraft): string {
  const { format, separator, path_separator, hierarchical } = rest;
  const remarks = [
    ...(hierarchical === false ? ["flat"] : []),
    ...(multi === true ? [separator === undefined ? "multi" : `multi, by '${separator}'`] : []),
    ...(path_separator === undefined ? [] : [`levels by '${path_separator}'`]),
    ...(precision === undefined ? [] : [precision]),
    ...(format === undefined ? [] : [format]),
  ];
  if (remarks.length === 0) return coerce === true ? `${type} (as written)` : type;
  return `${type} (${remarks.join(", ")})`;
}

/** The JSON that makes the index, as a file for `--schema` may hold it: a field a line. */
export function schemaJson({ name, fields, ...settings }: NamedIndexDraft): string {
  const lines = Object.entries(fields).map(
    ([field, definition]) => `    ${JSON.stringify(field)}: ${JSON.stringify(definition)}`,
  );
  const others = Object.entries(settings).map(
    ([setting, value]) => `,\n  ${JSON.stringify(setting)}: ${JSON.stringify(value)}`,
  );
  return `{\n  "name": ${JSON.stringify(name)},\n  "fields": {\n${lines.join(",\n")}\n  }${others.join("")}\n}`;
}

/** A word of a text that was seen, for a search that finds something; undefined if there is none. */
export function wordToSearch({ fields }: InferredSchema): string | undefined {
  const texts = fields.filter(({ name, definition }) => definition.type === "text" && name !== "id");
  // A long example is cut, perhaps within its last word.
  const words = texts.flatMap(({ example }) => example.replace(/\S*…$/, "").match(/\p{L}{4,}/gu) ?? []);
  return words.sort((left, right) => right.length - left.length)[0];
}

/** The index of a schema file: the bare index or `{"index": …}`, under the name asked for. */
export async function readSchemaFile(path: string, indexName: string): Promise<NamedIndexDraft> {
  let value: unknown;
  try {
    const json = (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
    if (isNestedTooDeep(json)) {
      throw new CliError(
        "schema_file",
        `schema file '${path}' is nested more than ${JSON_DEPTH_MAX} levels deep`,
      );
    }
    value = JSON.parse(json);
  } catch (failure) {
    if (failure instanceof CliError) throw failure;
    const problem = failure instanceof SyntaxError ? "is not valid JSON" : readProblem(failure);
    throw new CliError("schema_file", `schema file '${path}' ${problem}`, failure);
  }
  const draft = isObject(value) && isObject(value["index"]) ? value["index"] : value;
  if (!holdsFields(draft)) {
    throw new CliError("schema_file", `schema file '${path}' must hold an object with "fields"`);
  }
  return { ...draft, name: indexName };
}

/** Whether it can be sent as an index: the server checks the rest, and says what is wrong with it. */
function holdsFields(value: unknown): value is IndexDraft {
  return isObject(value) && isObject(value["fields"]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
