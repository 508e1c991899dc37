// The layer table of ARCHITECTURE.md as executable rules: `npm run check:layers`.

/** What each folder may import besides itself. A path ending in .ts is that one file. */
const MAY_IMPORT = {
  "src/errors": [],
  "src/json": [],
  "src/contract": ["src/errors"],
  "src/analysis": ["src/errors"],
  "src/engine": ["src/errors", "src/analysis"],
  // The door that others go in by: what programs see of the engine stands above the query language.
  "src/engine/index.ts": ["src/library"],
  "src/library": [
    "src/errors",
    "src/contract",
    "src/intake",
    "src/query",
    "src/analysis",
    "src/engine/server-door.ts",
    // Plans are run on a snapshot, and schemas become the engine's, as in the server.
    "src/adapters/embedded/from-engine-schema.ts",
    "src/adapters/embedded/lower-query.ts",
    "src/adapters/embedded/search-index.ts",
  ],
  "src/intake": ["src/errors", "src/contract"],
  "src/query": ["src/errors", "src/contract", "src/analysis"],
  "src/ports": ["src/errors", "src/contract", "src/intake", "src/query"],
  "src/services": ["src/errors", "src/contract", "src/intake", "src/query", "src/ports"],
  "src/mcp": ["src/errors", "src/contract"],
  "src/http": ["src/errors", "src/contract", "src/intake", "src/services", "src/mcp"],

  // Inside http: what is the same for every way in comes first, the two ways and the server that joins them last.
  "src/http/log": [],
  "src/http/answers": ["src/errors", "src/contract", "src/services", "src/http/log"],
  "src/http/hooks": ["src/contract", "src/services", "src/http/answers", "src/http/log"],
  "src/http/body": ["src/errors", "src/contract", "src/intake", "src/http/answers"],
  "src/http/event-stream": [],
  "src/http/built-files": [],
  "src/http/console": ["src/errors", "src/contract", "src/http/built-files"],
  "src/http/docs": ["src/errors", "src/contract", "src/http/answers", "src/http/built-files"],
  "src/http/routes": [
    "src/errors",
    "src/contract",
    "src/mcp",
    "src/services",
    "src/http/answers",
    "src/http/event-stream",
    "src/http/hooks",
  ],
  "src/http/short-way": [
    "src/contract",
    "src/intake",
    "src/services",
    "src/http/answers",
    "src/http/body",
    "src/http/hooks",
    "src/http/routes",
  ],
  "src/http/server": [
    "src/errors",
    "src/contract",
    "src/intake",
    "src/services",
    "src/http/answers",
    "src/http/body",
    "src/http/console",
    "src/http/docs",
    "src/http/event-stream",
    "src/http/hooks",
    "src/http/log",
    "src/http/routes",
    "src/http/short-way",
  ],
  "src/adapters/embedded": [
    "src/errors",
    "src/contract",
    "src/intake",
    "src/query",
    "src/ports",
    "src/analysis",
    "src/engine/server-door.ts",
  ],
  "src/adapters/object-stores": ["src/errors", "src/ports"],
  "src/adapters/opensearch": [
    "src/errors",
    "src/contract",
    "src/intake",
    "src/query",
    "src/ports",
    "src/analysis",
    // Values are ordered and analysed, queries bound and hits shown as by the engine.
    "src/engine/server-door.ts",
    "src/adapters/embedded/show-hits.ts",
    "src/adapters/embedded/to-engine-schema.ts",
    "src/adapters/embedded/document-changes.ts",
    // Catalogs seal the same secrets in the same forms.
    "src/adapters/catalog",
  ],
  "src/manual-search": ["src/library"],
  "src/adapters/events": ["src/errors", "src/contract", "src/ports"],
  "src/adapters/catalog": ["src/errors", "src/contract", "src/ports"],
  "src/adapters/language-models": ["src/errors", "src/contract", "src/ports"],
  "src/adapters/clock": ["src/ports"],
  "src/adapters/metrics": ["src/errors", "src/contract", "src/ports"],
  "src/adapters/telemetry": ["src/errors", "src/ports"],
  "src/config": ["src/errors", "src/contract"],
  "src/client": ["src/contract"],
  "src/cli": [
    "src/errors",
    "src/config",
    "src/contract",
    "src/intake",
    "src/client",
    "src/server.ts",
    "src/backups.ts",
    "src/cluster-storage.ts",
    "src/move.ts",
    "src/engine/server-door.ts",
    // By itself, as loading a whole server to look at a folder takes half a second.
    "src/adapters/catalog/adopt-index.ts",
    "src/adapters/catalog/check-stored-secrets.ts",
    "src/adapters/catalog/index-description.ts",
    "src/adapters/catalog/read-data-folder.ts",
    "src/adapters/embedded/from-engine-schema.ts",
    "src/adapters/events/duckdb/check-duckdb.ts",
    "src/adapters/events/queue/check-waiting-events.ts",
  ],

  // Inside the engine: the indexer and the search never meet, engine/document-index.ts joins them.
  "src/engine/bytes": ["src/errors"],
  "src/engine/schema": ["src/errors", "src/analysis", "src/engine/bytes"],
  "src/engine/directory": ["src/errors", "src/engine/bytes"],
  "src/engine/kernels": ["src/errors", "src/engine/bytes"],
  "src/engine/journal": ["src/errors", "src/engine/bytes", "src/engine/directory"],
  "src/engine/segment": [
    "src/errors",
    "src/analysis",
    "src/engine/bytes",
    "src/engine/schema",
    "src/engine/directory",
    "src/engine/kernels",
  ],
  "src/engine/indexer": [
    "src/errors",
    "src/analysis",
    "src/engine/bytes",
    "src/engine/schema",
    "src/engine/directory",
    "src/engine/journal",
    "src/engine/kernels",
    "src/engine/segment",
  ],
  "src/engine/search": [
    "src/errors",
    "src/analysis",
    "src/engine/bytes",
    "src/engine/schema",
    "src/engine/kernels",
    "src/engine/segment",
  ],
  "src/engine/snapshot": [
    "src/errors",
    "src/engine/schema",
    "src/engine/directory",
    "src/engine/segment",
    "src/engine/search",
  ],
  "src/engine/inspect": [
    "src/errors",
    "src/analysis",
    "src/engine/bytes",
    "src/engine/schema",
    "src/engine/directory",
    "src/engine/journal",
    "src/engine/segment",
    "src/engine/indexer",
  ],
};

/** The same for the rooms of a segment, which import what lies beside them in their folder as well. */
const SEGMENT_ROOMS = {
  check: ["columns", "postings", "terms", "text-order"],
  columns: ["strings"],
  container: [],
  "doc-store": [],
  "document-ids": [],
  "field-norms": [],
  postings: [],
  strings: [],
  terms: ["field-norms", "postings", "strings"],
  "text-order": ["doc-store", "strings"],
};

/**
 * Inside the engine's search: what each folder may import of the others, in the order of a query's way from below. Files
 * beside the folders put them together; of those the folders know only the words that all speak.
 */
const SEARCH = "src/engine/search";
const SEARCH_WORDS = ["query", "search-types", "search-interrupt"].map((name) => `${SEARCH}/${name}.ts`);
const SEARCH_MAY_IMPORT = {
  automaton: [],
  similarity: [],
  statistics: ["automaton"],
  evaluators: ["automaton", "similarity"],
  plan: ["evaluators", "similarity", "statistics"],
  weights: ["automaton", "evaluators", "plan", "similarity", "statistics"],
  ranking: ["evaluators", "plan", "similarity"],
  collectors: ["evaluators", "statistics"],
};

/** Inside the console: pages are made of panels, which ask by the api and are drawn with ui. All know the texts. */
const CONSOLE_MAY_IMPORT = {
  ui: [],
  api: [],
  panels: ["api", "ui"],
  pages: ["api", "panels", "ui"],
};
const CONSOLE_WORDS = "^console/texts[.]ts$";

const consoleRules = Object.entries(CONSOLE_MAY_IMPORT).flatMap(([folder, allowed]) => [
  {
    name: `console/${folder} imports of the console only ${allowed.join(", ") || "itself"} and the texts`,
    severity: "error",
    from: { path: `^console/${folder}/` },
    to: {
      path: "^console/",
      pathNot: [CONSOLE_WORDS, ...[folder, ...allowed].map((name) => `^console/${name}/`)],
    },
  },
]);

/** The composition roots, of a server, of its storage in a folder or a cluster, of what is done with backups without one and of moves: they may import everything. */
const COMPOSITION_ROOT = "src/(server|backups|cluster-storage|embedded-storage|move).ts";

/** Tests run over real collaborators, so they may reach across layers. */
const TESTS = "[.]test[.]ts$";

/** The package's door to the engine lies in its folder, so that it stays where it always was, but isn't of it. */
const ENGINE_DOOR = "^src/engine/index[.]ts$";

const pattern = (path) => (path.endsWith(".ts") ? `^${path}$` : `^${path}/`);

/** How JSON is read and written is the same for all. */
const FOR_ALL = "src/json";

const layerRules = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `${folder} imports only ${allowed.join(", ") || "itself"}`,
  severity: "error",
  from: { path: pattern(folder), pathNot: folder === "src/engine" ? [TESTS, ENGINE_DOOR] : [TESTS] },
  to: { path: "^src/", pathNot: [folder, FOR_ALL, ...allowed].map(pattern) },
}));

const SEGMENT = "src/engine/segment";

const segmentRules = Object.entries(SEGMENT_ROOMS).map(([room, allowed]) => ({
  name: `${SEGMENT}/${room} imports no other room than ${allowed.join(", ") || "itself"}`,
  severity: "error",
  from: { path: pattern(`${SEGMENT}/${room}`), pathNot: TESTS },
  to: {
    path: `^${SEGMENT}/[^/]+/`,
    pathNot: [room, ...allowed].map((each) => pattern(`${SEGMENT}/${each}`)),
  },
}));

const searchRules = Object.entries(SEARCH_MAY_IMPORT).map(([folder, allowed]) => ({
  name: `${SEARCH}/${folder} imports of the search only ${allowed.join(", ") || "itself"}`,
  severity: "error",
  from: { path: `^${SEARCH}/${folder}/`, pathNot: TESTS },
  to: {
    path: `^${SEARCH}/`,
    pathNot: [...[folder, ...allowed].map((name) => `${SEARCH}/${name}`), ...SEARCH_WORDS].map(pattern),
  },
}));

const PACKAGES = ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"];

module.exports = {
  forbidden: [
    ...layerRules,
    ...segmentRules,
    {
      name: "every room of a segment is in the table",
      severity: "error",
      from: {
        path: `^${SEGMENT}/[^/]+/`,
        pathNot: Object.keys(SEGMENT_ROOMS).map((room) => pattern(`${SEGMENT}/${room}`)),
      },
      to: {},
    },
    ...searchRules,
    ...consoleRules,
    {
      name: "the console asks the server as any other program does: by the client, and with its types",
      severity: "error",
      from: { path: "^console/" },
      to: {
        path: "^src/",
        // What documents look like is guessed in a terminal and in a browser alike.
        pathNot: ["^src/client/", "^src/contract/", "^src/cli/import/schema-inference[.]ts$"],
      },
    },
    {
      name: "the server knows nothing of the console's insides",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^console/" },
    },
    {
      name: "every folder of the search is in the table",
      severity: "error",
      from: {
        path: `^${SEARCH}/[^/]+/`,
        pathNot: Object.keys(SEARCH_MAY_IMPORT).map((name) => `^${SEARCH}/${name}/`),
      },
      to: {},
    },
    {
      name: "every folder is in the table",
      severity: "error",
      from: { path: "^src/", pathNot: [...Object.keys(MAY_IMPORT), COMPOSITION_ROOT].map(pattern) },
      to: {},
    },
    { name: "no cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "the core has no packages",
      severity: "error",
      from: {
        path: "^src/(errors|analysis|engine|library|query|ports|services)/",
        pathNot: [TESTS, "^src/analysis/languages/"],
      },
      to: { dependencyTypes: PACKAGES },
    },
    {
      name: "built-ins only at the edges",
      severity: "error",
      from: {
        path: "^src/(errors|contract|analysis|library|query|ports|services|client|engine/(?!directory|bytes))",
        // Languages load their packages when an index first asks for one, kernels their module.
        pathNot: [TESTS, "^src/analysis/languages/", "^src/engine/kernels/kernel-module[.]ts$"],
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "the packages of language models are loaded at the first call",
      severity: "error",
      from: { path: "^src/adapters/language-models/", pathNot: TESTS },
      to: { path: "node_modules", dynamic: false, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "nothing imports the command line or the composition root but the binary",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/cli/", TESTS] },
      to: { path: ["^src/cli/", "^src/server[.]ts$"] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
  },
};
