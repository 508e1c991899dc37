import { BOM, encoded, lines, ndjson, type PackFile, windowsLines } from "./pack-file.js";
import { writeParquet } from "./packed-files.js";
import { workbook } from "./spreadsheet.js";

/** What further programs write, by the reports of those who had to read it. */
export const MORE_FILES: readonly PackFile[] = [
  {
    name: "excel-mac.csv",
    source: "Excel for Mac: CSV (Macintosh), lines that end in CR alone",
    content: "id,name,n\r1,a,5\r2,b,6\r",
    documents: [
      { id: "1", name: "a", n: 5 },
      { id: "2", name: "b", n: 6 },
    ],
  },
  {
    name: "utf16-unmarked.csv",
    source: "SQL Server bcp -w: UTF-16LE without a byte order mark",
    content: encoded(windowsLines("id,name", "1,a", "2,b"), "utf16le"),
    documents: [
      { id: "1", name: "a" },
      { id: "2", name: "b" },
    ],
    says: ["is utf-16le by its first bytes"],
  },
  {
    name: "utf16-unmarked-named.csv",
    source: "SQL Server bcp -w: UTF-16LE without a byte order mark, by --encoding",
    content: encoded(windowsLines("id,name", "1,Łódź", "2,b"), "utf16le"),
    options: { encoding: "utf-16le" },
    documents: [
      { id: "1", name: "Łódź" },
      { id: "2", name: "b" },
    ],
  },
  {
    name: "excel-spanish.csv",
    source: "Excel, Spain: CSV (semicolons, decimal commas, VERDADERO and FALSO)",
    content: BOM + windowsLines("id;precio;activo", "1;1.234,50;VERDADERO", "2;0,05;FALSO"),
    documents: [
      { id: "1", precio: 1234.5, activo: "VERDADERO" },
      { id: "2", precio: 0.05, activo: "FALSO" },
    ],
  },
  {
    name: "excel-brazil.csv",
    source: "Excel, Brazil: CSV (semicolons, R$ before prices, day before month)",
    content: BOM + windowsLines("id;preco;data", "1;R$ 1.234,50;31/12/2023", "2;R$ 5,00;01/02/2024"),
    documents: [
      { id: "1", preco: "R$ 1.234,50", data: "2023-12-31T00:00:00Z" },
      { id: "2", preco: "R$ 5,00", data: "2024-02-01T00:00:00Z" },
    ],
  },
  {
    name: "excel-india.csv",
    source: "Excel, India: lakh grouping",
    content: windowsLines("id,price", '1,"1,23,456.50"', '2,"99.00"'),
    documents: [
      { id: "1", price: "1,23,456.50" },
      { id: "2", price: "99.00" },
    ],
  },
  {
    name: "excel-japan.csv",
    source: "Excel, Japan: CSV in Shift_JIS, by --encoding",
    content: Buffer.concat([
      Buffer.from("id,name\r\n1,"),
      Buffer.from([0x93, 0x8c, 0x8b, 0x9e]),
      Buffer.from("\r\n"),
    ]),
    options: { encoding: "shift_jis" },
    documents: [{ id: "1", name: "東京" }],
  },
  {
    name: "sap-list.txt",
    source: "SAP: list saved as unconverted text, bars around cells, minus behind numbers",
    content: windowsLines("|id|Menge|", "|1|10,5|", "|2|3,0-|"),
    documents: [
      { id: "1", Menge: "10,5" },
      { id: "2", Menge: "3,0-" },
    ],
  },
  {
    name: "sap-csv.csv",
    source: "SAP: ALV export, semicolons, minus behind numbers, dates 31.12.2023, 00.00.0000 for none",
    content: windowsLines("id;Menge;Datum", "1;1.000,5;31.12.2023", "2;3,5-;00.00.0000"),
    documents: [
      { id: "1", Menge: "1.000,5", Datum: "31.12.2023" },
      { id: "2", Menge: "3,5-", Datum: "00.00.0000" },
    ],
  },
  {
    name: "stata.csv",
    source: "Stata: export delimited, a point alone where there is nothing",
    content: lines("id,income,name", "1,1200.5,a", "2,.,b"),
    documents: [
      { id: "1", income: "1200.5", name: "a" },
      { id: "2", income: ".", name: "b" },
    ],
  },
  {
    name: "powerbi.csv",
    source: "Power BI: export of a table, column names with brackets, byte order mark",
    content: BOM + windowsLines("Products[id],Products[Unit Price],[Sum of Sales]", "1,9.5,100", "2,10,200"),
    documents: [
      { Products_id_: 1, Products_Unit_Price_: 9.5, _Sum_of_Sales_: 100 },
      { Products_id_: 2, Products_Unit_Price_: 10, _Sum_of_Sales_: 200 },
    ],
    says: ["column 'Products[Unit Price]' becomes field 'Products_Unit_Price_'"],
  },
  {
    name: "postgresql-text.tsv",
    source: "PostgreSQL: COPY in the text format with a header, \\N for NULL",
    content: lines("id\tname\tn\tflag", "1\ta b\t5\tt", "2\t\\N\t\\N\tf"),
    documents: [
      { id: "1", name: "a b", n: 5, flag: true },
      { id: "2", flag: false },
    ],
  },
  {
    name: "mysql-batch.tsv",
    source: "MySQL: mysql --batch, NULL as a word",
    content: lines("id\tname\tn", "1\ta\t5", "2\tNULL\tNULL"),
    documents: [
      { id: "1", name: "a", n: 5 },
      { id: "2", name: "NULL" },
    ],
  },
  {
    name: "sqlite-list.txt",
    source: "SQLite: .mode list with .headers on, bars between cells",
    content: lines("id|name|n", "1|a|5", "2|b|6"),
    documents: [
      { id: "1", name: "a", n: 5 },
      { id: "2", name: "b", n: 6 },
    ],
  },
  {
    name: "sqlite.json",
    source: "SQLite: .mode json",
    content: '[{"id":1,"name":"a","n":null},\n{"id":2,"name":"b","n":6}]\n',
    documents: [
      { id: "1", name: "a" },
      { id: "2", name: "b", n: 6 },
    ],
  },
  {
    name: "sqlite-box.txt",
    source: "SQLite: .mode box, a picture of a table",
    content: lines("┌────┬──────┐", "│ id │ name │", "├────┼──────┤", "│ 1  │ a    │", "└────┴──────┘"),
    refused: "it is a table drawn for people; export it as CSV or JSON",
  },
  {
    name: "psql.txt",
    source: "psql: its own table with lines below the names",
    content: lines(" id | name ", "----+------", "  1 | a", "  2 | b", "(2 rows)"),
    refused: "it is a table drawn for people; export it as CSV or JSON",
  },
  {
    name: "mysql-table.txt",
    source: "MySQL: its own table with borders",
    content: lines("+----+------+", "| id | name |", "+----+------+", "|  1 | a    |", "+----+------+"),
    refused: "it is a table drawn for people; export it as CSV or JSON",
  },
  {
    name: "r-row-names.csv",
    source: 'R: write.table with sep=",", a name fewer than cells',
    content: lines('"id","n"', '"1","a",1', '"2","b",2'),
    refused: "r-row-names.csv:2: 3 cells, but the header has 2",
  },
  {
    name: "r-csv2.csv",
    source: "R: write.csv2, semicolons, decimal commas, NA",
    content: lines('"";"id";"n"', '"1";"a";1,5', '"2";"b";2,25'),
    documents: [
      { column_1: 1, id: "a", n: 1.5 },
      { column_1: 2, id: "b", n: 2.25 },
    ],
  },
  {
    name: "julia.csv",
    source: "Julia: CSV.write, true and false, missing as nothing",
    content: lines("id,ok,x", "1,true,1.0e-5", "2,false,"),
    documents: [
      { id: "1", ok: true, x: 0.00001 },
      { id: "2", ok: false },
    ],
  },
  {
    name: "latin1.csv",
    source: "old PHP scripts: Latin 1, by --encoding",
    content: encoded(lines("id,name", "1,Café"), "latin1"),
    options: { encoding: "latin1" },
    documents: [{ id: "1", name: "Café" }],
  },
  {
    name: "pretty.jsonl",
    source: "jq without -c, named as lines: objects over several lines",
    content: '{\n  "id": 1,\n  "tags": ["a", "b"]\n}\n{\n  "id": 2,\n  "tags": []\n}\n',
    documents: [{ id: "1", tags: ["a", "b"] }, { id: "2" }],
  },
  {
    name: "arrays.ndjson",
    source: "BigQuery and ClickHouse: NDJSON with arrays of texts, numbers and objects",
    content: ndjson(
      { id: "1", tags: ["a", "b"], sizes: [1, 2.5], offers: [{ price: 1 }, { price: 2 }] },
      { id: "2", tags: [], sizes: [], offers: [] },
    ),
    documents: [
      { id: "1", tags: ["a", "b"], sizes: [1, 2.5], offers: [{ price: 1 }, { price: 2 }] },
      { id: "2" },
    ],
    fields: { sizes: "f64[]", "offers.price": "u64[]" },
  },
  {
    name: "trailing-comma.json",
    source: "hand-made JSON: a comma behind the last element",
    content: '[\n  {"id": "1"},\n  {"id": "2"},\n]\n',
    documents: [{ id: "1" }, { id: "2" }],
    bad: [{ line: 4, reason: "a document is missing before this place" }],
  },
  {
    name: "trailing-comma.ndjson",
    source: "scripts: lines of an array without its brackets, a comma behind each",
    content: '{"id": "1"},\n{"id": "2"},\n',
    refused: "trailing-comma.ndjson:1: not valid JSON",
  },
  {
    name: "array-lines.ndjson",
    source: "ClickHouse: JSONCompactEachRow, arrays without names",
    content: '[1, "a"]\n[2, "b"]\n',
    refused: "array-lines.ndjson:1: a document must be a JSON object",
  },
  {
    name: "clickhouse.json",
    source: "ClickHouse: FORMAT JSON, meta, data, rows",
    content: JSON.stringify({
      meta: [{ name: "id", type: "UInt64" }],
      data: [
        { id: "1", n: 5 },
        { id: "2", n: 6 },
      ],
      rows: 2,
      statistics: { elapsed: 0.1 },
    }),
    documents: [
      { id: "1", n: 5 },
      { id: "2", n: 6 },
    ],
    says: ["its documents are the list 'data'"],
  },
  {
    name: "bigquery.json",
    source: "BigQuery: rows saved to a file, integers as texts, times in UTC",
    content: ndjson(
      { id: "1", n: "5", at: "2023-12-31 23:59:59 UTC" },
      { id: "2", n: "6", at: "2024-01-01 00:00:00 UTC" },
    ),
    documents: [
      { id: "1", n: "5", at: "2023-12-31T23:59:59Z" },
      { id: "2", n: "6", at: "2024-01-01T00:00:00Z" },
    ],
  },
  {
    name: "dynamodb.json",
    source: "DynamoDB: export to S3, an Item a line, types around values",
    content: ndjson({ Item: { id: { S: "1" }, n: { N: "5" } } }, { Item: { id: { S: "2" }, n: { N: "6" } } }),
    documents: [{ Item: { id: { S: "1" }, n: { N: "5" } } }, { Item: { id: { S: "2" }, n: { N: "6" } } }],
  },
  {
    name: "airtable.csv",
    source: "Airtable: CSV with a byte order mark, checked as a word, lists by commas in quotes",
    content: BOM + lines("id,Name,Done,Tags", '1,a,checked,"x,y"', "2,b,,x"),
    documents: [
      { id: "1", Name: "a", Done: "checked", Tags: "x,y" },
      { id: "2", Name: "b", Tags: "x" },
    ],
  },
  {
    name: "notion.csv",
    source: "Notion: CSV with a byte order mark, Yes and No, dates in words",
    content: BOM + lines("Name,Done,Due", 'a,Yes,"December 31, 2023"', 'b,No,"January 1, 2024"'),
    documents: [
      { Name: "a", Done: true, Due: "2023-12-31T00:00:00Z" },
      { Name: "b", Done: false, Due: "2024-01-01T00:00:00Z" },
    ],
    fields: { Done: "bool", Due: "datetime" },
  },
  {
    name: "salesforce.csv",
    source: "Salesforce Data Loader: all in quotes, identifiers of 18 characters, times with a zone",
    content: lines('"ID","NAME","CREATEDDATE"', '"0015000000Gv7qJAAR","a","2023-12-31T23:59:59.000Z"'),
    documents: [{ ID: "0015000000Gv7qJAAR", NAME: "a", CREATEDDATE: "2023-12-31T23:59:59Z" }],
  },
  {
    name: "hubspot.csv",
    source: "HubSpot: names with spaces, several values by semicolons",
    content: lines("Record ID,Email,Lead Status", "1,a@example.com,OPEN;NEW", "2,b@example.com,OPEN"),
    documents: [
      { Record_ID: 1, Email: "a@example.com", Lead_Status: "OPEN;NEW" },
      { Record_ID: 2, Email: "b@example.com", Lead_Status: "OPEN" },
    ],
  },
  {
    name: "openrefine.tsv",
    source: "OpenRefine: tabs, quotes as they are",
    content: lines("id\tname", '1\ta "b" c', "2\td"),
    documents: [
      { id: "1", name: 'a "b" c' },
      { id: "2", name: "d" },
    ],
  },
  {
    name: "header-spaces.csv",
    source: "Oracle SQL*Plus: names and values with spaces around",
    content: lines("id , name ,  n", "1 , a ,  5", "2 , b ,  6"),
    documents: [
      { id: "1 ", name: " a ", n: 5 },
      { id: "2 ", name: " b ", n: 6 },
    ],
    says: ["column '  n' becomes field 'n'"],
  },
  {
    name: "comment.csv",
    source: "GBIF, NASA and others: a comment before the header",
    content: lines("# made 2024-01-01", "id,name", "1,a", "2,b"),
    refused: "comment.csv:2: 2 cells, but the header has 1",
  },
  {
    name: "formulas.csv",
    source: "Google Sheets: errors of formulas as text",
    content: lines("id,n,m", "1,5,#N/A", "2,#DIV/0!,3", "3,6,4"),
    documents: [
      { id: "1", n: "5", m: "#N/A" },
      { id: "2", n: "#DIV/0!", m: "3" },
      { id: "3", n: "6", m: "4" },
    ],
  },
  {
    name: "nul.csv",
    source: "SQL Server and others: a byte of zero within a cell",
    content: lines("id,name", "1,a\u0000b", "2,c"),
    documents: [
      { id: "1", name: "a\u0000b" },
      { id: "2", name: "c" },
    ],
  },
  {
    name: "infinity.csv",
    source: "NumPy: inf and nan among numbers",
    content: lines("id,x", "1,0.5", "2,inf", "3,nan"),
    documents: [
      { id: "1", x: "0.5" },
      { id: "2", x: "inf" },
      { id: "3", x: "nan" },
    ],
  },
  {
    name: "python.ndjson",
    source: "Python: json.dumps with NaN",
    content: '{"id": "1", "x": NaN}\n{"id": "2", "x": 1.5}\n',
    documents: [{ id: "2", x: 1.5 }],
    bad: [{ line: 1, reason: "not valid JSON" }],
  },
  {
    name: "html.csv",
    source: "a download that is a page of HTML",
    content: "<!DOCTYPE html><html><body>Sign in</body></html>\n",
    refused: "html.csv: it is XML or HTML",
  },
  {
    name: "utf16be-unmarked.txt",
    source: "Java programs: UTF-16BE without a byte order mark, tabs",
    content: encoded(lines("id\tname", "1\ta", "2\tb"), "utf16le").swap16(),
    documents: [
      { id: "1", name: "a" },
      { id: "2", name: "b" },
    ],
    says: ["is utf-16be by its first bytes"],
  },
  {
    name: "measured.csv",
    source: "shops' tables with units beside numbers",
    content: lines("id,weight,vat,price", "1,12 kg,5%,USD 12", "2,7.5 kg,19%,EUR 8"),
    documents: [
      { id: "1", weight: "12 kg", vat: "5%", price: "USD 12" },
      { id: "2", weight: "7.5 kg", vat: "19%", price: "EUR 8" },
    ],
    says: [
      "'weight' stays text, as its numbers have units, such as '12 kg'",
      "'vat' stays text, as its numbers have units, such as '5%'",
      "'price' stays text, as its numbers have units, such as 'USD 12'",
    ],
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
