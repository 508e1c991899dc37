import { CsvSplitter } from "../../intake/csv-splitter.js";
import { LineSplitter } from "../../intake/line-splitter.js";
import { MalformedInputError, type RawRecord, type RecordSplitter } from "../../intake/raw-record.js";
import { CliError } from "../cli-error.js";
import { type ExcelListener, excelRows } from "./excel-rows.js";
import { type BinaryKind, binaryKind } from "./file-kind.js";
import { inputSize, isStandardInput, type OpenInput, openInput } from "./input-file.js";
import { chooseFormat, type FormatChoice, type InputFormat } from "./input-format.js";
import { JsonSplitter } from "./json-splitter.js";
import { MemberSplitter } from "./member-splitter.js";
import { parquetRows } from "./parquet-rows.js";
import { CsvRecordParser, JsonRecordParser, type ParsedRecord, type RecordParser } from "./record-parser.js";

export interface ImportSourceOptions {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  readonly format?: InputFormat | undefined;
  readonly delimiter?: string | undefined;
  /** Which member of a JSON object lists the documents. */
  readonly records?: string | undefined;
  /** Which sheet of an Excel file. */
  readonly sheet?: string | undefined;
  /** Whether JSON is taken as it is, whatever export it looks like. */
  readonly asIs?: boolean | undefined;
  /** As the Encoding standard names it; else the first bytes tell, and it is UTF-8 where they don't. */
  readonly encoding?: string | undefined;
  /** Told what was guessed of a file and could be otherwise. */
  readonly onGuess: (guess: string) => void;
  /** A column of CSV whose name no field may have. */
  readonly onRename: (column: string, field: string) => void;
  /** A file that holds no document, as a program that failed may leave one. */
  readonly onEmpty?: ((name: string) => void) | undefined;
}

/** One document of the input, or one place in it that should have been one. */
export interface ImportRecord {
  readonly file: string;
  /** For messages: `films.csv:12`. */
  readonly place: string;
  /** The file's own bytes, by which a resumed import recognizes what it has imported. */
  readonly bytes: Uint8Array;
  readonly parsed: ParsedRecord;
}

/** The file of the input that can't be read to its end, and why. */
export class UnreadableInputError extends Error {
  readonly place: string;

  constructor(place: string, problem: string) {
    super(problem);
    this.name = "UnreadableInputError";
    this.place = place;
  }
}

/** Reads files one after the other, never more of them at once than a few chunks. */
export class ImportSource {
  readonly #options: ImportSourceOptions;
  #bytesOfEarlierFiles = 0;
  #input: OpenInput | undefined;
  #recordsRead = 0;
  readonly #formats = new Set<InputFormat>();

  constructor(options: ImportSourceOptions) {
    this.#options = options;
  }

  /** Bytes on disk of all files together; undefined if one has no size. @throws CliError if one can't be read */
  async totalBytes(): Promise<number | undefined> {
    let total: number | undefined = 0;
    for (const file of this.#options.files) {
      const size = await inputSize(file);
      total = size === undefined || total === undefined ? undefined : total + size;
    }
    return total;
  }

  /** Ends the reading at once; the iteration then fails. */
  close(): void {
    this.#input?.close();
  }

  bytesRead(): number {
    return this.#bytesOfEarlierFiles + (this.#input?.bytesRead() ?? 0);
  }

  /** Records given out so far. */
  recordsRead(): number {
    return this.#recordsRead;
  }

  /** Whether a CSV file has been met: its values are all text. */
  get hasCsv(): boolean {
    return this.#formats.has("csv");
  }

  /** Groups of records in the order of the input; groups are as large as a chunk happens to hold. */
  async *records(): AsyncGenerator<readonly ImportRecord[]> {
    for (const file of this.#options.files) {
      const name = isStandardInput(file) ? "standard input" : file;
      const before = this.#recordsRead;
      try {
        yield* this.#recordsOf(file, name);
      } catch (failure) {
        if (failure instanceof MalformedInputError) throw new UnreadableInputError(name, failure.message);
        const { syscall, code } = failure as NodeJS.ErrnoException;
        if (syscall === "open" || syscall === "read")
          throw new CliError("file_not_readable", `file '${name}' can't be read any more (${code})`, failure);
        throw failure;
      }
      if (this.#recordsRead === before) this.#options.onEmpty?.(name);
    }
  }

  async *#recordsOf(file: string, name: string): AsyncGenerator<readonly ImportRecord[]> {
    const input = await openInput(file, this.#options.encoding);
    this.#input = input;
    try {
      const { kind, problem } = this.#options.format === undefined ? binaryKind(input.head) : {};
      if (problem !== undefined) throw new MalformedInputError(problem);
      if (kind !== undefined) {
        this.#tellUnused(name, kind);
        yield* this.#tableRecords(file, name, kind);
        return;
      }
      const choice = chooseFormat(file, input.head, this.#options);
      this.#formats.add(choice.format);
      this.#tellUnused(name, choice.format);
      this.#tellGuesses(name, input.encoding, choice);
      const splitter = splitterOf(choice);
      const parser = this.#parserOf(name, choice);
      for await (const chunk of input.chunks)
        yield this.#counted(parseAll(name, parser, splitter.push(chunk)));
      yield this.#counted(parseAll(name, parser, splitter.end()));
    } finally {
      this.#bytesOfEarlierFiles += input.bytesRead();
      this.#input = undefined;
      input.close();
    }
  }

  /** Records of a file that isn't text, which is read by its path. */
  async *#tableRecords(
    file: string,
    name: string,
    kind: BinaryKind,
  ): AsyncGenerator<readonly ImportRecord[]> {
    const { onGuess, onRename, sheet } = this.#options;
    const isOnDisk = (await inputSize(file)) !== undefined;
    if (!isOnDisk) {
      const what = kind === "parquet" ? "a Parquet" : "an Excel";
      throw new MalformedInputError(`${what} file can't be read from a pipe; name the file`);
    }
    const onChoice: ExcelListener["onChoice"] = (chosen, sheets) => {
      const others = sheets.flatMap(({ name: other, isVisible }) =>
        other === chosen ? [] : [isVisible ? `'${other}'` : `'${other}' (hidden)`],
      );
      onGuess(`${name}: its sheet '${chosen}' is read; --sheet names another: ${others.join(", ")}`);
    };
    const rows =
      kind === "parquet" ? parquetRows(file, onRename) : excelRows(file, sheet, { onRename, onChoice });
    const parser = new JsonRecordParser();
    for await (const group of rows) yield this.#counted(parseAll(name, parser, group));
  }

  /** Another file of the same import may be what an option is for, so that it is no error here. */
  #tellUnused(name: string, format: InputFormat | BinaryKind): void {
    const { onGuess, sheet, delimiter } = this.#options;
    if (sheet !== undefined && format !== "xlsx") onGuess(`${name} is no Excel file, which --sheet is for`);
    if (delimiter !== undefined && format !== "csv") onGuess(`${name} is no CSV, which --delimiter is for`);
  }

  /** What is as usual needs no words. */
  #tellGuesses(name: string, encoding: string, { format, delimiter: between, records }: FormatChoice): void {
    const { onGuess, ...asked } = this.#options;
    const delimiter = format === "csv" ? between : undefined;
    if (asked.records === undefined && records !== null)
      onGuess(
        `${name}: its documents are the list '${records.join(".")}'; --records names another, and '--records .' takes it as it is`,
      );
    if (asked.encoding === undefined && encoding !== "utf-8")
      onGuess(`${name} is ${encoding} by its first bytes; --encoding names another`);
    if (asked.delimiter === undefined && delimiter !== undefined && delimiter !== ",") {
      const shown = delimiter === "\t" ? "tabs" : `'${delimiter}'`;
      onGuess(`${name} has ${shown} between its cells; --delimiter names another`);
    }
  }

  #counted(records: readonly ImportRecord[]): readonly ImportRecord[] {
    this.#recordsRead += records.length;
    return records;
  }

  #parserOf(name: string, { format, delimiter }: FormatChoice): RecordParser {
    const { onRename, onGuess, asIs } = this.#options;
    if (format === "csv") return new CsvRecordParser(delimiter, onRename);
    const onShape = (shape: string): void =>
      onGuess(`${name} has ${shape}; --as-is takes its records as they are`);
    return new JsonRecordParser(asIs === true ? undefined : onShape);
  }
}

function splitterOf({ format, delimiter, records }: FormatChoice): RecordSplitter {
  if (records !== null) return new MemberSplitter(records);
  switch (format) {
    case "ndjson":
      return new LineSplitter();
    case "json":
      return new JsonSplitter();
    case "csv":
      return new CsvSplitter(delimiter);
  }
}

function parseAll(
  name: string,
  parser: RecordParser,
  records: readonly RawRecord[],
): readonly ImportRecord[] {
  const parsedRecords: ImportRecord[] = [];
  for (const record of records) {
    const parsed = record.problem === undefined ? parser.parse(record) : { problem: record.problem };
    if (parsed !== undefined)
      parsedRecords.push({ file: name, place: `${name}:${record.line}`, bytes: record.bytes, parsed });
  }
  return parsedRecords;
}
