import { isUtf8 } from "node:buffer";
import { FindlingError } from "../../errors/index.js";
import { type JsonBounds, type JsonProblem, scanJson } from "./scan-json.js";

/** Deeper JSON has no use here, and would overflow the stack when it is written out again. */
const JSON_BOUNDS: JsonBounds = { depthMax: 512, valuesMax: 5_000_000, namesMax: 200_000 };

/**
 * The value of a UTF-8 JSON body. Refused beyond what `JSON.parse` refuses: bytes that are not UTF-8,
 * a byte order mark, half surrogate pairs (they can't be stored), a member named twice in one object
 * (which one counts?), a member `__proto__` (it could reach a prototype), and more depth, values
 * or names than the bounds.
 *
 * @throws FindlingError `invalid_json`; `payload_too_large` for too many values or names
 */
export function parseJsonBody(bytes: Buffer, bounds: JsonBounds = JSON_BOUNDS): unknown {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw invalidJson("it starts with a byte order mark; send plain UTF-8");
  }
  if (!isUtf8(bytes)) throw invalidJson("it is not UTF-8");
  const scan = scanJson(bytes, bounds);
  if (scan.problem !== null) throw boundsError(scan.problem, scan.offset, bounds);
  const text = bytes.toString("utf8");
  const value = parse(text);
  refuseAmbiguousMembers(value, text, scan.memberCount);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidJson(parserProblem((error as SyntaxError).message));
  }
}

/** V8's message without the piece of the body that it quotes. */
function parserProblem(message: string): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (/end of JSON input/.test(message)) return "it ends before it is complete";
  return position === undefined ? "it can't be parsed" : `it can't be parsed from character ${position} on`;
}

function boundsError(problem: JsonProblem, offset: number, bounds: JsonBounds): FindlingError {
  switch (problem) {
    case "too_deep":
      return invalidJson(`arrays and objects are nested more than ${bounds.depthMax} deep at byte ${offset}`);
    case "lone_surrogate":
      return invalidJson(`half of a surrogate pair is escaped at byte ${offset}`);
    case "too_many_names":
      return new FindlingError(
        "payload_too_large",
        `the body holds more than ${bounds.namesMax} different member names; send less per request`,
      );
    case "too_many_values":
      return new FindlingError(
        "payload_too_large",
        `the body holds more than ${bounds.valuesMax} JSON values; send less per request`,
      );
  }
}

/**
 * Counts the members that parsing kept. Fewer than were written means that a name was repeated, since
 * parsing keeps only the last; only then is the text searched for the name.
 */
function refuseAmbiguousMembers(root: unknown, text: string, written: number): void {
  let kept = 0;
  const open: object[] = typeof root === "object" && root !== null ? [root] : [];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) {
      for (let index = 0; index < container.length; index++) {
        const element = container[index] as unknown;
        if (typeof element === "object" && element !== null) open.push(element);
      }
      continue;
    }
    const record = container as Record<string, unknown>;
    const names = Object.keys(record);
    kept += names.length;
    for (let index = 0; index < names.length; index++) {
      const name = names[index]!;
      if (name === "__proto__") throw invalidJson("a member must not be named '__proto__'");
      const member = record[name];
      if (typeof member === "object" && member !== null) open.push(member);
    }
  }
  if (kept !== written) throw invalidJson(`an object names the member '${repeatedName(text)}' twice`);
}

/** The first name that valid JSON text gives twice within one object, cut to 100 characters. */
function repeatedName(text: string): string {
  const objects: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{") objects.push(new Set());
    else if (character === "}") objects.pop();
    else if (character === '"') {
      const end = closingQuote(text, at);
      if (/^\s*:/.test(text.slice(end + 1, end + 1000))) {
        const name = JSON.parse(text.slice(at, end + 1)) as string;
        const names = objects.at(-1)!;
        if (names.has(name)) return name.length <= 100 ? name : `${name.slice(0, 99)}…`;
        names.add(name);
      }
      at = end;
    }
  }
  return "";
}

function closingQuote(text: string, openingQuote: number): number {
  let at = openingQuote + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function invalidJson(problem: string): FindlingError {
  return new FindlingError("invalid_json", `the body is not acceptable JSON: ${problem}`);
}
