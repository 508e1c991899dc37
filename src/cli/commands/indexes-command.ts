import type { IndexExtensionsDraft } from "../../client/index.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { readJsonObject } from "../json-input.js";
import { confirmLoss } from "../terminal/confirm-loss.js";
import { formatCount } from "../terminal/format-amount.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";

export interface LossOptions extends ConnectionOptions {
  readonly yes?: boolean;
}

/** Settings beyond the specification. */
const EXTENSIONS: ReadonlySet<string> = new Set<keyof IndexExtensionsDraft>([
  "fold_diacritics",
  "symbols",
  "suggest_field",
  "primary_key",
]);

/** `findling indexes list`: names and committed documents. */
export async function runIndexesList(options: ConnectionOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const stats = await client.getAllIndexStats();
  const rows = stats.indices.flatMap((each) =>
    Object.entries(each).map(([name, { document_count: count }]) => [name, formatCount(count)]),
  );
  output.result(
    stats,
    rows.length === 0 ? "there are no indexes" : formatTable(["index", "documents"], rows),
  );
}

/** `findling indexes show INDEX`: its schema and settings, as a file for `create --schema` may hold them. */
export async function runIndexesShow(
  name: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const index = await client.getIndex(name);
  output.result(index, JSON.stringify(index, null, 2));
}

/** `findling indexes create INDEX --schema FILE`. */
export async function runIndexesCreate(
  name: string,
  options: LossOptions & { readonly schema: string; readonly override?: boolean },
  output: Output,
): Promise<void> {
  const { readSchemaFile } = await import("../import/choose-schema.js");
  const draft = await readSchemaFile(options.schema, name);
  const { client } = await connect(options);
  const overrideIfExists = options.override === true;
  if (overrideIfExists)
    await confirmLoss(`An index '${name}' is replaced, and all its documents are deleted.`, options);
  const sentence = await client.createIndex(draft, { overrideIfExists });
  output.result({ index: name, created: true }, sentence);
}

/** `findling indexes update INDEX FILE`: changes the settings that the file names. */
export async function runIndexesUpdate(
  name: string,
  file: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const settings = Object.entries(await readJsonObject(file));
  const { client } = await connect(options);
  // The API has two routes for them.
  const extensions = settings.filter(([setting]) => EXTENSIONS.has(setting));
  const others = settings.filter(([setting]) => !EXTENSIONS.has(setting));
  let sentence = "the file names no settings";
  if (others.length > 0) sentence = await client.patchIndex(name, Object.fromEntries(others));
  if (extensions.length > 0) sentence = await client.patchIndexSettings(name, Object.fromEntries(extensions));
  output.result({ index: name, updated: settings.map(([setting]) => setting) }, sentence);
}

/** `findling indexes delete INDEX`: with all its documents. */
export async function runIndexesDelete(name: string, options: LossOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  await confirmLoss(`Index '${name}' is deleted with all its documents.`, options);
  const sentence = await client.deleteIndex(name);
  output.result({ index: name, deleted: true }, sentence);
}

/** `findling indexes commit INDEX`: makes all pending writes visible. */
export async function runIndexesCommit(
  name: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const sentence = await client.commitIndex(name);
  output.result({ index: name, committed: true }, sentence);
}

/** `findling indexes rollback INDEX`: drops all pending writes. */
export async function runIndexesRollback(name: string, options: LossOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  await confirmLoss(`All pending writes to '${name}' are dropped, also those of others.`, options);
  const sentence = await client.rollbackIndex(name);
  output.result({ index: name, rolled_back: true }, sentence);
}
