import type { Federation, NamedFederationDraft } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { confirmLoss } from "../terminal/confirm-loss.js";
import { formatBytes, formatCount } from "../terminal/format-amount.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";
import type { LossOptions } from "./indexes-command.js";

/** `findling federations list`. */
export async function runFederationsList(options: ConnectionOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const federations = await client.listFederations();
  output.result(
    { federations },
    federations.length === 0 ? "there are no federations" : describe(federations),
  );
}

/** `findling federations show NAME`: its indexes with their weights. */
export async function runFederationsShow(
  name: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const federation = await client.getFederation(name);
  output.result(federation, describe([federation]));
}

/** `findling federations stats NAME`: documents and bytes of each index. */
export async function runFederationsStats(
  name: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const stats = await client.getFederationStats(name);
  const rows = stats.indices.map(({ index_name: index, num_docs: count, space_usage: bytes }) => [
    index,
    formatCount(count),
    formatBytes(bytes),
  ]);
  output.result(stats, formatTable(["index", "documents", "on disk"], rows));
}

/** `findling federations set NAME INDEX[=WEIGHT] …`: makes it, or puts it in the place of one of that name. */
export async function runFederationsSet(
  name: string,
  members: readonly string[],
  options: ConnectionOptions & { readonly title?: string },
  output: Output,
): Promise<void> {
  const draft: NamedFederationDraft = {
    name,
    ...(options.title !== undefined && { friendly_name: options.title }),
    index_configurations: members.map(memberOf),
  };
  const { client } = await connect(options);
  const federation = await client.createFederation(draft);
  output.result(federation, describe([federation]));
}

/** `findling federations delete NAME`: its indexes stay. */
export async function runFederationsDelete(
  name: string,
  options: LossOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  await confirmLoss(`Federation '${name}' is deleted; its indexes stay.`, options);
  const sentence = await client.deleteFederation(name);
  output.result({ federation: name, deleted: true }, sentence);
}

function memberOf(text: string): NamedFederationDraft["index_configurations"][number] {
  const [name = "", weight] = text.split("=", 2);
  if (weight === undefined) return { name };
  const multiplier = Number(weight);
  if (weight.trim() === "" || !Number.isFinite(multiplier))
    throw new CliError("usage", `'${text}' is not of the form INDEX or INDEX=WEIGHT`);
  return { name, weight_multiplier: multiplier };
}

function describe(federations: readonly Federation[]): string {
  const rows = federations.map(({ name, friendly_name: title, index_configurations: members }) => [
    name,
    title,
    members.map((member) => `${member.name}=${member.weight_multiplier}`).join(" "),
  ]);
  return formatTable(["federation", "title", "indexes"], rows);
}
