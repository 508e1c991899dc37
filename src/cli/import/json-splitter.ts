import { MalformedInputError, PartialRecord, type RawRecord, type RecordSplitter } from "./raw-record.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const NEWLINE = 10;

/** Where the splitter stands between two bytes. */
type State =
  | "start"
  | "first element or end"
  | "element"
  | "in container"
  | "in scalar"
  | "comma or end"
  | "after array"
  | "between objects";

/**
 * The elements of one JSON array, or top-level objects one after the other, without reading the
 * whole: it follows strings and the depth of brackets only, and leaves it to the parser of each
 * element to say whether that is JSON. All bytes it looks for are ASCII, so UTF-8 needs no decoding.
 */
export class JsonSplitter implements RecordSplitter {
  readonly #partial = new PartialRecord();
  #state: State = "start";
  #isArray = false;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #line = 1;
  #recordLine = 1;

  push(chunk: Uint8Array): readonly RawRecord[] {
    const records: RawRecord[] = [];
    // Start of the record being read, if it began in this chunk; else it goes on from byte 0.
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (this.#state === "in container") {
        if (this.#closesContainer(byte)) {
          records.push({
            line: this.#recordLine,
            bytes: this.#partial.complete(chunk.subarray(start, i + 1)),
          });
          this.#state = this.#isArray ? "comma or end" : "between objects";
        }
      } else if (this.#state === "in scalar") {
        if (this.#endsScalar(byte)) {
          records.push({ line: this.#recordLine, bytes: this.#partial.complete(chunk.subarray(start, i)) });
          this.#state = byte === COMMA ? "element" : "after array";
        }
      } else if (!isWhiteSpace(byte)) {
        if (this.#step(byte)) start = i;
      }
      if (byte === NEWLINE) this.#line++;
    }
    if (this.#state === "in container" || this.#state === "in scalar") {
      this.#partial.add(chunk.subarray(start), this.#recordLine);
    }
    return records;
  }

  end(): readonly RawRecord[] {
    switch (this.#state) {
      case "start":
      case "after array":
      case "between objects":
        return [];
      case "in container":
        throw new MalformedInputError(this.#recordLine, "the document that begins here is not closed");
      default:
        throw new MalformedInputError(this.#line, "the file ends before its array is closed");
    }
  }

  /** One byte between records; true if a record begins with it. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case "start":
        if (byte === OPEN_BRACKET) {
          this.#isArray = true;
          this.#state = "first element or end";
          return false;
        }
        if (byte === OPEN_BRACE) return this.#begin(byte);
        throw new MalformedInputError(this.#line, "JSON must begin with [ or {");
      case "first element or end":
        if (byte === CLOSE_BRACKET) {
          this.#state = "after array";
          return false;
        }
        return this.#begin(byte);
      case "element":
        return this.#begin(byte);
      case "comma or end":
        if (byte !== COMMA && byte !== CLOSE_BRACKET) {
          throw new MalformedInputError(this.#line, "a comma or ] is missing after a document");
        }
        this.#state = byte === COMMA ? "element" : "after array";
        return false;
      case "between objects":
        if (byte !== OPEN_BRACE)
          throw new MalformedInputError(this.#line, "something other than an object follows");
        return this.#begin(byte);
      default:
        throw new MalformedInputError(this.#line, "something follows the end of the array");
    }
  }

  #begin(byte: number): boolean {
    if (byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      throw new MalformedInputError(this.#line, "a document is missing before this place");
    }
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
