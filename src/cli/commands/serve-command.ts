import { setFlagsFromString } from "node:v8";
import type { SettingView } from "../../client/index.js";
import type { SettingDescription } from "../../config/describe-configuration.js";
import type { Configuration, RunningServer } from "../../server.js";
import type { ConnectionOptions } from "../connection.js";
import { EXIT } from "../exit-codes.js";
import { DEFAULT_DATA_DIR, DEFAULT_URL, serverEnvironment } from "../local-server.js";
import type { Output } from "../terminal/output.js";
import { connectionFlags, PASTED_COMMAND } from "../terminal/pasted-command.js";

/**
 * By how much each thread's heap may grow over what was in use before V8 looks for garbage: by itself it
 * lets it grow to four times that, which a load of documents uses up. Buffers that have come to be since
 * the last collection count as growth. With 150 % a load takes a sixth less processor time, but twice the
 * memory beyond rest in one run of two, which is more than the budget allows (ADR 19). V8 reads the flag at
 * each collection.
 */
const HEAP_GROWTH_PERCENT = 60;

/**
 * How much of a function V8 runs, in bytes of bytecode, before it thinks of optimizing it: by itself 135,168.
 * Each thread optimizes for itself, and much of what it makes of functions that run once for a segment is
 * dropped before it pays: in the first 80,000 documents of a load V8's helpers took 2.0 to 2.5 s of processor
 * time, with this 1.4 to 1.5, the thread that writes 3.0 in place of 2.9 (ADR 25). Node 20's V8 has that flag,
 * later ones print that they don't.
 */
const INTERRUPT_BUDGET_BYTES = 350_000;
const HAS_INTERRUPT_BUDGET: boolean = process.versions.node.startsWith("20.");

/**
 * What `npm start` gives V8 as `--max-semi-space-size` is for the thread that answers, whose limit is read at the start
 * of the process; for threads that start from now on it would come before their own (`adapters/embedded/thread-heap.ts`).
 */
const NO_SEMI_SPACE_LIMIT = 0;

export interface ServeOptions {
  readonly port?: string;
  readonly host?: string;
  readonly dataDir?: string;
  readonly config?: string;
}

/** `findling serve`: runs until a signal asks it to stop. */
export async function runServe(options: ServeOptions, output: Output): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  if (HAS_INTERRUPT_BUDGET) setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET_BYTES}`);
  setFlagsFromString(`--max-semi-space-size=${NO_SEMI_SPACE_LIMIT}`);
  const { loadConfiguration, serviceVariables, startServer } = await import("../../server.js");
  const env = serverEnvironment();
  const configuration = loadConfiguration({
    env,
    file: options.config,
    flags: { port: options.port, host: options.host, dataDir: options.dataDir },
  });
  const stopAsked = firstSignal();
  const server = await startServer(configuration, {
    ownsProcess: true,
    ignoredVariables: serviceVariables(env),
  });
  announce(server, configuration, output);
  await stopAsked;
  output.note("stopping; press Ctrl-C again to stop at once");
  await server.stop();
  // Whether anybody read what it said is nothing to a server.
  process.exitCode = EXIT.ok;
  await endWithoutReaders();
}

/** How long readers have for the last words. */
const LAST_WORDS_MS = 1_000;

/** Ends the process where it wouldn't end by itself, as somebody keeps a pipe open and doesn't read from it. */
async function endWithoutReaders(): Promise<void> {
  const giveUpAtMs = performance.now() + LAST_WORDS_MS;
  while (process.stdout.writableLength + process.stderr.writableLength > 0) {
    if (performance.now() > giveUpAtMs) process.exit(EXIT.ok);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Resolves at the first SIGINT or SIGTERM; the second one ends the process. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    const onSignal = (signal: NodeJS.Signals): void => {
      count++;
      if (count > 1) process.exit(signal === "SIGINT" ? EXIT.interrupted : EXIT.failed);
      resolve();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}

/** Where the server is, the keys that were made for it, and a first thing to try. */
function announce(server: RunningServer, configuration: Configuration, output: Output): void {
  const { url, createdKeys } = server;
  if (output.json) {
    output.result(
      {
        event: "listening",
        url,
        data_dir: configuration.dataDir,
        created_keys: createdKeys,
        ...(server.consoleUrl === null ? {} : { console_url: server.consoleUrl }),
      },
      "",
    );
    return;
  }
  const flags = flagsFor(url, configuration);
  const lines = [
    `findling listens on ${url}`,
    ...consoleLines(server, createdKeys.length > 0),
    `  the manual, and the API to try:  ${url}/docs`,
    `  data in:  ${configuration.dataDir}`,
  ];
  if (createdKeys.length > 0) {
    lines.push("", "keys made by this first start:");
    for (const { name, key } of createdKeys) lines.push(`  ${name.padEnd(8)} ${key}`);
    const source = configuration.secretKey === undefined ? "its secret.key" : "FINDLING_SECRET_KEY";
    lines.push(
      `  shown again by '${PASTED_COMMAND} keys show NAME${flags}' to who can read this folder and ${source}`,
    );
  }
  lines.push("", "to try it:", `  curl ${url}/healthcheck`);
  const admin = createdKeys.find((key) => key.permissions >= 63)?.key;
  if (admin !== undefined) lines.push(`  curl -H 'Authorization: ${admin}' ${url}/index`);
  // A later start says where the keys are that an earlier one made.
  else if (configuration.auth && configuration.adminKey === undefined)
    lines.push(
      `  ${PASTED_COMMAND} keys list${flags}    # the keys, for who owns this folder and its secret key`,
    );
  lines.push(`  ${PASTED_COMMAND} demo${flags}    # loads a sample and shows searches over it`);
  process.stdout.write(`${lines.join("\n")}\n`);
}

/**
 * The link with the code goes where the keys go that a first start shows, and to a terminal; what isn't read by somebody
 * there may be kept as a log.
 */
function consoleLines(server: RunningServer, isFirstStart: boolean): readonly string[] {
  if (server.consoleUrl === null) return [];
  const link = isFirstStart || process.stdout.isTTY ? server.signInLink() : null;
  if (link === null) return [`  the console, for people:  ${server.consoleUrl}`];
  return [
    `  the console, for people:  ${link}`,
    "    (this link signs you in, once, within ten minutes, on this machine)",
  ];
}

/** What the commands need besides their defaults to find this server and its key. */
function flagsFor(url: string, { dataDir }: Configuration): string {
  return connectionFlags({
    url: url === DEFAULT_URL ? undefined : url,
    dataDir: dataDir === DEFAULT_DATA_DIR ? undefined : dataDir,
  });
}

/** `findling config print`: every setting as a start would see it, or as a running server tells it. */
export async function runConfigPrint(
  options: ServeOptions & Pick<ConnectionOptions, "url" | "key">,
  output: Output,
): Promise<void> {
  if (options.url !== undefined) return printRunning(options, output);
  const { describeConfiguration, loadConfiguration } = await import("../../config/index.js");
  const configuration = loadConfiguration({
    env: serverEnvironment(),
    file: options.config,
    flags: { port: options.port, host: options.host, dataDir: options.dataDir },
  });
  printSettings(describeConfiguration(configuration), output);
}

async function printRunning(options: ConnectionOptions, output: Output): Promise<void> {
  const { connect } = await import("../connection.js");
  const { client } = await connect(options);
  const { settings } = await client.getConfiguration();
  printSettings(settings.map(settingOf), output);
}

function settingOf({ name, environment_name: environmentName, ...rest }: SettingView): SettingDescription {
  const { description, value, is_default: isDefault } = rest;
  return { name, environmentName, description, value, isDefault };
}

function printSettings(settings: readonly SettingDescription[], output: Output): void {
  const width = Math.max(...settings.map((setting) => setting.name.length));
  output.result(
    { settings },
    settings
      .map(
        ({ name, value, description, isDefault }) =>
          `${name.padEnd(width)} = ${value}${isDefault ? "" : "   (changed)"}\n${" ".repeat(width + 3)}# ${description}`,
      )
      .join("\n"),
  );
}
