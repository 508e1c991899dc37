import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FindlingError } from "../errors/index.js";
import {
  type ConfigurationSources,
  describeConfiguration,
  loadConfiguration,
  SETTINGS,
  serviceVariables,
} from "./index.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-configuration-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("loadConfiguration", () => {
  test("has a default for everything but the keys (contract 8)", () => {
    expect(loadConfiguration({ env: {} })).toEqual({
      backupKeep: 0,
      host: "127.0.0.1",
      port: 8000,
      dataDir: "./findling-data",
      auth: true,
      backend: "embedded",
      opensearchPrefix: "findling",
      opensearchShards: 1,
      opensearchReplicas: 1,
      mcp: "read",
      corsOrigins: ["*"],
      trustedProxies: [],
      llmAllowedBaseUrls: ["http://localhost:11434"],
      maxResultLimit: 200,
      documentBodyLimitMb: 64,
      bodyLimitMb: 2,
      bodyMemoryMb: 256,
      documentsPerRequest: 10_000,
      dictionaryEntriesPerRequest: 10_000,
      queryClauses: 64,
      queryLength: 10_000,
      queryDepth: 64,
      queryTerms: 20_000,
      searchTimeoutMs: 5000,
      cursorIdleSeconds: 300,
      slowSearchMs: 250,
      console: true,
      putCreates: false,
      measure: true,
      measureQueueMb: 1024,
      measureMemoryMb: 128,
      measureAcceptsReadKeys: false,
      measureRetentionDays: 0,
      measureIpAddresses: "full",
      strictSummaryPermission: false,
      summaryCallsPerKey: 0,
      summaryCallsPerIndex: 0,
      summaryConcurrentCalls: 256,
      logLevel: "info",
      logFormat: "json",
      memoryBudgetMb: 128,
      writingThread: true,
      openIndexes: 500,
      openIndexMemoryMb: 0,
      indexIdleSeconds: 600,
      // Containers are killed after ten seconds, of which storage needs some.
      stopTimeoutSeconds: 5,
      traceTexts: false,
    });
  });

  test("passes over what Kubernetes sets for services of the same name", () => {
    const env = {
      FINDLING_SERVICE_HOST: "10.0.0.1",
      FINDLING_SERVICE_PORT: "8000",
      FINDLING_SERVICE_PORT_HTTP: "8000",
      FINDLING_PORT: "tcp://10.0.0.1:8000",
      FINDLING_PORT_8000_TCP: "tcp://10.0.0.1:8000",
      FINDLING_PORT_8000_TCP_PROTO: "tcp",
      FINDLING_PORT_8000_TCP_PORT: "8000",
      FINDLING_PORT_8000_TCP_ADDR: "10.0.0.1",
      FINDLING_CONSOLE_SERVICE_HOST: "10.0.0.2",
      FINDLING_CONSOLE_PORT: "tcp://[fd00::2]:80",
      FINDLING_CONSOLE_PORT_80_TCP_ADDR: "fd00::2",
    };
    expect(serviceVariables({ ...env, FINDLING_HOST: "0.0.0.0" })).toEqual(Object.keys(env));
    const path = file("port.yaml", "port: 9000\n");
    expect(loadConfiguration({ env: { ...env, FINDLING_CONFIG: path } }).port).toBe(9000);
  });

  test("passes over settings that earlier versions had", () => {
    const path = file("former.yaml", "answer_cache_mb: 64\nport: 9000\n");
    const env = { FINDLING_ANSWER_CACHE_MB: "64", FINDLING_CONFIG: path };
    expect(loadConfiguration({ env }).port).toBe(9000);
  });

  test("prefers flags to the environment, the environment to the file, the file to the default", () => {
    const path = file("precedence.yaml", "port: 1\nmax_result_limit: 1\nquery_clauses: 1\n");
    const env = { FINDLING_PORT: "2", FINDLING_MAX_RESULT_LIMIT: "2", FINDLING_CONFIG: path };
    const configuration = loadConfiguration({ env, flags: { port: "3" } });
    expect(configuration).toMatchObject({ port: 3, maxResultLimit: 2, queryClauses: 1, queryLength: 10_000 });
  });

  test("reads the file that the caller names rather than FINDLING_CONFIG", () => {
    const env = { FINDLING_CONFIG: file("ignored.json", '{"port": 1}') };
    expect(loadConfiguration({ env, file: file("named.json", '{"port": 2}') }).port).toBe(2);
  });

  test("reads the same settings from YAML and JSON, lists and switches in either spelling", () => {
    const yaml = file(
      "all.yml",
      "auth: off\ncors_origins: [https://a.example, http://b.example:3000]\nput_creates: true\n",
    );
    const json = file(
      "all.json",
      '{"auth":false,"cors_origins":"https://a.example,http://b.example:3000","put_creates":"on"}',
    );
    const expected = {
      auth: false,
      corsOrigins: ["https://a.example", "http://b.example:3000"],
      putCreates: true,
    };
    for (const path of [yaml, json]) {
      expect(loadConfiguration({ env: {}, file: path })).toMatchObject(expected);
    }
  });

  test("takes an empty variable, an empty file and a null member as not set", () => {
    expect(loadConfiguration({ env: { FINDLING_PORT: " " } }).port).toBe(8000);
    expect(loadConfiguration({ env: {}, file: file("empty.yaml", "# nothing yet\n") }).port).toBe(8000);
    expect(loadConfiguration({ env: {}, file: file("null.json", '{"port":null}') }).port).toBe(8000);
  });

  test.each(["marked.json", "marked.yaml"])("passes over the byte order mark of %s", (name) => {
    expect(loadConfiguration({ env: {}, file: file(name, '\uFEFF{"port": 9000}') }).port).toBe(9000);
  });

  test.each(["yes", "true", "1", "ON"])("takes '%s' as on", (word) => {
    expect(loadConfiguration({ env: { FINDLING_PUT_CREATES: word } }).putCreates).toBe(true);
  });

  test.each([
    "https://gateway.example/v1",
    "http://127.0.0.1:8080/a/v1beta/",
    "http://[::1]:9000",
    "https://gateway.example./",
  ])("takes the gateway %s for every hosted provider", (url) => {
    const names = ["anthropic", "bedrock", "google", "mistral", "openai", "xai"];
    const env = Object.fromEntries(names.map((name) => [`FINDLING_${name.toUpperCase()}_BASE_URL`, url]));
    expect(loadConfiguration({ env })).toMatchObject(
      Object.fromEntries(names.map((name) => [`${name}BaseUrl`, url])),
    );
  });

  test("takes a secret key in hex and in base64 of either alphabet", () => {
    for (const key of [`${"0aB".repeat(21)}f`, `${"+/a".repeat(14)}A=`, `${"-_a".repeat(14)}A`]) {
      expect(loadConfiguration({ env: { FINDLING_SECRET_KEY: ` ${key}\n` } }).secretKey).toBe(key);
    }
  });

  test("leaves the names alone that other parts read", () => {
    const env = {
      FINDLING_TEST_ALL: "1",
      FINDLING_FUZZ_RUNS: "9",
      PATH: "/bin",
    };
    expect(loadConfiguration({ env })).toEqual(loadConfiguration({ env: {} }));
  });
});

describe("loadConfiguration refuses with one sentence", () => {
  test.each([
    [
      { FINDLING_PORT: "70000" },
      "FINDLING_PORT must be a whole number from 0 to 65535, but is '70000'; for example FINDLING_PORT=8000",
    ],
    [
      { FINDLING_PORT: "80a" },
      "FINDLING_PORT must be a whole number from 0 to 65535, but is '80a'; for example FINDLING_PORT=8000",
    ],
    [
      { FINDLING_AUTH: "maybe" },
      "FINDLING_AUTH must be on or off, but is 'maybe'; for example FINDLING_AUTH=on",
    ],
    [
      { FINDLING_PORT: "tcp://10.0.0.1" },
      "FINDLING_PORT must be a whole number from 0 to 65535, but is 'tcp://10.0.0.1'; for example FINDLING_PORT=8000",
    ],
    [{ FINDLING_PROT: "80" }, "there is no setting FINDLING_PROT; did you mean FINDLING_PORT?"],
    [
      { FINDLING_MESURE_ACCEPTS_READ_KEYS: "1" },
      "there is no setting FINDLING_MESURE_ACCEPTS_READ_KEYS; did you mean FINDLING_MEASURE_ACCEPTS_READ_KEYS?",
    ],
    [
      { FINDLING_ADMIN_KEY: "short" },
      "FINDLING_ADMIN_KEY must be 10 to 512 characters from A-Z a-z 0-9 . _ ~ -, but has 5; for example FINDLING_ADMIN_KEY=k3y-of-your-own-making",
    ],
    [
      { FINDLING_SECRET_KEY: "not-32-bytes" },
      "FINDLING_SECRET_KEY must be 32 bytes, written as 64 hex digits or 44 characters of base64, but is something else; for example FINDLING_SECRET_KEY=$(openssl rand -base64 32)",
    ],
    [
      { FINDLING_MEASURE_URL: "clickhouse://me:hush-hush@host/db" },
      "FINDLING_MEASURE_URL must be of the form http://user:password@host:8123/database, but is something else; for example FINDLING_MEASURE_URL=http://findling:password@localhost:8123/findling",
    ],
    ...[
      ["gateway.example/v1", "gateway.example/v1"],
      ["ftp://gateway.example", "ftp://gateway.example"],
      ["https://", "https://"],
      ["https://gateway.example:99999/v1", "https://gateway.example:99999/v1"],
      ["https://gateway.example/v1?key=1", "https://gateway.example/v1?key=1"],
      ["https://gateway.example/v1#here", "https://gateway.example/v1#here"],
      ["https://user:hidden@gateway.example/v1", "https://…@gateway.example/v1"],
    ].map(([url, shown]): [Record<string, string>, string] => [
      { FINDLING_XAI_BASE_URL: url! },
      `FINDLING_XAI_BASE_URL must be an http or https URL, version path included, without user, query and fragment, but is '${shown}'; for example FINDLING_XAI_BASE_URL=https://gateway.example/v1`,
    ]),
    [
      { FINDLING_LOG_LEVEL: "loud" },
      "FINDLING_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, but is 'loud'; for example FINDLING_LOG_LEVEL=info",
    ],
    [
      { FINDLING_TRUSTED_PROXIES: "10.0.0.0/33" },
      "FINDLING_TRUSTED_PROXIES must be a comma-separated list of addresses and networks such as 10.0.0.0/8, but is '10.0.0.0/33'; for example FINDLING_TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8",
    ],
    [
      { FINDLING_TRUSTED_PROXIES: "::1,proxy.example" },
      "FINDLING_TRUSTED_PROXIES must be a comma-separated list of addresses and networks such as 10.0.0.0/8, but is '::1,proxy.example'; for example FINDLING_TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8",
    ],
    [
      { FINDLING_TRUSTED_PROXIES: "::/0/0" },
      "FINDLING_TRUSTED_PROXIES must be a comma-separated list of addresses and networks such as 10.0.0.0/8, but is '::/0/0'; for example FINDLING_TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8",
    ],
    [
      { FINDLING_CORS_ORIGINS: "https://a.example/path" },
      "FINDLING_CORS_ORIGINS must be * or a comma-separated list of origins such as https://shop.example, but is 'https://a.example/path'; for example FINDLING_CORS_ORIGINS=https://shop.example,http://localhost:3000",
    ],
  ])("%o", (env, sentence) => {
    expect(problemOf({ env })).toBe(sentence);
  });

  test("an unknown member of the file, with the nearest name", () => {
    const path = file("typo.yaml", "max_results_limit: 5\n");
    expect(problemOf({ env: {}, file: path })).toBe(
      `there is no setting 'max_results_limit' (in '${path}'); did you mean max_result_limit?`,
    );
  });

  test("an unknown flag value by the flag's name", () => {
    expect(problemOf({ env: {}, flags: { maxResultLimit: "many" } })).toBe(
      "--max-result-limit must be a whole number from 1 to 100000, but is 'many'; for example --max-result-limit 200",
    );
  });

  test.each([
    ["missing.yaml", undefined, /can't be read \(ENOENT\)/],
    ["settings.toml", "port = 1", /must end in \.yaml, \.yml or \.json/],
    ["broken.json", '{"admin_key": "secret-secret', /is not valid JSON/],
    ["broken.yaml", "port: [1\nadmin_key: secret-secret", /is not valid YAML/],
    ["list.yaml", "- port: 1", /must hold settings/],
    ["deep.json", `{"port": ${"[".repeat(5000)}${"]".repeat(5000)}}`, /is nested more than 512 levels deep/],
    ["deep.yaml", `port: ${"[".repeat(5000)}${"]".repeat(5000)}`, /is not valid YAML/],
  ])("a file that can't be used: %s", (name, content, problem) => {
    const path = content === undefined ? join(folder, name) : file(name, content);
    expect(problemOf({ env: { FINDLING_CONFIG: path } })).toMatch(problem);
  });

  test("authentication off where others can reach the server (contract 2.1)", () => {
    for (const host of ["0.0.0.0", "::", "192.168.1.5", "search.example"]) {
      expect(problemOf({ env: { FINDLING_AUTH: "off", FINDLING_HOST: host } })).toContain(
        `listen on '${host}'`,
      );
    }
    for (const host of ["127.0.0.1", "127.9.9.9", "localhost", "::1"]) {
      expect(loadConfiguration({ env: { FINDLING_AUTH: "off", FINDLING_HOST: host } }).auth).toBe(false);
    }
  });

  test("two configured keys that are the same", () => {
    const env = { FINDLING_ADMIN_KEY: "one-and-the-same", FINDLING_READ_KEY: "one-and-the-same" };
    expect(problemOf({ env })).toMatch(/must differ/);
  });

  test("never with a key in the sentence, whatever is wrong with it or beside it", () => {
    const badKey = fc
      .string({ minLength: 4, maxLength: 40 })
      .filter((text) => /[^A-Za-z0-9._~\s-]/.test(text) && text.trim().length > 3);
    fc.assert(
      fc.property(
        badKey,
        fc.constantFrom(
          "FINDLING_ADMIN_KEY",
          "FINDLING_INGEST_KEY",
          "FINDLING_READ_KEY",
          "FINDLING_SECRET_KEY",
        ),
        (key, name) => {
          const problem = problemOf({ env: { [name]: key } });
          expect(problem).toContain(name);
          expect(problem.replaceAll(/FINDLING_\w+|A-Z a-z 0-9 . _ ~ -|\$\(openssl.*\)/g, "")).not.toContain(
            key.trim(),
          );
        },
      ),
    );
    const inFile = file("number-key.yaml", "read_key: 12345678901\n");
    expect(problemOf({ env: {}, file: inFile })).not.toContain("12345678901");
  });

  // Whatever text an operator sets, the start either takes it or says one sentence about that setting.
  test("for any text in any setting", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SETTINGS), fc.string(), (setting, value) => {
        try {
          loadConfiguration({ env: { [setting.environmentName]: value } });
        } catch (error) {
          expect(error).toBeInstanceOf(FindlingError);
          expect((error as FindlingError).code).toBe("invalid_configuration");
          expect((error as FindlingError).message).toContain(setting.environmentName);
        }
      }),
    );
  });
});

describe("describeConfiguration", () => {
  test("masks keys, spells values as the environment does, and marks defaults", () => {
    const key = "a-very-secret-key";
    const secretKey = "c0ffee00".repeat(8);
    const configuration = loadConfiguration({
      env: { FINDLING_ADMIN_KEY: key, FINDLING_PUT_CREATES: "yes", FINDLING_SECRET_KEY: secretKey },
    });
    const lines = describeConfiguration(configuration);
    expect(JSON.stringify(lines)).not.toContain(key);
    expect(JSON.stringify(lines)).not.toContain(secretKey);
    expect(lines.find((line) => line.name === "secret_key")?.value).toBe("********");
    expect(lines.find((line) => line.name === "admin_key")).toMatchObject({
      value: "********",
      isDefault: false,
    });
    expect(lines.find((line) => line.name === "put_creates")).toMatchObject({
      value: "on",
      isDefault: false,
    });
    expect(lines.find((line) => line.name === "cors_origins")).toMatchObject({ value: "*", isDefault: true });
    expect(lines.find((line) => line.name === "read_key")).toMatchObject({ value: "", isDefault: true });
  });

  test("can be put back in as environment and means the same", () => {
    const before = loadConfiguration({
      env: { FINDLING_PORT: "0", FINDLING_CORS_ORIGINS: "https://a.example" },
    });
    const env = Object.fromEntries(
      describeConfiguration(before).map((line) => [line.environmentName, line.value]),
    );
    expect(loadConfiguration({ env })).toEqual(before);
  });
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function problemOf(sources: ConfigurationSources): string {
  try {
    loadConfiguration(sources);
  } catch (error) {
    if (error instanceof FindlingError) return error.message;
    throw error;
  }
  throw new Error("the configuration was accepted");
}
