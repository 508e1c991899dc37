import { connect, createServer } from "node:net";
import type { Configuration } from "../config/index.js";
import type { Finding } from "./finding.js";
import { addressOf } from "./local-server.js";

/** What is not there by then is taken for not there. */
const PATIENCE_MS = 5_000;

/**
 * Whether the server can be reached, or could listen, and whether it could reach what its configuration names.
 *
 * @param isRunning null: nobody can tell without asking it
 */
export async function checkReachability(
  configuration: Configuration,
  isRunning: boolean | null,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  const { measure, measureUrl, opensearchUrl, backend, backupUrl } = configuration;
  const collector = environment["OTEL_EXPORTER_OTLP_ENDPOINT"]?.trim();
  return Promise.all([
    isRunning === null
      ? checkEither(configuration)
      : isRunning
        ? checkAnswers(configuration)
        : checkListening(configuration),
    ...(measure && measureUrl !== undefined
      ? [checkConnection("ClickHouse", measureUrl, "FINDLING_MEASURE_URL", 8123)]
      : []),
    ...(backend === "opensearch"
      ? (opensearchUrl ?? []).map((url) =>
          checkConnection("OpenSearch", url, "FINDLING_OPENSEARCH_URL", 9200),
        )
      : []),
    ...(backupUrl === undefined ? [] : [checkBackups(backupUrl, environment)]),
    ...(collector === undefined || collector === ""
      ? []
      : [checkConnection("collector", collector, "OTEL_EXPORTER_OTLP_ENDPOINT", 4318)]),
  ]);
}

async function checkEither(configuration: Configuration): Promise<Finding> {
  const answers = await checkAnswers(configuration);
  return answers.standing === "ok" ? answers : checkListening(configuration);
}

/** A server holds the folder: it ought to answer where the settings say. */
async function checkAnswers(configuration: Configuration): Promise<Finding> {
  const check = "address";
  const url = addressOf(configuration);
  try {
    const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (status === 200) return { check, standing: "ok", finding: `a server answers at ${url}` };
    const advice = "wait until it has started or stopped, or look into its log";
    return { check, standing: "warning", finding: `${url}/readyz answers ${status}`, advice };
  } catch (error) {
    const finding = `nothing answers at ${url} (${reasonOf(error)})`;
    const advice =
      "if it listens elsewhere, run this with its FINDLING_HOST and FINDLING_PORT; with TLS, a certificate of your own isn't known here";
    return { check, standing: "warning", finding, advice };
  }
}

/** No server runs: can one listen there? */
function checkListening({ host, port }: Configuration): Promise<Finding> {
  const check = "address";
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", ({ code }: NodeJS.ErrnoException) => {
      const finding = `a server can't listen on '${host}' port ${port} (${code ?? "unknown reason"})`;
      const advice =
        code === "EADDRINUSE"
          ? "another program listens there: end it, or choose another port with FINDLING_PORT"
          : "choose another address with FINDLING_HOST and FINDLING_PORT";
      resolve({ check, standing: "problem", finding, advice });
    });
    probe.listen({ host, port, exclusive: true }, () => {
      const finding =
        port === 0 ? "a server takes any free port" : `a server can listen on '${host}' port ${port}`;
      probe.close(() => resolve({ check, standing: "ok", finding }));
    });
  });
}

/** Whether somebody takes connections there; what they speak, and whether they know the password, isn't asked. */
async function checkConnection(
  check: string,
  address: string,
  setting: string,
  defaultPort: number,
): Promise<Finding> {
  if (!URL.canParse(address)) {
    const finding = `${setting} is no URL`;
    return { check, standing: "problem", finding, advice: `write it as http://host:${defaultPort}` };
  }
  const { hostname, port, protocol } = new URL(address);
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  // Without user and password, which may be part of the address.
  const place = `${hostname}:${number}`;
  try {
    await connected(hostname.replace(/^\[|\]$/g, ""), number);
    return { check, standing: "ok", finding: `${place} takes connections` };
  } catch (error) {
    const finding = `${place} can't be reached (${reasonOf(error)})`;
    const advice = `see that it runs and that no firewall is between, or mend ${setting}`;
    return { check, standing: "problem", finding, advice };
  }
}

function connected(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS });
    const end = (settle: () => void): void => {
      socket.destroy();
      settle();
    };
    socket.once("connect", () => end(resolve));
    socket.once("error", (error) => end(() => reject(error)));
    socket.once("timeout", () => end(() => reject(new Error("no answer in 5 s"))));
  });
}

async function checkBackups(
  backupUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Finding> {
  const check = "backups";
  try {
    const { openBackups } = await import("../backups.js");
    const listed = await (await openBackups(backupUrl, environment)).list();
    const damaged = listed.filter(({ problem }) => problem !== null);
    const [newest] = listed;
    const finding =
      newest === undefined
        ? `${backupUrl} can be read and holds no backup yet`
        : `${backupUrl} can be read; the newest of ${listed.length} is ${newest.id}`;
    if (damaged.length === 0) return { check, standing: "ok", finding };
    const advice = "'findling backup list' says which; 'findling backup create' makes another one";
    return { check, standing: "warning", finding: `${damaged.length} backups can't be read`, advice };
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    return { check, standing: "problem", finding, advice: "mend FINDLING_BACKUP_URL, or the AWS variables" };
  }
}

function reasonOf(error: unknown): string {
  const { code, cause, message } = error as NodeJS.ErrnoException;
  const inner = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code !== undefined && typeof code === "string" ? code : (inner ?? message);
}
