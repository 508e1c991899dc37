import { isUtf8 } from "node:buffer";
import { JSON_DEPTH_MAX } from "../contract/json-nesting.js";
import { FindlingError } from "../errors/index.js";
import { readExactJson } from "../json/exact-json.js";
import { EXPLAINED_CHARACTERS, jsonMistakeAt } from "./json-mistake.js";
import { type JsonBounds, type JsonProblem, type JsonScan, scanJson } from "./scan-json.js";
import { scanPlainJson } from "./scan-plain-json.js";
import { TimeSlice } from "./time-slice.js";

const JSON_BOUNDS: JsonBounds = { depthMax: JSON_DEPTH_MAX, valuesMax: 5_000_000, namesMax: 200_000 };

/**
 * Whatever holds no documents is parsed and checked in one go, and other requests wait meanwhile: two megabytes of empty
 * objects would take a second.
 */
export const SETTINGS_BOUNDS: JsonBounds = { ...JSON_BOUNDS, valuesMax: 50_000, namesMax: 10_000 };

/** How many entries one request may have is a setting, and the first that is no text ends their check. */
export const DICTIONARY_BOUNDS: JsonBounds = { ...SETTINGS_BOUNDS, valuesMax: JSON_BOUNDS.valuesMax };

/** A query is read as far as it can be: a text that was cut in the middle of an emoji, a member that means nothing. */
export const QUERY_BOUNDS: JsonBounds = { ...SETTINGS_BOUNDS, mendsSurrogates: true };

/** Documents come back as they were sent, digit by digit. */
export const DOCUMENT_BOUNDS: JsonBounds = { ...JSON_BOUNDS, keepsIntegers: true };

/** A piece of UTF-8 that is checked in one go. */
const UTF8_BYTES_PER_STEP = 1 << 22;

/** Longer texts are objects of their own in V8's heap, which it moves into its old generation. */
const PIECE_BYTES = 1 << 15;

/** A piece in brackets that has nothing before the first closing one, whatever follows it. */
const WITHOUT_ELEMENT = /^\[[\t\n\r ]*\]/;

const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** Bodies up to this size are parsed at once: a search's is, and need not wait for its turn. */
export const SMALL_BYTES: number = 1 << 14;

/** What a body may take in memory. */
export interface BodyMemory {
  /** @throws FindlingError `rate_limited` if there is no room for so many bytes */
  raiseTo(bytes: number): void;
}

export interface ParseOptions {
  readonly bounds?: JsonBounds;
  /** Raised, before anything is built, to what the parsed value will take. */
  readonly memory?: BodyMemory;
  /** How much of an array is parsed in one go; by default what takes a millisecond or two. */
  readonly pieceBytes?: number;
}

/** Memory of a parsed value beyond its text: its slot, and its header if it is an object. */
const BYTES_PER_VALUE = 40;

/**
 * The value of a UTF-8 JSON body. Refused beyond what `JSON.parse` refuses: bytes that are not UTF-8,
 * a byte order mark, half surrogate pairs (they can't be stored), a member named twice in one object
 * (which one counts?), a member `__proto__` inside a member (it could reach a prototype, and is kept in what holds any
 * JSON; as a member of the body or of an element it is one more that nobody knows), and more depth, values or names than
 * the bounds. With `QUERY_BOUNDS` less is refused. A large array is parsed in pieces, with other requests in between.
 *
 * @throws FindlingError `invalid_json`; `payload_too_large` for too many values or names; `rate_limited`
 */
export async function parseJsonBody(bytes: Buffer, options: ParseOptions = {}): Promise<unknown> {
  const parsing = parsedBody(bytes, options);
  const isSmall = bytes.length <= Math.min(SMALL_BYTES, options.pieceBytes ?? PIECE_BYTES);
  const slice = isSmall ? null : new TimeSlice();
  for (;;) {
    const step = parsing.next();
    if (step.done === true) return step.value;
    if (slice?.isOver === true) await slice.pause();
  }
}

/**
 * Parses a query that is small in one go, as `parseJsonBody` does with `QUERY_BOUNDS`.
 *
 * @param text a character for each byte, at most `SMALL_BYTES` of them
 */
export function parseSmallJsonBody(text: string, memory: BodyMemory): unknown {
  const plain = scanPlainJson(text, QUERY_BOUNDS.depthMax);
  if (plain !== null) {
    memory.raiseTo(memoryOf(text, plain));
    return parsedValue(text, plain, QUERY_BOUNDS);
  }
  const parsing = parsedBody(Buffer.from(text, "latin1"), { memory, bounds: QUERY_BOUNDS });
  let step = parsing.next();
  while (step.done !== true) step = parsing.next();
  return step.value;
}

/**
 * The value of one document of a body that is an array, by itself and in one go, for who puts such bodies together:
 * refused as the body would be.
 *
 * @throws JsonRefusal
 */
export function parseJsonElement(bytes: Buffer): unknown {
  const parsing = parsedBody(bytes, { bounds: ELEMENT_BOUNDS, pieceBytes: Number.POSITIVE_INFINITY });
  let step = parsing.next();
  while (step.done !== true) step = parsing.next();
  return step.value;
}

/** The array around it takes one level. */
const ELEMENT_BOUNDS: JsonBounds = { ...DOCUMENT_BOUNDS, depthMax: JSON_DEPTH_MAX - 1 };

/** A body that is refused for its JSON: `invalid_json`, or `payload_too_large` for what it holds. */
export class JsonRefusal extends FindlingError {
  /** What is wrong with it, without the words that say that it is a body. */
  readonly problem: string;

  constructor(code: "invalid_json" | "payload_too_large", message: string, problem: string) {
    super(code, message);
    this.problem = problem;
  }
}

/** Parses in steps. An array's commas may be overwritten. */
function* parsedBody(bytes: Buffer, options: ParseOptions): Generator<undefined, unknown, undefined> {
  const scan = yield* scannedBody(bytes, options);
  if (scan.cuts.length === 0) return wholeValue(bytes, scan, options.bounds);
  const elements: unknown[] = [];
  for (const piece of piecesOfArray(bytes, scan, options.bounds)) {
    for (let i = 0; i < piece.length; i++) elements.push(piece[i]);
    yield;
  }
  return elements;
}

/**
 * What there is to know of a body before it is parsed, in steps.
 *
 * @throws FindlingError as `parseJsonBody`, but for what only parsing finds
 */
export function* scannedBody(
  bytes: Buffer,
  { bounds = JSON_BOUNDS, memory, pieceBytes = PIECE_BYTES }: ParseOptions,
): Generator<undefined, JsonScan, undefined> {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw invalidJson("it starts with a byte order mark; send plain UTF-8");
  }
  for (let start = 0; start < bytes.length; ) {
    const end = characterBoundary(bytes, start + UTF8_BYTES_PER_STEP);
    if (!isUtf8(bytes.subarray(start, end))) throw invalidJson("it is not UTF-8");
    start = end;
    if (start < bytes.length) yield;
  }
  const scan = yield* scanJson(bytes, bounds, pieceBytes);
  if (scan.problem !== null) throw boundsError(scan.problem, scan.offset, bounds);
  memory?.raiseTo(memoryOf(bytes, scan));
  return scan;
}

/** The memory that the text and its parsed value take. */
function memoryOf({ length }: Buffer | string, { valueCount }: JsonScan): number {
  return length + valueCount * BYTES_PER_VALUE;
}

/** The last place at or before `offset` where no character is cut apart, if the bytes are UTF-8. */
function characterBoundary(bytes: Uint8Array, offset: number): number {
  if (offset >= bytes.length) return bytes.length;
  let at = offset;
  while (at > offset - 4 && (bytes[at]! & 0xc0) === 0x80) at--;
  return at;
}

/** The value of a scanned body in one go. @throws FindlingError `invalid_json` */
export function wholeValue(bytes: Buffer, scan: JsonScan, bounds: JsonBounds = JSON_BOUNDS): unknown {
  return parsedValue(bytes.toString("utf8"), scan, bounds);
}

function parsedValue(text: string, scan: JsonScan, bounds: JsonBounds): unknown {
  const value = parse(text, { charactersBefore: 0, isExact: keepsDigits(scan, bounds) });
  refuseAmbiguousMembers(value, text, scan.memberCount, bounds.mendsSurrogates === true);
  return value;
}

function keepsDigits({ hasLongIntegers }: JsonScan, { keepsIntegers }: JsonBounds): boolean {
  return hasLongIntegers && keepsIntegers === true;
}

/**
 * The elements of a scanned body with cuts, piece by piece. It is cut at commas between elements, which
 * are overwritten. The text is an array if and only if every piece in brackets is one that isn't empty,
 * the first with the text's own opening bracket, the last with its closing one: no array ends before its
 * last bracket. So what has been yielded counts once the last piece has been.
 *
 * @throws FindlingError `invalid_json`
 */
export function* piecesOfArray(
  bytes: Buffer,
  scan: JsonScan,
  bounds: JsonBounds = JSON_BOUNDS,
): Generator<readonly unknown[], void, undefined> {
  const { cuts, memberCount } = scan;
  const isExact = keepsDigits(scan, bounds);
  let start = 0;
  let membersBefore = 0;
  let charactersBefore = 0;
  for (let i = 0; i <= cuts.length; i++) {
    const cut = cuts[i];
    // In place of the commas around it, so that no text has to be put together.
    if (i > 0) bytes[start - 1] = OPENING_BRACKET;
    if (cut !== undefined) bytes[cut.offset] = CLOSING_BRACKET;
    const text = bytes.toString(
      "utf8",
      i === 0 ? 0 : start - 1,
      cut === undefined ? undefined : cut.offset + 1,
    );
    const beginning = i === 0 ? 0 : charactersBefore - 1;
    const value =
      i > 0 && WITHOUT_ELEMENT.test(text)
        ? []
        : (parse(text, { charactersBefore: beginning, isExact }) as unknown[]);
    // Where there should be an element, there is a comma, or the end of the array.
    if (value.length === 0) throw invalidJson(parserProblem(beginning + text.indexOf("]")));
    const members = cut?.memberCount ?? memberCount;
    refuseAmbiguousMembers(value, text, members - membersBefore);
    yield value;
    if (cut === undefined) return;
    start = cut.offset + 1;
    membersBefore = members;
    charactersBefore += i === 0 ? text.length : text.length - 1;
  }
}

interface PieceOfBody {
  /** How many characters of the body stand before the text. */
  readonly charactersBefore: number;
  /** Whether long integers keep their digits. */
  readonly isExact: boolean;
}

function parse(text: string, { charactersBefore, isExact }: PieceOfBody): unknown {
  try {
    return isExact ? readExactJson(text) : (JSON.parse(text) as unknown);
  } catch {
    if (text.length > EXPLAINED_CHARACTERS) throw invalidJson("it can't be parsed");
    const at = jsonMistakeAt(text);
    throw invalidJson(
      at === text.length ? "it ends before it is complete" : parserProblem(charactersBefore + at),
    );
  }
}

/** @param at of the body's characters, from 0; told from 1, as those of queries are */
function parserProblem(at: number): string {
  return `it can't be parsed from character ${at + 1} on`;
}

function boundsError(problem: JsonProblem, offset: number, bounds: JsonBounds): FindlingError {
  switch (problem) {
    case "too_deep":
      return invalidJson(`arrays and objects are nested more than ${bounds.depthMax} deep at byte ${offset}`);
    case "lone_surrogate":
      return invalidJson(`half of a surrogate pair is escaped at byte ${offset}`);
    case "too_many_names":
      return tooMany(`more than ${bounds.namesMax} different member names`);
    case "too_many_values":
      return tooMany(`more than ${bounds.valuesMax} JSON values`);
  }
}

/**
 * Counts the members that parsing kept. Fewer than were written means that a name was repeated, since
 * parsing keeps only the last; only then is the text searched for the name.
 */
function refuseAmbiguousMembers(root: unknown, text: string, written: number, takesPrototypes = false): void {
  let kept = 0;
  let outer: ReadonlySet<unknown> | null = null;
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
      if (name === "__proto__" && !takesPrototypes) {
        outer ??= new Set(Array.isArray(root) ? root : [root]);
        if (!outer.has(record)) throw invalidJson("a member must not be named '__proto__'");
      }
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

function invalidJson(problem: string): JsonRefusal {
  return new JsonRefusal("invalid_json", `the body is not acceptable JSON: ${problem}`, problem);
}

function tooMany(what: string): JsonRefusal {
  return new JsonRefusal(
    "payload_too_large",
    `the body holds ${what}; send less per request`,
    `it holds ${what}`,
  );
}
