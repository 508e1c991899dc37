import { POSITION_GAP } from "../../analysis/analyzer.js";
import { FindlingError } from "../../errors/index.js";
import { writeJson } from "../../json/exact-json.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import { TextQuoter } from "../kernels/text-quoter.js";
import type { CanonicalDocument, CanonicalValue } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import { SortBytesWriter } from "../schema/sort-bytes.js";

/** Positions are 31-bit numbers. */
const POSITION_MAX = 0x7fff_ffff;

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const COMMA = 0x2c;

/** Names that JavaScript lists before all others, whatever order they were added in. */
const INTEGER_NAME = /^(0|[1-9]\d*)$/;

/**
 * Checks documents against a schema and writes their JSON, once for journal and document store: exact,
 * stored members first, both kinds in schema order.
 */
export class DocumentEncoder {
  readonly #schema: EngineSchema;
  readonly #fields: readonly EngineField[];
  readonly #names: readonly string[];
  /** With the colon behind them. */
  readonly #jsonNames: ReadonlyMap<string, string>;
  readonly #quoter = TextQuoter.ofThread();
  readonly #sortBytes: SortBytesWriter = new SortBytesWriter();
  /** Whether `JSON.stringify` keeps members in the order in which they were added. */
  readonly #keepsOrder: boolean;

  constructor(schema: EngineSchema) {
    this.#schema = schema;
    this.#fields = schema.fields;
    this.#names = schema.fields.map((field) => field.name);
    this.#jsonNames = new Map(this.#names.map((name) => [name, `${JSON.stringify(name)}:`]));
    this.#keepsOrder = !this.#names.some((name) => INTEGER_NAME.test(name));
  }

  /**
   * Appends the document's JSON; returns the offset in `target` where its stored members end. Nothing is
   * appended when it throws.
   *
   * @throws FindlingError `invalid_document` naming the first field that doesn't fit
   */
  encode(document: CanonicalDocument, target: ByteWriter): number {
    const members = Object.keys(document);
    const isPlain = this.#check(document, members) && this.#keepsOrder;
    if (isPlain) {
      this.#encodePlain(document, members, target);
      return target.length - 1;
    }
    const stored = this.#members(document, true);
    const unstored = this.#members(document, false);
    target.text(`{${stored}`);
    const storedEnd = target.length;
    target.text(unstored === "" ? "}" : stored === "" ? `${unstored}}` : `,${unstored}}`);
    return storedEnd;
  }

  /** What `JSON.stringify` makes of it, piece by piece. */
  #encodePlain(document: CanonicalDocument, members: readonly string[], target: ByteWriter): void {
    target.u8(OPENING_BRACE);
    for (let i = 0; i < members.length; i++) {
      if (i > 0) target.u8(COMMA);
      target.text(this.#jsonNames.get(members[i]!)!);
      this.#encodeValue(document[members[i]!]!, target);
    }
    target.u8(CLOSING_BRACE);
  }

  #encodeValue(value: CanonicalValue, target: ByteWriter): void {
    if (typeof value === "string") this.#encodeText(value, target);
    else if (areTexts(value)) {
      target.u8(OPENING_BRACKET);
      for (let i = 0; i < value.length; i++) {
        if (i > 0) target.u8(COMMA);
        this.#encodeText(value[i]!, target);
      }
      target.u8(CLOSING_BRACKET);
    } else target.text(writeJson(value));
  }

  #encodeText(text: string, target: ByteWriter): void {
    if (target.shortJson(text)) return;
    const quoted = this.#quoter.quoted(text);
    if (quoted === null) target.text(JSON.stringify(text));
    else target.bytes(quoted);
  }

  /** Whether all members have values, are stored and come in schema order. */
  #check(document: CanonicalDocument, members: readonly string[]): boolean {
    const fields = this.#fields;
    const names = this.#names;
    let isPlain = true;
    let ordinal = 0;
    for (let i = 0; i < members.length; i++) {
      const name = members[i]!;
      while (ordinal < names.length && names[ordinal] !== name) ordinal++;
      if (ordinal === names.length) {
        isPlain = false;
        ordinal = names.indexOf(name);
        if (ordinal < 0) throw unknownMember(name);
      }
      const field = fields[ordinal]!;
      const value = document[name];
      if (value !== undefined) this.#checkValue(field, value);
      if (value === undefined || !field.stored) isPlain = false;
    }
    return isPlain;
  }

  #checkValue(field: EngineField, value: CanonicalValue): void {
    if (field.multi) {
      if (!Array.isArray(value) || value.length === 0) {
        throw new FindlingError(
          "invalid_document",
          `field '${field.name}' has several values and wants a list with at least one`,
        );
      }
    }
    if (field.kind === "opaque") return;
    if (field.kind === "text") {
      checkText(field, field.multi ? (value as readonly CanonicalValue[]) : [value]);
      return;
    }
    if (field.kind === "label")
      checkText(field, field.multi ? (value as readonly CanonicalValue[]) : [value]);
    if (field.multi) {
      for (const entry of value as readonly CanonicalValue[]) this.#checkColumnValue(field, entry);
    } else {
      this.#checkColumnValue(field, value);
    }
  }

  #checkColumnValue(field: EngineField, value: CanonicalValue): void {
    try {
      this.#sortBytes.write(field, value);
    } catch (error) {
      if (!(error instanceof FindlingError)) throw error;
      throw new FindlingError("invalid_document", error.message, { cause: error });
    }
  }

  #members(document: CanonicalDocument, stored: boolean): string {
    let json = "";
    for (const { name, stored: isStored } of this.#schema.fields) {
      if (isStored !== stored || !Object.hasOwn(document, name) || document[name] === undefined) continue;
      json += `${json === "" ? "" : ","}${JSON.stringify(name)}:${writeJson(document[name])}`;
    }
    return json;
  }
}

function areTexts(value: CanonicalValue): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== "string") return false;
  return true;
}

function checkText(field: EngineField, values: readonly CanonicalValue[]): void {
  let positions = 0;
  for (const value of values) {
    if (typeof value !== "string")
      throw new FindlingError("invalid_document", `field '${field.name}' (${field.kind}) wants a string`);
    positions += value.length + POSITION_GAP;
  }
  if (positions > POSITION_MAX) {
    throw new FindlingError(
      "invalid_document",
      `field '${field.name}' has too much text; split the document`,
    );
  }
}

function unknownMember(name: string): FindlingError {
  return new FindlingError("invalid_document", `the schema has no field '${name}'; leave it out`);
}
