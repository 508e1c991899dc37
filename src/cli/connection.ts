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
  return { url, key, client: new FindlingClient({ url, key, exactIntegers: true }) };
}

/** The key never leaves the machine: no other address than loopback gets it. */
async function localAdminKey(url: string, dataDir: string | undefined): Promise<string | undefined> {
  const { hostname } = new URL(url);
  if (hostname !== "localhost" && hostname !== "[::1]" && !/^127(\.\d+){3}$/.test(hostname)) return undefined;
  const { readLocalAdminKey } = await import("../adapters/catalog/read-data-folder.js");
  const server = await localServer(dataDir);
  return server.adminKey ?? readLocalAdminKey(server.dataDir, server.secretKey);
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new CliError("usage", `'${text}' is not an address of a server, such as ${DEFAULT_URL}`);
  }
  return text.replace(/\/+$/, "");
}

/** Blank counts as not set, as container files pass unset variables on. */
function set(name: string): string | undefined {
  const value = process.env[name]?.trim();
  return value === undefined || value === "" ? undefined : value;
}
