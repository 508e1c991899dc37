import { FindlingError } from "./findling-error.js";

/**
 * The npm packages that are there by default and that an installation can do without (`npm install --omit=optional`), with
 * what needs them: each is loaded where that is first asked for. `docs/deployment.md` shows the same list.
 */
export const OPTIONAL_PACKAGES = {
  "@ai-sdk/amazon-bedrock": "summaries by Bedrock",
  "@ai-sdk/anthropic": "summaries by Anthropic",
  "@ai-sdk/google": "summaries by Google",
  "@ai-sdk/mistral": "summaries by Mistral",
  "@ai-sdk/openai": "summaries by OpenAI",
  "@ai-sdk/openai-compatible": "summaries by Ollama and llama.cpp",
  "@ai-sdk/xai": "summaries by xAI",
  "@aws-sdk/credential-providers": "AWS credentials for summaries by Bedrock",
  "@clickhouse/client": "usage events in ClickHouse (FINDLING_MEASURE_URL)",
  "@duckdb/node-api": "usage events in the data folder, and Parquet files",
  "@modelcontextprotocol/server": "MCP",
  "@opensearch-project/opensearch": "FINDLING_BACKEND=opensearch",
  aws4fetch: "backups in s3://",
} as const;

export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** What Node calls a module that isn't there, by `import` and by `require`. */
const MISSING: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/**
 * What `load` imports of a package that may be missing.
 *
 * @throws FindlingError `not_supported` where it, or a part of it that is made for each system, isn't installed
 */
export async function loadOptional<Module>(
  name: OptionalPackage,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw isMissing(name, error)
      ? new FindlingError("not_supported", missingText(name), { cause: error })
      : error;
  }
}

/** What to say where the package is asked for and isn't there. */
export function missingText(name: OptionalPackage): string {
  return `for ${OPTIONAL_PACKAGES[name]} the package '${name}' is needed, which isn't installed here; run 'npm install ${name}' where Findling is installed, and start the server again`;
}

/** Other modules that can't be found are a damaged installation, of which Node's own words tell more. */
function isMissing(name: OptionalPackage, error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || !MISSING.has(error.code)) return false;
  const [scope = name] = name.split("/");
  return error.message.includes(`'${scope}`);
}
