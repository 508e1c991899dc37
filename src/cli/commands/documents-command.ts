import type { DocumentsRemoved, FindlingClient } from "../../client/index.js";
import { writeJson } from "../../json/exact-json.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { readJsonInput } from "../json-input.js";
import { confirmLoss } from "../terminal/confirm-loss.js";
import { formatCounted } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";

export interface WriteOptions extends ConnectionOptions {
  /** Makes it visible at once, with all that is pending. */
  readonly commit?: boolean;
}

export interface DeleteOptions extends WriteOptions {
  readonly byKey?: boolean;
  readonly where?: string;
  readonly query?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** `findling documents get INDEX ID`. */
export async function runDocumentsGet(
  index: string,
  id: string,
  options: ConnectionOptions & { readonly byKey?: boolean },
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const view =
    options.byKey === true ? await client.getDocumentByKey(index, id) : await client.getDocument(index, id);
  output.result(view, writeJson(view.doc, 2));
}

/** `findling documents add INDEX FILE`: one document or an array of them, all or none. */
export async function runDocumentsAdd(
  index: string,
  file: string,
  options: WriteOptions,
  output: Output,
): Promise<void> {
  const documents = (await readJsonInput(file)) as object;
  const { client } = await connect(options);
  const added = await client.addDocuments(index, documents);
  const { num_added: count, num_replaced: replaced = 0, ignored_fields: ignored = [] } = added;
  if (ignored.length > 0)
    output.warn(`the index has no fields ${ignored.map((name) => `'${name}'`).join(", ")}`);
  const committed = await commitIfAsked(client, index, options);
  output.result(
    { ...added, committed },
    `${formatCounted(count, "document")} added, ${replaced} replaced; ${standing(committed)}`,
  );
}

/** `findling documents update INDEX FILE`: changes members of documents, all or none. */
export async function runDocumentsUpdate(
  index: string,
  file: string,
  options: WriteOptions & { readonly upsert?: boolean },
  output: Output,
): Promise<void> {
  const changes = (await readJsonInput(file)) as object;
  const { client } = await connect(options);
  const updated = await client.updateDocuments(index, changes, { upsert: options.upsert === true });
  const committed = await commitIfAsked(client, index, options);
  output.result(
    { ...updated, committed },
    `${formatCounted(updated.num_updated, "document")} changed, ${updated.num_added} added; ${standing(committed)}`,
  );
}

/** `findling documents delete INDEX [ID]`: one, those with a value, those that a query finds, or all. */
export async function runDocumentsDelete(
  index: string,
  id: string | undefined,
  options: DeleteOptions,
  output: Output,
): Promise<void> {
  const { where, query, all } = options;
  const ways = [id, where, query, all].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    throw new CliError(
      "usage",
      "say what to delete, in one way: an id, --where field=value, --query or --all",
    );
  }
  const { client } = await connect(options);
  if (all === true) await confirmLoss(`All documents of '${index}' are deleted.`, options);
  const removed = await removeBy(client, index, { id, ...options });
  const committed = await commitIfAsked(client, index, options);
  output.result(
    { ...removed, committed },
    `${formatCounted(removed.num_removed, "document")} deleted; ${standing(committed)}`,
  );
}

function removeBy(
  client: FindlingClient,
  index: string,
  { id, byKey, where, query }: DeleteOptions & { readonly id: string | undefined },
): Promise<DocumentsRemoved> {
  if (id !== undefined)
    return byKey === true ? client.deleteDocumentByKey(index, id) : client.deleteDocument(index, id);
  if (query !== undefined) return client.deleteDocumentsByQuery(index, { exact: { ctx: query } });
  if (where === undefined) return client.deleteAllDocuments(index);
  const at = where.indexOf("=");
  if (at < 1) throw new CliError("usage", `'${where}' is not of the form field=value`);
  return client.deleteDocumentsByField(index, where.slice(0, at), where.slice(at + 1));
}

async function commitIfAsked(
  client: FindlingClient,
  index: string,
  { commit }: WriteOptions,
): Promise<boolean> {
  if (commit === true) await client.commitIndex(index);
  return commit === true;
}

function standing(committed: boolean): string {
  return committed ? "committed" : "pending until a commit ('findling indexes commit', or --commit)";
}
