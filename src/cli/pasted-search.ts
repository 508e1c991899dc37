import type { FindlingClient, SearchBody } from "../client/index.js";
import type { Connection, ConnectionOptions } from "./connection.js";
import { connectionFlags, PASTED_COMMAND } from "./terminal/pasted-command.js";

/** A command to paste: JSON in single quotes, as the shell leaves those alone. */
export function curlCommand(address: string, body: SearchBody): string {
  const json = JSON.stringify(body).replaceAll("'", "'\\''");
  return [
    `curl -s ${address} \\`,
    `  -H "Authorization: $${READ_KEY}" -H 'Content-Type: application/json' \\`,
    `  -d '${json}'`,
  ].join("\n");
}

const READ_KEY = "FINDLING_READ_KEY";

/** Sets the shell's variable without the key being seen, if the server has stored one that may search. */
export async function readKeyLine(
  client: FindlingClient,
  index: string,
  options: ConnectionOptions,
): Promise<string> {
  const unknown = `${READ_KEY}=  # and here a key that may search '${index}'`;
  if (options.key !== undefined) return unknown;
  try {
    const named = (await client.listKeys()).filter((key) => key.name === "read");
    const isUsable =
      named.length === 1 && named[0]!.status === "active" && named[0]!.allowed_indexes.includes("*");
    if (!isUsable) return unknown;
  } catch {
    // An ingest key may load the sample and may not list keys.
    return unknown;
  }
  return `${READ_KEY}=$(${PASTED_COMMAND} keys show read${connectionFlags(options)})`;
}

/** A search of an index that is new to the user, for a word that is in it. */
export async function firstSearch(
  { client, url }: Connection,
  options: ConnectionOptions & { readonly index: string },
  word: string,
): Promise<string> {
  const address = `${url}/index/${options.index}/search`;
  const keyLine = await readKeyLine(client, options.index, options);
  return `to search it:\n\n${keyLine}\n${curlCommand(address, { query: { fuzzy: { ctx: word } }, limit: 3 })}`;
}
