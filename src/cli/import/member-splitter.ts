import type { RawRecord, RecordSplitter } from "../../intake/raw-record.js";
import { JsonSplitter } from "./json-splitter.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const NEWLINE = 10;

/** The elements of a list within a JSON object, such as `{"total": 2, "products": [{…}, {…}]}`; all else is passed over. */
export class MemberSplitter implements RecordSplitter {
  readonly #path: readonly string[];
  /** Reads the list once it has begun. */
  #elements: JsonSplitter | null = null;
  #line = 1;
  /** Objects and arrays around this place, and how many of them are on the path. */
  #depth = 0;
  #matched = 0;
  /** A string that is being read; null outside of strings. */
  #string: number[] | null = null;
  #isEscaped = false;
  #lastString = "";
  /** A member of the innermost matched object, whose value comes next. */
  #member: string | null = null;

  /** @param path of the list, from the outermost object */
  constructor(path: readonly string[]) {
    this.#path = path;
  }

  push(chunk: Uint8Array): readonly RawRecord[] {
    if (this.#elements !== null) return this.#elements.push(chunk);
    for (let i = 0; i < chunk.length; i++) {
      if (this.#begins(chunk[i]!)) {
        this.#elements = new JsonSplitter({ line: this.#line, isMember: true });
        return this.#elements.push(chunk.subarray(i));
      }
    }
    return [];
  }

  end(): readonly RawRecord[] {
    if (this.#elements !== null) return this.#elements.end();
    const problem = `there is no list '${this.#path.join(".")}' in it`;
    return [{ line: this.#line, bytes: new Uint8Array(0), problem }];
  }

  /** Follows one byte; true if the list begins with it. */
  #begins(byte: number): boolean {
    if (byte === NEWLINE) this.#line++;
    if (this.#string !== null) {
      this.#followString(this.#string, byte);
      return false;
    }
    const isInMatched = this.#depth === this.#matched;
    switch (byte) {
      case QUOTE:
        this.#string = [];
        break;
      case COLON:
        if (isInMatched) this.#member = this.#lastString;
        break;
      case COMMA:
        if (isInMatched) this.#member = null;
        break;
      case OPEN_BRACE:
        if (this.#depth === 0 || (isInMatched && this.#isNext(false))) this.#matched++;
        this.#depth++;
        this.#member = null;
        break;
      case OPEN_BRACKET:
        if (isInMatched && this.#isNext(true)) return true;
        this.#depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#matched = Math.min(this.#matched, --this.#depth);
        break;
    }
    return false;
  }

  /** Whether the value that begins is the next one on the path, and the last one if it is a list. */
  #isNext(isList: boolean): boolean {
    const place = this.#matched - 1;
    return this.#member === this.#path[place] && (place === this.#path.length - 1) === isList;
  }

  #followString(string: number[], byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#lastString = Buffer.from(string).toString();
      this.#string = null;
      return;
    }
    if (string.length < 256) string.push(byte);
  }
}
