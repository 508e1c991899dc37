import { existsSync } from "node:fs";
import { FindlingClient } from "../client/index.js";
import { CliError } from "./cli-error.js";
import { DEFAULT_URL, localServer } from "./local-server.js";

/** The options that every command talking to a server has. */
export interface ConnectionOptions {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly dataDir?: string | undefined;
}

export interface Connection {
  readonly url: string;
  readonly key: string | undefined;
  readonly client: FindlingClient;
}

/**
 * Which server, and with which key. The server is the option's, `FINDLING_URL`'s, or the one that this environment
 * configures. The key is the option's, `FINDLING_ADMIN_KEY`'s, `FINDLING_KEY`'s, or, for a server on this machine, its
 * configuration's or the one in its data folder, which only its owner can read and decrypt.
 */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const url = checkedUrl(options.url ?? set("FINDLING_URL") ?? (await localServer()).url);
  const key =
    options.key ??
    set("FINDLING_ADMIN_KEY") ??
    set("FINDLING_KEY") ??
    (await localAdminKey(url, options.dataDir));
  if (key !== undefined && NO_HEADER.test(key))
    throw new CliError("usage", "the access key holds characters that no key has; copy it anew");
  return { url, key, client: new FindlingClient({ url, key, exactIntegers: true }) };
}

/** What HTTP doesn't carry in a header. */
const NO_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** The key never leaves the machine: no other address than loopback gets it. */
async function localAdminKey(url: string, dataDir: string | undefined): Promise<string | undefined> {
  const { hostname } = new URL(url);
  if (hostname !== "localhost" && hostname !== "[::1]" && !/^127(\.\d+){3}$/.test(hostname)) return undefined;
  const { readLocalAdminKey } = await import("../adapters/catalog/read-data-folder.js");
  if (dataDir !== undefined && !existsSync(dataDir))
    throw new CliError("usage", `the data folder '${dataDir}' does not exist; name the server's, or its key`);
  const server = await localServer(dataDir);
  return server.adminKey ?? readLocalAdminKey(server.dataDir, server.secretKey);
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const shown = text.replace(/[^/]*@/, "…@");
    throw new CliError("usage", `'${shown}' is not an address of a server, such as ${DEFAULT_URL}`);
  }
  // A password, which nothing here may repeat.
  if (url.username !== "" || url.password !== "")
    throw new CliError("usage", "the server's address has no user and password in it; give a key with --key");
  if (url.search !== "" || url.hash !== "")
    throw new CliError("usage", `'${text}' is no server's address alone: leave out what begins with ? or #`);
  return text.replace(/\/+$/, "");
}

/** Blank counts as not set, as container files pass unset variables on. */
function set(name: string): string | undefined {
  const value = process.env[name]?.trim();
  return value === undefined || value === "" ? undefined : value;
}
