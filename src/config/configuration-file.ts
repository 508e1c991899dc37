import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { parse as parseYaml } from "yaml";
import { isNestedTooDeep, JSON_DEPTH_MAX } from "../contract/json-nesting.js";
import { FindlingError } from "../errors/index.js";

/**
 * The members of a configuration file, unchecked. `.json` is JSON, `.yaml` and `.yml` are YAML 1.2;
 * an empty YAML file sets nothing.
 *
 * @throws FindlingError `invalid_configuration` if it can't be read or is not one mapping
 */
export function readConfigurationFile(path: string): Readonly<Record<string, unknown>> {
  const content = parse(path, read(path));
  if (content === null) return {};
  if (typeof content !== "object" || Array.isArray(content)) {
    throw invalid(`the configuration file '${path}' must hold settings such as 'port: 8000'`);
  }
  return content as Record<string, unknown>;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw invalid(
      `the configuration file '${path}' can't be read (${reason}); name a readable file, for example FINDLING_CONFIG=./findling.yaml`,
    );
  }
}

/** Parser messages are left out beyond the place, because they quote lines that may hold keys. */
function parse(path: string, content: string): unknown {
  const extension = extname(path).toLowerCase();
  if (extension === ".json") {
    if (isNestedTooDeep(content)) {
      throw invalid(`the configuration file '${path}' is nested more than ${JSON_DEPTH_MAX} levels deep`);
    }
    try {
      return JSON.parse(content) as unknown;
    } catch {
      throw invalid(`the configuration file '${path}' is not valid JSON; an example is {"port": 8000}`);
    }
  }
  if (extension !== ".yaml" && extension !== ".yml") {
    throw invalid(`the configuration file '${path}' must end in .yaml, .yml or .json`);
  }
  try {
    return (parseYaml(content, { prettyErrors: true, logLevel: "error" }) ?? null) as unknown;
  } catch (error) {
    const line = (error as { linePos?: readonly { line: number }[] }).linePos?.[0]?.line;
    const place = line === undefined ? "" : ` (line ${line})`;
    throw invalid(
      `the configuration file '${path}' is not valid YAML${place}; an example line is 'port: 8000'`,
    );
  }
}

function invalid(message: string): FindlingError {
  return new FindlingError("invalid_configuration", message);
}
