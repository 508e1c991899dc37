import { readFile } from "node:fs/promises";
import { isNestedTooDeep, JSON_DEPTH_MAX } from "../contract/json-nesting.js";
import { readJson } from "../json/exact-json.js";
import { CliError } from "./cli-error.js";
import { readProblem } from "./file-problem.js";

/** The JSON in a file, or on standard input where the name is `-`. @throws CliError where it can't be read or isn't JSON */
export async function readJsonInput(name: string): Promise<unknown> {
  const { value } = await readInput(name);
  return value;
}

/** As `readJsonInput`. @throws CliError also where it isn't an object */
export async function readJsonObject(name: string): Promise<Readonly<Record<string, unknown>>> {
  const { value, source } = await readInput(name);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new CliError("invalid_json", `${source} must hold a JSON object`);
}

async function readInput(name: string): Promise<{ readonly value: unknown; readonly source: string }> {
  const source = name === "-" ? "standard input" : `'${name}'`;
  let text: string;
  try {
    text = name === "-" ? await readStandardInput() : await readFile(name, "utf8");
  } catch (error) {
    throw new CliError("input_file", `${source} ${readProblem(error)}`, error);
  }
  if (isNestedTooDeep(text)) {
    const problem = `${source} is nested more than ${JSON_DEPTH_MAX} levels deep`;
    throw new CliError("invalid_json", problem);
  }
  try {
    return { value: readJson(text.replace(/^\uFEFF/, "")), source };
  } catch (error) {
    throw new CliError("invalid_json", `${source} is not valid JSON`, error);
  }
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
