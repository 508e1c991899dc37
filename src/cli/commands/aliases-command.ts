import type { Alias } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";

/** `findling aliases list`. */
export async function runAliasesList(options: ConnectionOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const aliases = await client.listAliases();
  const rows = aliases.map(({ alias, index }) => [alias, index]);
  output.result(
    { aliases },
    rows.length === 0 ? "there are no aliases" : formatTable(["alias", "index"], rows),
  );
}

/** `findling aliases set ALIAS=INDEX …`: makes or changes one, or changes several at once, or none. */
export async function runAliasesSet(
  pairs: readonly string[],
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const aliases = pairs.map(aliasOf);
  const { client } = await connect(options);
  const [only] = aliases;
  const sentence =
    only !== undefined && aliases.length === 1
      ? await client.putAlias(only.alias, only.index)
      : await client.swapAliases(aliases);
  output.result({ aliases }, sentence);
}

/** `findling aliases delete ALIAS`: the index stays. */
export async function runAliasesDelete(
  alias: string,
  options: ConnectionOptions,
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const sentence = await client.deleteAlias(alias);
  output.result({ alias, deleted: true }, sentence);
}

function aliasOf(pair: string): Alias {
  const [, alias, index] = /^([^=]+)=([^=]+)$/.exec(pair) ?? [];
  if (alias === undefined || index === undefined)
    throw new CliError("usage", `'${pair}' is not of the form ALIAS=INDEX`);
  return { alias, index };
}
