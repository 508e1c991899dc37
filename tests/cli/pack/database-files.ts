import { encoded, lines, type PackFile, windowsLines } from "./pack-file.js";

/** Tables as databases and programs for statistics write them. */
export const DATABASE_FILES: readonly PackFile[] = [
  {
    name: "pandas.csv",
    source: "pandas: DataFrame.to_csv, with its index, gaps in a column of whole numbers, True and False",
    content: lines(
      ",id,units,active,at",
      "0,1,12.0,True,2023-12-31 23:59:59",
      "1,2,,False,2024-01-01 00:00:00",
    ),
    documents: [
      { column_1: 0, id: "1", units: 12, active: true, at: "2023-12-31T23:59:59Z" },
      { column_1: 1, id: "2", active: false, at: "2024-01-01T00:00:00Z" },
    ],
    says: ["column '' becomes field 'column_1'"],
  },
  {
    name: "pandas-lists.csv",
    source: "pandas: columns of JSON arrays",
    content: lines("id,tags", '1,"[""a"", ""b""]"', '2,"[]"'),
    documents: [{ id: "1", tags: ["a", "b"] }, { id: "2" }],
    fields: { tags: "text[]" },
  },
  {
    name: "r.csv",
    source: "R: write.csv, names in quotes, NA where there is nothing",
    content: lines('"","id","n"', '"1","a",1', '"2","b",NA'),
    documents: [
      { column_1: 1, id: "a", n: "1" },
      { column_1: 2, id: "b", n: "NA" },
    ],
  },
  {
    name: "mysql-outfile.tsv",
    source: "MySQL: SELECT … INTO OUTFILE, tabs, \\N for NULL",
    content: lines(
      "id\tname\tn\tat",
      "1\ta\t5\t2023-12-31 23:59:59",
      "2\t\\N\t\\N\t\\N",
      "3\tb\t7\t0000-00-00 00:00:00",
    ),
    documents: [
      { id: "1", name: "a", n: 5, at: "2023-12-31T23:59:59Z" },
      { id: "2" },
      { id: "3", name: "b", n: 7 },
    ],
    fields: { n: "u64", at: "datetime" },
  },
  {
    name: "mysql-workbench.csv",
    source: "MySQL Workbench: export of a result, NULL as a word, 0 and 1 beside TRUE",
    content: lines("id,qty,active", "1,5,TRUE", "2,NULL,0", "3,7,1"),
    documents: [
      { id: "1", qty: 5, active: true },
      { id: "2", active: false },
      { id: "3", qty: 7, active: true },
    ],
    fields: { qty: "u64", active: "bool" },
  },
  {
    name: "phpmyadmin.csv",
    source: "phpMyAdmin: CSV, every cell in quotes, semicolons",
    content: lines('"id";"title";"price"', '"1";"O\'Neill";"131.56"', '"2";"a;b";"7.00"'),
    documents: [
      { id: "1", title: "O'Neill", price: 131.56 },
      { id: "2", title: "a;b", price: 7 },
    ],
  },
  {
    name: "postgresql.csv",
    source: "PostgreSQL: COPY … CSV HEADER, t and f, arrays, times with a zone",
    content: lines(
      "id,ok,tags,at",
      '1,t,"{a,""b c""}",2023-12-31 23:59:59.123456+02',
      "2,f,{},2024-01-01 00:00:00+00",
    ),
    documents: [
      { id: "1", ok: true, tags: ["a", "b c"], at: "2023-12-31T21:59:59.123456Z" },
      { id: "2", ok: false, at: "2024-01-01T00:00:00Z" },
    ],
    fields: { ok: "bool", tags: "text[]", at: "datetime" },
  },
  {
    name: "postgresql-money.csv",
    source: "PostgreSQL: COPY of a column of type money",
    content: lines("id,price", '1,"$1,234.50"', "2,$0.99"),
    documents: [
      { id: "1", price: 1234.5 },
      { id: "2", price: 0.99 },
    ],
  },
  {
    name: "sqlite.csv",
    source: "SQLite: .mode csv, .headers on",
    content: windowsLines("id,name,made", "1,a,2023-12-31", '2,"b, c",2024-01-01'),
    documents: [
      { id: "1", name: "a", made: "2023-12-31T00:00:00Z" },
      { id: "2", name: "b, c", made: "2024-01-01T00:00:00Z" },
    ],
  },
  {
    name: "sqlserver.csv",
    source: "SQL Server Management Studio: results as CSV, seven digits of a second, GUIDs",
    content: windowsLines(
      "id,guid,at",
      "1,6F9619FF-8B86-D011-B42D-00C04FC964FF,2023-12-31 23:59:59.1234567",
      "2,NULL,2024-01-01 00:00:00.0000000",
    ),
    documents: [
      { id: "1", guid: "6F9619FF-8B86-D011-B42D-00C04FC964FF", at: "2023-12-31T23:59:59.1234567Z" },
      { id: "2", guid: "NULL", at: "2024-01-01T00:00:00Z" },
    ],
  },
  {
    name: "oracle.csv",
    source: "Oracle SQL Developer: dates as 31-DEC-23",
    content: lines('"ID","HIRED"', "1,31-DEC-23", "2,01-JAN-99"),
    documents: [
      { ID: 1, HIRED: "2023-12-31T00:00:00Z" },
      { ID: 2, HIRED: "1999-01-01T00:00:00Z" },
    ],
  },
  {
    name: "hive.tsv",
    source: "Hive and Spark: tabs, \\N for NULL, true and false",
    content: lines("id\tflag\tname", "1\ttrue\ta", "2\t\\N\tb"),
    documents: [
      { id: "1", flag: true, name: "a" },
      { id: "2", name: "b" },
    ],
  },
  {
    name: "spark.csv",
    source: "Spark: times in ISO 8601 with milliseconds and zone",
    content: lines("id,at", "1,2023-12-31T23:59:59.250Z", "2,2024-01-01T00:00:00.000+01:00"),
    documents: [
      { id: "1", at: "2023-12-31T23:59:59.25Z" },
      { id: "2", at: "2023-12-31T23:00:00Z" },
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
    name: "stata.csv",
    source: "Stata: export delimited, a point alone where there is nothing",
    content: lines("id,income,name", "1,1200.5,a", "2,.,b"),
    documents: [
      { id: "1", income: "1200.5", name: "a" },
      { id: "2", income: ".", name: "b" },
    ],
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
];
