/** What a file is that isn't text. */
export type BinaryKind = "parquet" | "xlsx";

const ASCII = new TextDecoder("latin1");

/** Beginnings of files that hold documents only for others, and what to do with them. */
const FOREIGN: readonly (readonly [string, string])[] = [
  ["\xd0\xcf\x11\xe0", "an Excel file of before 2007 (.xls); save it as .xlsx or CSV"],
  ["SQLite format 3\0", "an SQLite database; export a table of it as CSV or JSON"],
  ["%PDF", "a PDF file; import a table of its text as CSV"],
  ["BZh", "compressed by bzip2; unpack it, or pipe it: bzcat FILE | findling import -"],
  ["\xfd7zXZ\0", "compressed by xz; unpack it, or pipe it: xzcat FILE | findling import -"],
  ["\x28\xb5\x2f\xfd", "compressed by zstd; unpack it, or pipe it: zstdcat FILE | findling import -"],
  ["7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and import what is in it"],
  ["Rar!", "a RAR archive; unpack it and import what is in it"],
  ["Obj\x01", "an Avro file; export it as JSON or Parquet"],
  ["ORC", "an ORC file; export it as JSON or Parquet"],
  ["PGDMP", "a dump of pg_dump; export a table as CSV: \\copy TABLE TO FILE CSV HEADER"],
];

/** Where tar writes that it did. */
const TAR_MARK = 257;

/** What the first bytes of a file tell: how to read it, why it can't be read (`problem`), or that it is text. */
export function binaryKind(head: Uint8Array): { readonly kind?: BinaryKind; readonly problem?: string } {
  const start = ASCII.decode(head.subarray(0, 512));
  if (start.startsWith("PAR1")) return { kind: "parquet" };
  if (start.startsWith("PK\x03\x04")) {
    // The parts of an Excel file come in any order, but one of these is among the first.
    const isOffice = /\[Content_Types\]\.xml|xl\/|_rels\//.test(ASCII.decode(head));
    return isOffice
      ? { kind: "xlsx" }
      : { problem: "it is a zip archive; unpack it and import what is in it" };
  }
  if (start.startsWith("ustar", TAR_MARK))
    return { problem: "it is a tar archive; unpack it and import the documents that are in it" };
  const foreign = FOREIGN.find(([mark]) => start.startsWith(mark));
  if (foreign !== undefined) return { problem: `it is ${foreign[1]}` };
  if (/^\s*(?:<\?xml|<!doctype|<html|<rss|<feed)/i.test(start))
    return { problem: "it is XML or HTML; import JSON, CSV, Excel or Parquet" };
  if (/^(?:--|\/\*|SET |CREATE TABLE|INSERT INTO)/.test(start))
    return { problem: "it is a dump in SQL; export a table as CSV or JSON" };
  return {};
}
