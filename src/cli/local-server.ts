/** What the commands need to know of the server that this environment configures. */
export interface LocalServer {
  readonly url: string;
  readonly dataDir: string;
  /** Whether it keeps everything in a cluster instead of the folder. */
  readonly isOnCluster: boolean;
  /** Absent where it has a file for that. */
  readonly secretKey?: string;
  readonly adminKey?: string;
  /** Where it has its backups. */
  readonly backupUrl?: string;
}

/**
 * The server as `findling serve` would start it here: by the environment and the configuration file that it names.
 *
 * @throws FindlingError `invalid_configuration` as the server would
 */
export async function localServer(dataDir?: string): Promise<LocalServer> {
  const { loadConfiguration } = await import("../config/index.js");
  const configuration = loadConfiguration({ env: serverEnvironment(), flags: { dataDir } });
  const { secretKey, adminKey, backupUrl, backend } = configuration;
  return {
    url: addressOf(configuration),
    dataDir: configuration.dataDir,
    isOnCluster: backend === "opensearch",
    ...(secretKey !== undefined && { secretKey }),
    ...(adminKey !== undefined && { adminKey }),
    ...(backupUrl !== undefined && { backupUrl }),
  };
}

/** What belongs to the commands that talk to a server is no setting of the server. */
export function serverEnvironment(): Readonly<Record<string, string | undefined>> {
  const { FINDLING_URL: _url, FINDLING_KEY: _key, ...environment } = process.env;
  return environment;
}

/** A server that listens everywhere is on loopback, too; one that takes any free port is on the usual one, if at all. */
export function addressOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const isEverywhere = host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port === 0 ? DEFAULT_PORT : port}`;
}

const DEFAULT_PORT = 8000;

/** Where `findling serve` listens unless told otherwise. */
export const DEFAULT_URL: string = `http://127.0.0.1:${DEFAULT_PORT}`;

/** Where `findling serve` keeps everything unless told otherwise. */
export const DEFAULT_DATA_DIR = "./findling-data";
