import { gzipSync } from "node:zlib";
import { lines, ndjson, type PackFile } from "./pack-file.js";
import { workbook, xlsx, zip } from "./spreadsheet.js";

const TWO = ndjson({ id: "a" }, { id: "b" });

/** What a query of DuckDB gives. */
export async function writeParquet(path: string, select: string): Promise<void> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  try {
    await (await instance.connect()).run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  } finally {
    instance.closeSync();
  }
}

/** Files that aren't text: compressed, tables of programs, and what can't be read. */
export const PACKED_FILES: readonly PackFile[] = [
  { name: "plain.ndjson.gz", source: "gzip", content: gzipSync(TWO), documents: [{ id: "a" }, { id: "b" }] },
  {
    name: "members.csv.gz",
    source: "gzip of several members, as log rotation and Hadoop write it",
    content: Buffer.concat([gzipSync("id,n\n1,5\n"), gzipSync("2,"), gzipSync("6\n")]),
    documents: [
      { id: "1", n: 5 },
      { id: "2", n: 6 },
    ],
  },
  {
    name: "padded.ndjson.gz",
    source: "gzip with zeros behind it, as tapes have them",
    content: Buffer.concat([gzipSync(TWO), Buffer.alloc(512)]),
    documents: [{ id: "a" }, { id: "b" }],
  },
  {
    name: "trailing.ndjson.gz",
    source: "gzip with other bytes behind it",
    content: Buffer.concat([gzipSync(TWO), Buffer.from("more")]),
    refused: "trailing.ndjson.gz: the gzip data is damaged, cut short or followed by something else",
  },
  {
    name: "cut.ndjson.gz",
    source: "gzip of a download that ended early",
    content: gzipSync(TWO.repeat(1000)).subarray(0, -20),
    refused: "cut.ndjson.gz: the gzip data is damaged, cut short or followed by something else",
  },
  {
    name: "unnamed",
    source: "gzip without a telling name",
    content: gzipSync(lines("id;n", "1;5", "2;6")),
    documents: [
      { id: "1", n: 5 },
      { id: "2", n: 6 },
    ],
  },
  {
    name: "table.xlsx",
    source: "Excel: .xlsx with texts, numbers, truth values, dates and gaps; the first sheet",
    content: xlsx({
      Products: [
        ["id", "Name", "Price", "In stock", "Since"],
        ["a", "Hose & tap", 1299.9, true, { days: 45291 }],
        [null, null, null, null, null],
        ["b", "3/4 inch", 7, false, null],
      ],
      Other: [["id"], ["x"]],
    }),
    documents: [
      { id: "a", Name: "Hose & tap", Price: 1299.9, In_stock: true, Since: "2023-12-31T00:00:00Z" },
      { id: "b", Name: "3/4 inch", Price: 7, In_stock: false },
    ],
    fields: { Price: "f64", In_stock: "bool", Since: "datetime" },
  },
  {
    name: "sheet.xlsx",
    source: "Excel: another sheet, named",
    content: xlsx({ Products: [["id"], ["a"]], Other: [["id"], ["x"]] }),
    options: { sheet: "Other" },
    documents: [{ id: "x" }],
  },
  {
    name: "no-sheet.xlsx",
    source: "Excel: a sheet that isn't there",
    content: xlsx({ Products: [["id"], ["a"]] }),
    options: { sheet: "Nope" },
    refused: "no-sheet.xlsx: it can't be read as an Excel file",
  },
  {
    name: "cut.xlsx",
    source: "Excel: a download that ended early",
    content: xlsx({ Products: [["id"], ["a"]] }).subarray(0, -30),
    refused: "cut.xlsx: it can't be read as an Excel file: it is damaged or cut short",
  },
  {
    name: "bomb.xlsx",
    source: "Excel: a file that unpacks to more than a gibibyte",
    content: zip([
      ["[Content_Types].xml", Buffer.from("<Types/>")],
      ...Array.from({ length: 17 }, (_, i) => [`xl/${i}.xml`, Buffer.alloc(1 << 26)] as const),
    ]),
    refused: "bomb.xlsx: it takes more than 1 GiB when unpacked",
  },
  {
    name: "table.parquet",
    source: "pandas, Spark and DuckDB: Parquet with long integers, decimals, times, lists, structs and bytes",
    content: (path) =>
      writeParquet(
        path,
        "SELECT 'a' AS id, 9007199254740993::BIGINT AS big, 5::BIGINT AS \"small n\", 1.50::DECIMAL(9, 2) AS price, TIMESTAMP '2023-12-31 23:59:59' AS at, ['x', 'y'] AS tags, {'k': 1} AS o, '\\xAA'::BLOB AS raw UNION ALL SELECT 'b', 7, NULL, NULL, NULL, NULL, NULL, NULL",
      ),
    documents: [
      {
        id: "a",
        big: 9007199254740993n,
        small_n: 5,
        price: 1.5,
        at: "2023-12-31T23:59:59Z",
        tags: ["x", "y"],
        o: { k: 1 },
        raw: "qg==",
      },
      { id: "b", big: 7 },
    ],
    fields: { big: "u64", small_n: "u64", price: "f64", at: "datetime", tags: "text[]", "o.k": "u64" },
  },
  {
    name: "broken.parquet",
    source: "Parquet: a download that ended early",
    content: Buffer.from("PAR1 and then nothing"),
    refused: "broken.parquet: it can't be read as Parquet",
  },
  {
    name: "docs.zip",
    source: "zip",
    content: zip([["a.csv", Buffer.from("id\n1\n")]]),
    refused: "docs.zip: it is a zip archive",
  },
  {
    name: "old.xls",
    source: "Excel of before 2007",
    content: Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    refused: "old.xls: it is an Excel file of before 2007",
  },
  {
    name: "meilisearch.dump",
    source: "Meilisearch: a dump as it is, tar within gzip",
    content: (() => {
      const tar = Buffer.alloc(1024);
      tar.write("metadata.json", 0);
      tar.write("ustar", 257);
      return gzipSync(tar);
    })(),
    refused: "meilisearch.dump: it is a tar archive",
  },
  {
    name: "shop.sqlite",
    source: "SQLite's file",
    content: Buffer.from("SQLite format 3\0more"),
    refused: "it is an SQLite database",
  },
  {
    name: "dump.sql",
    source: "mysqldump",
    content: lines("-- MySQL dump 10.13", "INSERT INTO `p` VALUES (1,'a');"),
    refused: "dump.sql: it is a dump in SQL",
  },
  {
    name: "wordpress.xml",
    source: "WordPress: its own export (WXR)",
    content: '<?xml version="1.0"?><rss></rss>',
    refused: "wordpress.xml: it is XML or HTML",
  },
  {
    name: "dump.zst",
    source: "zstd",
    content: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0]),
    refused: "dump.zst: it is compressed by zstd",
  },
  {
    name: "formulas.xlsx",
    source: "Excel: formulas with their results, an error, merged cells, a date with a time",
    content: workbook([
      {
        name: "Prices",
        rows: [
          ["id", "net", "gross", "at"],
          ["a", 10, { formula: "B2*1.19", value: 11.9 }, { days: 45291.5 }],
          ["b", 20, { formula: "B3/0", error: "#DIV/0!" }, { days: 45292 }],
        ],
        merged: "A5:D5",
      },
    ]),
    documents: [
      { id: "a", net: 10, gross: 11.9, at: "2023-12-31T12:00:00Z" },
      { id: "b", net: 20, at: "2024-01-01T00:00:00Z" },
    ],
  },
  {
    name: "hidden.xlsx",
    source: "Excel: a hidden sheet before the one that is seen, which is named",
    content: workbook([
      { name: "Lists", isHidden: true, rows: [["id"], ["hidden"]] },
      { name: "Products", rows: [["id"], ["seen"]] },
    ]),
    options: { sheet: "Products" },
    documents: [{ id: "seen" }],
  },
  {
    name: "hidden-first.xlsx",
    source: "Excel: a hidden sheet before those that are seen, of which the first is read",
    content: workbook([
      { name: "Lists", isHidden: true, rows: [["id"], ["hidden"]] },
      { name: "Hose &amp; tap", rows: [["id"], ["seen"]] },
      { name: "Prices", rows: [["id"], ["other"]] },
    ]),
    documents: [{ id: "seen" }],
    says: ["its sheet 'Hose & tap' is read; --sheet names another: 'Lists' (hidden), 'Prices'"],
  },
  {
    name: "all-hidden.xlsx",
    source: "a program's file of hidden sheets alone, which Excel itself never writes: the first is read",
    content: workbook([
      { name: "Lists", isHidden: true, rows: [["id"], ["first"]] },
      { name: "Products", isHidden: true, rows: [["id"], ["other"]] },
    ]),
    documents: [{ id: "first" }],
  },
  {
    name: "hidden-number.xlsx",
    source: "Excel: a sheet by its number, hidden ones counted",
    content: workbook([
      { name: "Lists", isHidden: true, rows: [["id"], ["hidden"]] },
      { name: "Products", rows: [["id"], ["seen"]] },
    ]),
    options: { sheet: "1" },
    documents: [{ id: "hidden" }],
  },
  {
    name: "nested.parquet",
    source: "Spark: Parquet with structs in lists, decimals of 38 digits, times with a zone, maps, dates",
    content: (path) =>
      writeParquet(
        path,
        "SELECT 'a' AS id, [{'k': 1, 't': 'x'}, {'k': 2, 't': 'y'}] AS parts, 1234567890123.12::DECIMAL(38, 2) AS sum, TIMESTAMPTZ '2023-12-31 23:59:59.5+00' AS at, MAP {'c': 'red'} AS props, DATE '2024-02-29' AS day, [1.5, 2.5] AS sizes",
      ),
    documents: [
      {
        id: "a",
        parts: [
          { k: 1, t: "x" },
          { k: 2, t: "y" },
        ],
        sum: 1234567890123.12,
        at: "2023-12-31T23:59:59.5Z",
        props: { c: "red" },
        day: "2024-02-29T00:00:00Z",
        sizes: [1.5, 2.5],
      },
    ],
    fields: { "parts.k": "u64[]", sizes: "f64[]", sum: "f64" },
  },
];
