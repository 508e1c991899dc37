import { isIP } from "node:net";
import { type TObject, type TSchema, Type } from "typebox";
import { DEFAULT_ALLOWED_LLM_BASE_URLS } from "../contract/ai-config.js";
import {
  BACKENDS,
  IP_ADDRESS_POLICIES,
  LOG_FORMATS,
  LOG_LEVELS,
  MCP_ACCESS,
  type SettingName,
} from "./configuration.js";

/** One setting as data: the file's and the environment's names, the documentation and every check follow from it. */
export interface Setting {
  readonly name: SettingName;
  /** `FINDLING_…`, the name in the environment. */
  readonly environmentName: string;
  /** The member in the configuration file. */
  readonly fileName: string;
  readonly description: string;
  /** Completes "must be …". */
  readonly expects: string;
  readonly example: string;
  readonly kind: "text" | "number" | "switch" | "list";
  readonly isSecret: boolean;
  readonly default: string | number | boolean | readonly string[] | undefined;
  readonly schema: TSchema;
}

/** Mebibytes; a body must fit one JavaScript string. */
const BODY_LIMIT_MAX = 480;
const BODY_MEMORY_MAX = 65_536;

/** A key travels in URL paths, so only unreserved characters; clients refuse short ones (contract 2.1). */
const KEY_PATTERN = "^[A-Za-z0-9._~-]{10,512}$";
const KEY_EXPECTS = "10 to 512 characters from A-Z a-z 0-9 . _ ~ -";

/** 64 hex digits, or 43 characters of base64 and its padding; the last character carries four bits only. */
const SECRET_KEY_PATTERN = "^([0-9A-Fa-f]{64}|[A-Za-z0-9+/_-]{42}[AEIMQUYcgkosw048]=?)$";

/** No user, query or fragment: the model's path is appended to it. */
const BASE_URL_PATTERN = /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i;

/** No user, host, query or fragment; a bucket's name as S3 has it. */
const BACKUP_URL_PATTERN =
  "^(file:///[^?#\\u0000]*|s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9_-][A-Za-z0-9._-]*){0,6}/?)$";

export const SETTINGS: readonly Setting[] = [
  text(
    "host",
    "address to listen on",
    "a host name or an IP address",
    "127.0.0.1",
    "^[A-Za-z0-9.:_%-]{1,255}$",
  ),
  whole("port", "port to listen on; 0 takes any free one", 0, 65_535, 8000),
  text(
    "dataDir",
    "folder that holds everything stored",
    "a path to a folder",
    "./findling-data",
    "^[^\\u0000]+$",
  ),
  pemFile(
    "tlsCertificateFile",
    "the server's certificate and those between it and the root; with its key, requests come by HTTPS",
  ),
  pemFile("tlsKeyFile", "the certificate's private key"),
  secret("adminKey", "key that may do everything (mask 127); not stored"),
  secret("ingestKey", "key that may read and write all indexes (mask 15); not stored"),
  secret("readKey", "key that may search all indexes (mask 1); not stored"),
  {
    ...secret(
      "secretKey",
      "key that secrets in the data folder are encrypted with; without it one is made in secret.key there",
    ),
    expects: "32 bytes, written as 64 hex digits or 44 characters of base64",
    example: "$(openssl rand -base64 32)",
    schema: Type.String({ pattern: SECRET_KEY_PATTERN }),
  },
  onOff("auth", "whether requests need a key; off only on a loopback address", true),
  choice(
    "mcp",
    "what the Model Context Protocol may do at /mcp, within the rights of the caller's key: nothing, read, or change documents too",
    MCP_ACCESS,
    "read",
  ),
  {
    ...setting("corsOrigins", "list", "origins whose pages may call this server", ["*"]),
    expects: "* or a comma-separated list of origins such as https://shop.example",
    example: "https://shop.example,http://localhost:3000",
    schema: Type.Union([
      Type.Tuple([Type.Literal("*")]),
      Type.Array(Type.String({ pattern: "^[a-z][a-z0-9+.-]*://[^/\\s,*]+$" }), {
        minItems: 1,
        maxItems: 1000,
      }),
    ]),
  },
  {
    ...setting("trustedProxies", "list", "proxies whose X-Forwarded-For tells the client's address", []),
    expects: "a comma-separated list of addresses and networks such as 10.0.0.0/8",
    example: "127.0.0.1,10.0.0.0/8",
    schema: Type.Array(Type.Refine(Type.String(), isAddressOrNetwork), { maxItems: 1000 }),
  },
  {
    ...setting(
      "llmAllowedBaseUrls",
      "list",
      "origins that indexes may name as their language model's base URL",
      DEFAULT_ALLOWED_LLM_BASE_URLS,
    ),
    expects: "a comma-separated list of origins such as http://localhost:11434",
    example: "http://localhost:11434,https://llm.example",
    schema: Type.Array(Type.String({ pattern: "^https?://[^/\\s,*@?#]+$" }), { minItems: 1, maxItems: 1000 }),
  },
  gateway("anthropicBaseUrl", "Anthropic", "https://gateway.example/v1"),
  gateway("bedrockBaseUrl", "Amazon Bedrock", "https://gateway.example"),
  gateway("googleBaseUrl", "Google", "https://gateway.example/v1beta"),
  gateway("mistralBaseUrl", "Mistral", "https://gateway.example/v1"),
  gateway("openaiBaseUrl", "OpenAI", "https://gateway.example/v1"),
  gateway("xaiBaseUrl", "xAI", "https://gateway.example/v1"),
  whole("maxResultLimit", "greatest limit a search may ask for", 1, 100_000, 200),
  megabytes("documentBodyLimitMb", "largest request that carries documents, in MiB", BODY_LIMIT_MAX, 64),
  megabytes("bodyLimitMb", "largest other request, in MiB", BODY_LIMIT_MAX, 2),
  megabytes(
    "bodyMemoryMb",
    "MiB that the bodies of all running requests may take, beyond which senders are told to come again (429), and as many for answers that wait for their readers, beyond which those who read for longest are cut off",
    BODY_MEMORY_MAX,
    256,
  ),
  whole("documentsPerRequest", "documents that one request may add", 1, 1_000_000, 10_000),
  whole(
    "dictionaryEntriesPerRequest",
    "synonyms or stopwords that one request may add",
    1,
    1_000_000,
    10_000,
  ),
  whole("queryClauses", "clauses in a query array", 1, 10_000, 64),
  whole("queryLength", "characters in one ctx", 1, 1_000_000, 10_000),
  // No more, so that the stack holds every query that is let through.
  whole("queryDepth", "levels of parentheses and NOT in one query string", 1, 500, 64),
  whole("queryTerms", "terms that one search may look up, words times fields", 1, 1_000_000, 20_000),
  whole("searchTimeoutMs", "milliseconds after which a search is stopped", 10, 3_600_000, 5000),
  {
    ...setting(
      "searchThreads",
      "number",
      "threads for searches that take long; 0 runs all in the main thread; without it one less than there are cores, at least one",
      undefined,
    ),
    expects: "a whole number from 0 to 64",
    example: "2",
    schema: Type.Integer({ minimum: 0, maximum: 64 }),
  },
  whole("cursorIdleSeconds", "seconds after which a cursor that nobody reads is closed", 1, 86_400, 300),
  whole(
    "slowSearchMs",
    "milliseconds from which on a search is logged and among the slow ones of /admin/slow-searches; 0: none is",
    0,
    3_600_000,
    250,
  ),
  onOff("console", "whether the console is served at /console", true),
  onOff("putCreates", "whether PUT on a missing index creates it", false),
  onOff("measure", "whether usage events are stored; off: the measure endpoints answer and do nothing", true),
  {
    ...secret(
      "measureUrl",
      "ClickHouse server that stores usage events; without it they stay in the data folder",
    ),
    expects: "of the form http://user:password@host:8123/database",
    example: "http://findling:password@localhost:8123/findling",
    schema: Type.String({ pattern: "^https?://([^\\s/@]*@)?[^\\s/@?#]+(/([A-Za-z_][A-Za-z0-9_]*)?)?$" }),
  },
  whole("measureQueueMb", "MiB of usage events that may wait on disk for their store", 8, 1_048_576, 1024),
  whole("measureMemoryMb", "MiB of buffers for usage events in the data folder", 64, 65_536, 128),
  onOff("measureAcceptsReadKeys", "whether read keys may send measure events", false),
  whole("measureRetentionDays", "days that usage events are kept; 0 keeps them for ever", 0, 36_500, 0),
  choice(
    "measureIpAddresses",
    "IP addresses in usage events: kept in full, shortened to the network (/24, /48 of IPv6), or off",
    IP_ADDRESS_POLICIES,
    "full",
  ),
  onOff("strictSummaryPermission", "whether summaries need permission bit 64", false),
  whole(
    "summaryCallsPerKey",
    "calls of a language model that one access key may cause per minute; 0 is any number",
    0,
    1_000_000,
    0,
  ),
  whole(
    "summaryCallsPerIndex",
    "calls of a language model for one index per minute; 0 is any number",
    0,
    1_000_000,
    0,
  ),
  whole("summaryConcurrentCalls", "calls of language models that may run at a time", 1, 10_000, 256),
  choice("logLevel", "least severity that is logged", LOG_LEVELS, "info"),
  choice("logFormat", "one JSON object or one line of text per event", LOG_FORMATS, "json"),
  onOff(
    "traceTexts",
    "whether traces by OpenTelemetry hold searches' bodies, prompts and what models say; they never hold keys",
    false,
  ),
  whole(
    "memoryBudgetMb",
    "MiB that writing may take, over all indexes: documents that wait to be written, and pending ones before they go to disk; beyond it senders are told to come again (429)",
    8,
    65_536,
    128,
  ),
  onOff(
    "writingThread",
    "whether indexes are written in a thread of their own; off: in the one that answers requests",
    true,
  ),
  whole(
    "openIndexes",
    "indexes that are open at the same time; the others sleep until used",
    1,
    100_000,
    500,
  ),
  whole(
    "openIndexMemoryMb",
    "MiB that open indexes may take together before the least recently used ones sleep; 0 is half of the machine's memory",
    0,
    16_777_216,
    0,
  ),
  choice(
    "backend",
    "where documents, settings and keys are kept: in the data folder, or in an OpenSearch cluster",
    BACKENDS,
    "embedded",
  ),
  {
    ...setting("opensearchUrl", "list", "addresses of the nodes of one OpenSearch cluster", undefined),
    expects: "a comma-separated list of http or https URLs without user and path",
    example: "https://a.example:9200,https://b.example:9200",
    schema: Type.Array(Type.String({ pattern: "^https?://[^/\\s,*@?#]+/?$" }), {
      minItems: 1,
      maxItems: 100,
    }),
  },
  {
    ...setting("opensearchUser", "text", "user of the OpenSearch cluster", undefined),
    expects: "1 to 200 characters",
    example: "findling",
    schema: Type.String({ pattern: "^[^:\\u0000-\\u001f]{1,200}$" }),
  },
  {
    ...secret("opensearchPassword", "password of that user"),
    expects: "1 to 512 characters",
    example: "a-pass-phrase",
    schema: Type.String({ minLength: 1, maxLength: 512 }),
  },
  {
    ...setting(
      "opensearchCaFile",
      "text",
      "file of certificates that those of the nodes are signed by; without it the system's",
      undefined,
    ),
    expects: "a path to a file in PEM",
    example: "/etc/findling/ca.pem",
    schema: Type.String({ pattern: "^[^\\u0000]+$" }),
  },
  text(
    "opensearchPrefix",
    "what the names of all indices of this Findling in the cluster begin with",
    "1 to 60 small letters, digits, _ and -, the first a letter",
    "findling",
    "^[a-z][a-z0-9_-]{0,59}$",
  ),
  whole("opensearchShards", "primary shards of each new index in the cluster", 1, 64, 1),
  whole("opensearchReplicas", "copies of each shard in the cluster, as far as there are nodes", 0, 9, 1),
  {
    ...setting(
      "backupUrl",
      "text",
      "where backups are: a folder, or a bucket of S3 or of what speaks like it (endpoint and credentials by the AWS variables)",
      undefined,
    ),
    expects: "file:// and an absolute path, or s3://bucket/prefix",
    example: "file:///var/backups/findling",
    schema: Type.String({ pattern: BACKUP_URL_PATTERN }),
  },
  {
    ...setting(
      "backupSchedule",
      "text",
      "when backups are made by themselves: every so many minutes, hours or days, or once a day at a time of UTC; without it never",
      undefined,
    ),
    expects: "of the form 30m, 6h, 1d or 03:30",
    example: "6h",
    schema: Type.String({ pattern: "^([1-9][0-9]{0,3}[mhd]|([01][0-9]|2[0-3]):[0-5][0-9])$" }),
  },
  whole("backupKeep", "backups that stay once the schedule has made another one; 0 keeps all", 0, 10_000, 0),
  {
    ...setting(
      "restoreFrom",
      "text",
      "the backup that the first start on an empty data folder restores: its id, or latest; passed over once the folder holds data",
      undefined,
    ),
    expects: "latest or the id of a backup",
    example: "latest",
    schema: Type.String({ pattern: "^(latest|[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8})$" }),
  },
  whole("indexIdleSeconds", "seconds after which an index that nobody uses sleeps", 1, 86_400, 600),
  {
    ...setting("stopTimeoutSeconds", "number", "seconds that a stop waits for running requests", 5),
    expects: "a number of seconds from 0 to 600",
    example: "5",
    schema: Type.Number({ minimum: 0, maximum: 600 }),
  },
];

/** The whole configuration as one schema: what the file may hold, and what the start checks last. */
export const CONFIGURATION_SCHEMA: TObject = Type.Object(
  Object.fromEntries(
    SETTINGS.map((each) => [
      each.name,
      each.default === undefined ? Type.Optional(each.schema) : each.schema,
    ]),
  ),
  { additionalProperties: false },
);

const SETTINGS_BY_NAME: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((each) => [each.name, each]));

export function settingNamed(name: SettingName): Setting {
  return SETTINGS_BY_NAME.get(name)!;
}

type SettingBase = Pick<
  Setting,
  "name" | "environmentName" | "fileName" | "kind" | "description" | "isSecret" | "default"
>;

function setting(
  name: SettingName,
  kind: Setting["kind"],
  description: string,
  byDefault: Setting["default"],
): SettingBase {
  const fileName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const environmentName = `FINDLING_${fileName.toUpperCase()}`;
  return { name, environmentName, fileName, kind, description, isSecret: false, default: byDefault };
}

function text(
  name: SettingName,
  description: string,
  expects: string,
  byDefault: string,
  pattern: string,
): Setting {
  const schema = Type.String({ pattern });
  return { ...setting(name, "text", description, byDefault), expects, example: byDefault, schema };
}

function pemFile(name: SettingName, description: string): Setting {
  return {
    ...setting(name, "text", description, undefined),
    expects: "a path to a file in PEM, read again when it changes",
    example: "/etc/findling/tls.pem",
    schema: Type.String({ pattern: "^[^\\u0000]+$" }),
  };
}

function gateway(name: SettingName, provider: string, example: string): Setting {
  return {
    ...setting(name, "text", `base URL that takes the place of ${provider}'s own`, undefined),
    expects: "an http or https URL, version path included, without user, query and fragment",
    example,
    schema: Type.Refine(Type.String(), (text) => BASE_URL_PATTERN.test(text) && URL.canParse(text)),
  };
}

function isAddressOrNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return (
    rest.length === 0 &&
    bits > 0 &&
    (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

function secret(name: SettingName, description: string): Setting {
  return {
    ...setting(name, "text", description, undefined),
    isSecret: true,
    expects: KEY_EXPECTS,
    example: "k3y-of-your-own-making",
    schema: Type.String({ pattern: KEY_PATTERN }),
  };
}

function whole(
  name: SettingName,
  description: string,
  minimum: number,
  maximum: number,
  byDefault: number,
): Setting {
  return {
    ...setting(name, "number", description, byDefault),
    expects: `a whole number from ${minimum} to ${maximum}`,
    example: String(byDefault),
    schema: Type.Integer({ minimum, maximum }),
  };
}

function megabytes(name: SettingName, description: string, maximum: number, byDefault: number): Setting {
  return {
    ...setting(name, "number", description, byDefault),
    expects: `a number of MiB above 0 up to ${maximum}`,
    example: String(byDefault),
    schema: Type.Number({ exclusiveMinimum: 0, maximum }),
  };
}

function onOff(name: SettingName, description: string, byDefault: boolean): Setting {
  return {
    ...setting(name, "switch", description, byDefault),
    expects: "on or off",
    example: byDefault ? "on" : "off",
    schema: Type.Boolean(),
  };
}

function choice(
  name: SettingName,
  description: string,
  values: readonly string[],
  byDefault: string,
): Setting {
  return {
    ...setting(name, "text", description, byDefault),
    expects: `one of ${values.join(", ")}`,
    example: byDefault,
    schema: Type.Enum([...values]),
  };
}
