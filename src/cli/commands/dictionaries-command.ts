import { FindlingClientError } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { confirmLoss } from "../terminal/confirm-loss.js";
import { formatCounted } from "../terminal/format-amount.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";

export interface EntryOptions extends ConnectionOptions {
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** `findling synonyms list INDEX`. */
export async function runSynonymsList(
  index: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const synonyms = await client.getSynonyms(index);
  const rows = Object.entries(synonyms).map(([key, terms]) => [key, terms.join(", ")]);
  output.result(
    synonyms,
    rows.length === 0 ? "there are no synonyms" : formatTable(["key", "also finds"], rows),
  );
}

/** `findling synonyms add INDEX key:term,term …`. */
export async function runSynonymsAdd(
  index: string,
  entries: readonly string[],
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const sentence = await namingEntries(entries, client.addSynonyms(index, entries));
  output.result({ index, added: entries }, sentence);
}

/** `findling synonyms delete INDEX key …`, or all of them. */
export async function runSynonymsDelete(
  index: string,
  entries: readonly string[],
  options: EntryOptions,
  output: Output,
): Promise<void> {
  requireOneWay(entries, options);
  const { client } = await connect(options);
  if (options.all === true) await confirmLoss(`All synonyms of '${index}' are deleted.`, options);
  const sentence =
    options.all === true
      ? await client.deleteAllSynonyms(index)
      : await namingEntries(entries, client.deleteSynonyms(index, entries));
  output.result({ index, deleted: options.all === true ? "all" : entries }, sentence);
}

/** `findling stopwords list INDEX`: those in force. */
export async function runStopwordsList(
  index: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const words = await client.getStopwords(index);
  output.note(formatCounted(words.length, "stopword"));
  output.result({ stopwords: words }, words.join("\n"));
}

/** `findling stopwords add INDEX WORD …`. */
export async function runStopwordsAdd(
  index: string,
  words: readonly string[],
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const sentence = await namingEntries(words, client.addStopwords(index, words));
  output.result({ index, added: words }, sentence);
}

/** `findling stopwords delete INDEX WORD …`, or all custom ones. */
export async function runStopwordsDelete(
  index: string,
  words: readonly string[],
  options: EntryOptions,
  output: Output,
): Promise<void> {
  requireOneWay(words, options);
  const { client } = await connect(options);
  if (options.all === true) await confirmLoss(`All custom stopwords of '${index}' are deleted.`, options);
  const sentence =
    options.all === true
      ? await client.deleteAllStopwords(index)
      : await namingEntries(words, client.deleteStopwords(index, words));
  output.result({ index, deleted: options.all === true ? "all" : words }, sentence);
}

function requireOneWay(entries: readonly string[], { all }: EntryOptions): void {
  if (entries.length > 0 !== (all === true)) return;
  throw new CliError("usage", "say which entries to delete, or --all, and not both");
}

/** The server names a refused entry by its place in the list; at a command line it is known by what it says. */
async function namingEntries<T>(entries: readonly string[], answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    if (!(thrown instanceof FindlingClientError) || thrown.status !== 400) throw thrown;
    const { status, code, details, errors, message } = thrown;
    throw new FindlingClientError({
      ...{ status, code, details, errors, cause: thrown },
      message: message.replace(/^'\[(\d+)\]'/, (place, at: string) => {
        const entry = entries[Number(at)];
        return entry === undefined ? place : `'${entry}'`;
      }),
    });
  }
}
