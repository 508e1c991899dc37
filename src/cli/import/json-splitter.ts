import { PartialRecord, type RawRecord, type RecordSplitter } from "../../intake/raw-record.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const NEWLINE = 10;

const NOTHING = new Uint8Array(0);
const MISSING = "a document is missing before this place";

/** Where the splitter stands between two bytes. */
type State =
  | "start"
  | "first element or end"
  | "element"
  | "in container"
  | "in scalar"
  | "comma or end"
  | "after array"
  | "between objects"
  | "lost";

/**
 * The elements of one JSON array, or top-level objects one after the other, without reading the
 * whole: it follows strings and the depth of brackets only, and leaves it to the parser of each
 * element to say whether that is JSON. Where an element can't stand, that place is a record with a
 * problem, and the next opening brace begins an element again. All bytes it looks for are ASCII, so UTF-8 needs no decoding.
 */
export class JsonSplitter implements RecordSplitter {
  readonly #partial = new PartialRecord();
  #state: State = "start";
  #isArray = false;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Whether the array is a member of an object, of which all that follows is passed over. */
  readonly #isMember: boolean;
  #line: number;
  #recordLine = 1;

  /** @param begin the line of the first byte, and whether the array is a member of an object */
  constructor(begin: { readonly line: number; readonly isMember: boolean } = { line: 1, isMember: false }) {
    this.#line = begin.line;
    this.#isMember = begin.isMember;
  }

  push(chunk: Uint8Array): readonly RawRecord[] {
    const records: RawRecord[] = [];
    // Start of the record being read, if it began in this chunk; else it goes on from byte 0.
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (this.#state === "in container") {
        if (this.#closesContainer(byte)) {
          records.push(this.#partial.complete(chunk.subarray(start, i + 1), this.#recordLine));
          this.#state = this.#isArray ? "comma or end" : "between objects";
        }
      } else if (this.#state === "in scalar") {
        if (this.#endsScalar(byte)) {
          records.push(this.#partial.complete(chunk.subarray(start, i), this.#recordLine));
          this.#state = byte === COMMA ? "element" : "after array";
        }
      } else if (this.#state === "after array" && this.#isMember) {
        return records;
      } else if (!isWhiteSpace(byte)) {
        const problem = this.#problemBefore(byte);
        if (problem !== undefined) {
          records.push({ line: this.#line, bytes: NOTHING, problem });
          if (this.#state === "after array") this.#isArray = false;
          this.#state = "lost";
        }
        if (this.#step(byte)) start = i;
      }
      if (byte === NEWLINE) this.#line++;
    }
    if (this.#state === "in container" || this.#state === "in scalar") {
      this.#partial.add(chunk.subarray(start));
    }
    return records;
  }

  end(): readonly RawRecord[] {
    switch (this.#state) {
      case "start":
      case "after array":
      case "between objects":
      case "lost":
        return [];
      case "in container": {
        const record = this.#partial.complete(NOTHING, this.#recordLine);
        return [{ problem: "the document that begins here is not closed", ...record }];
      }
      default:
        return [{ line: this.#line, bytes: NOTHING, problem: "the file ends before its array is closed" }];
    }
  }

  /** Why the byte can't stand between the records where it does; undefined if it can. */
  #problemBefore(byte: number): string | undefined {
    const endsElement = byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE;
    switch (this.#state) {
      case "start":
        return byte === OPEN_BRACKET || byte === OPEN_BRACE ? undefined : "JSON must begin with [ or {";
      case "first element or end":
        return endsElement && byte !== CLOSE_BRACKET ? MISSING : undefined;
      case "element":
        return endsElement ? MISSING : undefined;
      case "comma or end":
        return byte === COMMA || byte === CLOSE_BRACKET
          ? undefined
          : "a comma or ] is missing after a document";
      case "between objects":
        return byte === OPEN_BRACE ? undefined : "something other than an object follows";
      case "after array":
        return "something follows the end of the array";
      default:
        return undefined;
    }
  }

  /** One byte between records; true if a record begins with it. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case "start":
        if (byte === OPEN_BRACE) return this.#begin(byte);
        this.#isArray = true;
        this.#state = "first element or end";
        return false;
      case "first element or end":
        if (byte !== CLOSE_BRACKET) return this.#begin(byte);
        this.#state = "after array";
        return false;
      case "comma or end":
        this.#state = byte === COMMA ? "element" : "after array";
        return false;
      case "lost":
        return byte === OPEN_BRACE && this.#begin(byte);
      default:
        return this.#begin(byte);
    }
  }

  #begin(byte: number): true {
    this.#recordLine = this.#line;
    this.#isEscaped = false;
    this.#inString = byte === QUOTE;
    this.#depth = byte === OPEN_BRACE || byte === OPEN_BRACKET ? 1 : 0;
    this.#state = this.#depth === 1 ? "in container" : "in scalar";
    return true;
  }

  #closesContainer(byte: number): boolean {
    if (this.#followString(byte)) return false;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return --this.#depth === 0;
    return false;
  }

  #endsScalar(byte: number): boolean {
    return !this.#followString(byte) && (byte === COMMA || byte === CLOSE_BRACKET);
  }

  /** True if the byte belongs to a string, its quotes included. */
  #followString(byte: number): boolean {
    if (!this.#inString) {
      this.#inString = byte === QUOTE;
      return this.#inString;
    }
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inString = false;
    return true;
  }
}

function isWhiteSpace(byte: number): boolean {
  return byte === 32 || byte === NEWLINE || byte === 13 || byte === 9;
}
