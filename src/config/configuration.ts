/** Everything an operator can set; one meaning whether it comes from a flag, the environment or the file. */
export interface Configuration {
  readonly host: string;
  /** 0 asks the operating system for a free port. */
  readonly port: number;
  readonly dataDir: string;
  /** Secrets: never printed, logged or put into an error message. */
  readonly adminKey?: string;
  readonly ingestKey?: string;
  readonly readKey?: string;
  /** What secrets in the data folder are encrypted with: 32 bytes as hex or base64. One is generated if it is absent. */
  readonly secretKey?: string;
  /** PEM files, both or none: connections are encrypted where they are given. */
  readonly tlsCertificateFile?: string;
  readonly tlsKeyFile?: string;
  /** False only on loopback: every request then counts as super-user (contract 2.1). */
  readonly auth: boolean;
  /** `["*"]` or a list of origins. */
  readonly corsOrigins: readonly string[];
  /** Whether `/mcp` answers, and whether its tools may change documents where the access key may. */
  readonly mcp: McpAccess;
  /** Addresses and networks whose `X-Forwarded-For` is believed; none: the connection's address is the client's. */
  readonly trustedProxies: readonly string[];
  /** Origins that an index may name as the base URL of its language model (contract 4.4). */
  readonly llmAllowedBaseUrls: readonly string[];
  /**
   * What takes the place of a provider's own base URL, version path included (contract 4.4): http or
   * https, without user, query and fragment.
   */
  readonly anthropicBaseUrl?: string;
  readonly bedrockBaseUrl?: string;
  readonly googleBaseUrl?: string;
  readonly mistralBaseUrl?: string;
  readonly openaiBaseUrl?: string;
  readonly xaiBaseUrl?: string;
  /** Greatest `limit` of a search. */
  readonly maxResultLimit: number;
  /** Mebibytes of a request that carries documents. */
  readonly documentBodyLimitMb: number;
  /** Mebibytes of any other request. */
  readonly bodyLimitMb: number;
  /** Mebibytes that the bodies of all running requests may take in memory, and as many for answers that wait for their readers. */
  readonly bodyMemoryMb: number;
  readonly documentsPerRequest: number;
  /** Synonym or stopword entries in one request. */
  readonly dictionaryEntriesPerRequest: number;
  /** Clauses in a query array. */
  readonly queryClauses: number;
  /** Code points in one `ctx`. */
  readonly queryLength: number;
  /** Levels of parentheses and NOT in one query string. */
  readonly queryDepth: number;
  /** Terms that one search looks up: every word in each field that it is searched in. */
  readonly queryTerms: number;
  /** How long a search may take, waiting included. */
  readonly searchTimeoutMs: number;
  /** Threads for searches that take long; 0: none. Absent: one less than there are cores, at least one. */
  readonly searchThreads?: number;
  /** How long the cursor of a search stays open while no page is asked for. */
  readonly cursorIdleSeconds: number;
  readonly putCreates: boolean;
  /** Whether usage events are stored. */
  readonly measure: boolean;
  /** ClickHouse, with user and password: a secret. Absent: an embedded database in the data folder. */
  readonly measureUrl?: string;
  /** Mebibytes of usage events that may wait on disk. */
  readonly measureQueueMb: number;
  /** Mebibytes of the embedded database's buffers. */
  readonly measureMemoryMb: number;
  readonly measureAcceptsReadKeys: boolean;
  /** How long usage events are kept; 0 = for ever. */
  readonly measureRetentionDays: number;
  readonly measureIpAddresses: IpAddressPolicy;
  readonly strictSummaryPermission: boolean;
  /** Whether the console is served at `/console`. */
  readonly console: boolean;
  /** From how many milliseconds on a search is kept as slow; 0: none is. */
  readonly slowSearchMs: number;
  /** Calls of a language model per minute for the summaries of one access key; 0 = any number. */
  readonly summaryCallsPerKey: number;
  /** Calls of a language model per minute for the summaries of one index; 0 = any number. */
  readonly summaryCallsPerIndex: number;
  /** Calls of language models at a time. */
  readonly summaryConcurrentCalls: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Whether spans hold search bodies, prompts and what models say. */
  readonly traceTexts: boolean;
  /** Mebibytes that writing may take over all indexes: waiting documents, and pending ones before they go to disk. */
  readonly memoryBudgetMb: number;
  /** Whether indexes are written in a thread of their own. */
  readonly writingThread: boolean;
  /** Indexes that are open at the same time; the others sleep until they are used. */
  readonly openIndexes: number;
  /** Mebibytes that open indexes may take together; 0: half of the machine's memory. */
  readonly openIndexMemoryMb: number;
  /** How long an index stays open that nobody uses. */
  readonly indexIdleSeconds: number;
  /** Where documents and settings are kept: in the data folder, or in an OpenSearch cluster. */
  readonly backend: BackendKind;
  /** Addresses of the cluster's nodes. */
  readonly opensearchUrl?: readonly string[];
  readonly opensearchUser?: string;
  /** A secret. */
  readonly opensearchPassword?: string;
  /** File of certificates in PEM that the nodes' own are signed by; absent: the system's. */
  readonly opensearchCaFile?: string;
  /** What the names of the cluster's indices begin with. */
  readonly opensearchPrefix: string;
  /** Primary shards of each new index. */
  readonly opensearchShards: number;
  /** Copies of each shard, as far as there are nodes. */
  readonly opensearchReplicas: number;
  /** Where backups are: `file:///a/folder` or `s3://bucket/prefix`; absent: nowhere. */
  readonly backupUrl?: string;
  /** When backups are made by themselves (`BackupOptions.schedule`); absent: never. */
  readonly backupSchedule?: string;
  /** How many backups stay once the schedule has made another one; 0: all. */
  readonly backupKeep: number;
  /** A backup that the first start restores: an id, or `latest`. */
  readonly restoreFrom?: string;
  /** How long a stop waits for running requests. */
  readonly stopTimeoutSeconds: number;
}

/** What is kept of IP addresses in usage events: all, the network, nothing. */
export const IP_ADDRESS_POLICIES = ["full", "shortened", "off"] as const;
export type IpAddressPolicy = (typeof IP_ADDRESS_POLICIES)[number];

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export const MCP_ACCESS = ["off", "read", "write"] as const;
export type McpAccess = (typeof MCP_ACCESS)[number];

export type SettingName = keyof Configuration;

export const BACKENDS = ["embedded", "opensearch"] as const;
export type BackendKind = (typeof BACKENDS)[number];
