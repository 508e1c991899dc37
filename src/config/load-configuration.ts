import { Check } from "typebox/value";
import { nearestName } from "../contract/nearest-name.js";
import { FindlingError } from "../errors/index.js";
import type { Configuration, SettingName } from "./configuration.js";
import { readConfigurationFile } from "./configuration-file.js";
import { serviceVariables } from "./service-variables.js";
import { CONFIGURATION_SCHEMA, SETTINGS, type Setting, settingNamed } from "./settings.js";

export interface ConfigurationSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of the configuration file; wins over `FINDLING_CONFIG`. */
  readonly file?: string | undefined;
  /** Values from the command line, under the settings' own names (`maxResultLimit`). */
  readonly flags?: Readonly<Partial<Record<SettingName, string | number | boolean | undefined>>>;
}

/**
 * Settles every setting: flags over environment over file over default. What Kubernetes sets for a service of the same
 * name is passed over (`serviceVariables`), and so are settings that earlier versions had.
 *
 * @throws FindlingError `invalid_configuration`: one sentence that names the setting, its problem and
 *   a valid example, and never holds a key
 */
export function loadConfiguration(given: ConfigurationSources): Configuration {
  const sources = { ...given, env: withoutServices(given.env) };
  refuseUnknownVariables(sources.env);
  const path = sources.file ?? blankAsAbsent(sources.env["FINDLING_CONFIG"]);
  const fileMembers = path === undefined ? {} : readConfigurationFile(path);
  if (path !== undefined) refuseUnknownMembers(path, fileMembers);

  const settled: Record<string, unknown> = {};
  const said = new Set<SettingName>();
  for (const setting of SETTINGS) {
    const found =
      fromFlag(setting, sources.flags) ??
      fromEnvironment(setting, sources.env) ??
      fromFile(setting, fileMembers, path);
    const value = found === undefined ? setting.default : checked(setting, found);
    if (found !== undefined) said.add(setting.name);
    if (value !== undefined) settled[setting.name] = value;
  }
  // Whatever path a value took, the whole fits the one schema.
  if (!isConfiguration(settled)) throw new TypeError("a setting slipped past its own check");
  refuseOpenDoors(settled);
  refuseLocalParts(settled, said);
  return settled;
}

function withoutServices(env: ConfigurationSources["env"]): ConfigurationSources["env"] {
  const services = serviceVariables(env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !services.includes(name)));
}

function isConfiguration(settled: object): settled is Configuration {
  return Check(CONFIGURATION_SCHEMA, settled);
}

/** A value and where it came from, for the error message. */
interface Given {
  readonly value: unknown;
  readonly label: string;
  /** How to write the setting there. */
  readonly example: string;
}

function fromFlag(setting: Setting, flags: ConfigurationSources["flags"]): Given | undefined {
  const value = flags?.[setting.name];
  if (value === undefined) return undefined;
  const flag = `--${setting.fileName.replaceAll("_", "-")}`;
  return { value, label: flag, example: `${flag} ${setting.example}` };
}

function fromEnvironment(setting: Setting, env: ConfigurationSources["env"]): Given | undefined {
  const value = blankAsAbsent(env[setting.environmentName]);
  if (value === undefined) return undefined;
  return { value, label: setting.environmentName, example: `${setting.environmentName}=${setting.example}` };
}

function fromFile(
  setting: Setting,
  members: Readonly<Record<string, unknown>>,
  path: string | undefined,
): Given | undefined {
  if (!Object.hasOwn(members, setting.fileName)) return undefined;
  const value = members[setting.fileName];
  if (value === null) return undefined;
  const label = `${setting.fileName} in '${path}'`;
  return { value, label, example: `${setting.fileName}: ${fileExample(setting)}` };
}

function fileExample(setting: Setting): string {
  if (setting.kind === "list") return JSON.stringify(setting.example.split(","));
  return setting.kind === "text" ? JSON.stringify(setting.example) : setting.example;
}

/** Compose files pass unset variables on as empty strings. */
function blankAsAbsent(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value;
}

function checked(setting: Setting, given: Given): unknown {
  const value = typeof given.value === "string" ? fromText(setting, given.value.trim()) : given.value;
  if (!Check(setting.schema, value)) {
    const problem = setting.isSecret ? secretProblem(setting, given.value) : `is ${shown(given.value)}`;
    throw invalid(`${given.label} must be ${setting.expects}, but ${problem}; for example ${given.example}`);
  }
  return value;
}

/** The typed value of a text, or the text itself where it is not one, for the check to refuse. */
function fromText(setting: Setting, text: string): unknown {
  switch (setting.kind) {
    case "text":
      return text;
    case "number":
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "switch":
      return SWITCH_WORDS.get(text.toLowerCase()) ?? text;
    case "list":
      return text.split(",").map((item) => item.trim());
  }
}

/** YAML 1.2 reads `on` and `off` as text, so the file needs the words as well. */
const SWITCH_WORDS: ReadonlyMap<string, boolean> = new Map([
  ["on", true],
  ["true", true],
  ["yes", true],
  ["1", true],
  ["off", false],
  ["false", false],
  ["no", false],
  ["0", false],
]);

/** Without the user and password that a URL may hold. */
function shown(value: unknown): string {
  const plain = typeof value === "string" ? `'${value}'` : (JSON.stringify(value) ?? typeof value);
  const text = plain.replace(/\/\/[^/]*@/g, "//…@");
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

function secretProblem({ name }: Setting, value: unknown): string {
  if (typeof value !== "string") return "is not a text (put it in quotes)";
  if (name === "secretKey" || name === "measureUrl" || name === "opensearchPassword")
    return "is something else";
  const length = value.trim().length;
  return length < 10 || length > 512 ? `has ${length}` : "holds other characters";
}

/** Names that belong to parts of the project read elsewhere; they are left alone here. */
const RESERVED_NAMES = /^FINDLING_(CONFIG$|LLM_|FUZZ_RUNS$|TEST_)/;

/** Settings that are gone: a server that is upgraded starts with them, and they do nothing. */
const FORMER_VARIABLES = ["FINDLING_ANSWER_CACHE_MB"];
const FORMER_MEMBERS = ["answer_cache_mb"];

function refuseUnknownVariables(env: ConfigurationSources["env"]): void {
  const known = SETTINGS.map((setting) => setting.environmentName);
  for (const name of Object.keys(env)) {
    if (!name.startsWith("FINDLING_") || known.includes(name) || RESERVED_NAMES.test(name)) continue;
    if (FORMER_VARIABLES.includes(name)) continue;
    throw invalid(`there is no setting ${name}${suggestion(name, [...known, "FINDLING_CONFIG"])}`);
  }
}

function refuseUnknownMembers(path: string, members: Readonly<Record<string, unknown>>): void {
  const known = SETTINGS.map((setting) => setting.fileName);
  for (const name of Object.keys(members)) {
    if (known.includes(name) || FORMER_MEMBERS.includes(name)) continue;
    throw invalid(`there is no setting '${name}' (in '${path}')${suggestion(name, known)}`);
  }
}

function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? `; for example, ${known[1]} is one` : `; did you mean ${nearest}?`;
}

/** Rules between settings. */
function refuseOpenDoors(configuration: Configuration): void {
  if ((configuration.tlsCertificateFile === undefined) !== (configuration.tlsKeyFile === undefined)) {
    const [certificate, key] = (["tlsCertificateFile", "tlsKeyFile"] as const).map(settingNamed);
    throw invalid(
      `${certificate!.environmentName} and ${key!.environmentName} belong together; give both, or neither`,
    );
  }
  if (!configuration.auth && !isLoopback(configuration.host)) {
    throw invalid(
      `${settingNamed("auth").environmentName} is off, but the server would listen on '${configuration.host}' where others reach it; keep it on, or listen on loopback, for example FINDLING_HOST=127.0.0.1`,
    );
  }
  const keys = [configuration.adminKey, configuration.ingestKey, configuration.readKey].filter(
    (key) => key !== undefined,
  );
  if (new Set(keys).size < keys.length) {
    throw invalid(
      "FINDLING_ADMIN_KEY, FINDLING_INGEST_KEY and FINDLING_READ_KEY must differ from each other; give each key a value of its own",
    );
  }
}

/** On a cluster no server has documents or events of its own. @param said what the operator has set */
function refuseLocalParts(configuration: Configuration, said: ReadonlySet<SettingName>): void {
  const { backend, opensearchUrl, backupUrl, restoreFrom, measure, measureUrl } = configuration;
  if (backend !== "opensearch") return;
  if (opensearchUrl === undefined) {
    throw invalid(
      "FINDLING_BACKEND=opensearch needs FINDLING_OPENSEARCH_URL; for example FINDLING_OPENSEARCH_URL=https://search.example:9200",
    );
  }
  if (backupUrl !== undefined || restoreFrom !== undefined) {
    throw invalid(
      "FINDLING_BACKUP_URL and FINDLING_RESTORE_FROM are for documents in the data folder; with FINDLING_BACKEND=opensearch use the cluster's snapshots",
    );
  }
  if (measure && measureUrl === undefined && said.has("measure")) {
    throw invalid(
      "FINDLING_MEASURE=on would keep usage events in this server's data folder, where the other servers before the cluster don't see them; name a ClickHouse server by FINDLING_MEASURE_URL, or leave FINDLING_MEASURE out",
    );
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function invalid(message: string): FindlingError {
  return new FindlingError("invalid_configuration", message);
}
