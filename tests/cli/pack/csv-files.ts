import { BOM, encoded, lines, type PackFile, windowsLines } from "./pack-file.js";

const repeated = (count: number, row: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => row(i));

/** Tables as spreadsheets, databases, shops and programs write them. */
export const CSV_FILES: readonly PackFile[] = [
  {
    name: "excel-us.csv",
    source: "Excel, United States: CSV (comma delimited)",
    content: windowsLines(
      "id,name,price,shipped",
      '1,"Hose, 3/4 in","1,299.90",12/31/2023',
      "2,Tap,49.5,1/2/2024",
    ),
    documents: [
      { id: "1", name: "Hose, 3/4 in", price: 1299.9, shipped: "2023-12-31T00:00:00Z" },
      { id: "2", name: "Tap", price: 49.5, shipped: "2024-01-02T00:00:00Z" },
    ],
    fields: { price: "f64", shipped: "datetime" },
  },
  {
    name: "excel-german.csv",
    source: "Excel, Germany: CSV UTF-8 (semicolons, byte order mark)",
    content: BOM + windowsLines("id;Name;Preis;Datum", "1;Käse;1.299,90;31.12.2023", "2;Öl;0,5;01.02.2024"),
    documents: [
      { id: "1", Name: "Käse", Preis: 1299.9, Datum: "2023-12-31T00:00:00Z" },
      { id: "2", Name: "Öl", Preis: 0.5, Datum: "2024-02-01T00:00:00Z" },
    ],
    says: ["has ';' between its cells; --delimiter names another"],
  },
  {
    name: "excel-german-ansi.csv",
    source: "Excel, Germany: CSV (Windows-1252), without its encoding named",
    content: encoded(windowsLines("id;Name", "1;Brot", "2;Käse"), "latin1"),
    documents: [{ id: "1", Name: "Brot" }],
    bad: [{ line: 3, reason: "not valid UTF-8; if the file has another encoding, name it by --encoding" }],
  },
  {
    name: "excel-german-1252.csv",
    source: "Excel, Germany: CSV (Windows-1252), with --encoding",
    content: encoded(windowsLines("id;Name", "1;Brot", "2;Käse"), "latin1"),
    options: { encoding: "windows-1252" },
    documents: [
      { id: "1", Name: "Brot" },
      { id: "2", Name: "Käse" },
    ],
  },
  {
    name: "excel-french.csv",
    source: "Excel, France: CSV (semicolons, narrow spaces between groups)",
    content: windowsLines("id;nom;prix", "1;vis;1\u202f234,50", "2;écrou;0,05"),
    documents: [
      { id: "1", nom: "vis", prix: 1234.5 },
      { id: "2", nom: "écrou", prix: 0.05 },
    ],
  },
  {
    name: "excel-swiss.csv",
    source: "Excel, Switzerland: CSV (semicolons, apostrophes between groups)",
    content: windowsLines("id;name;price", "1;watch;1'234.50", "2;band;80.00"),
    documents: [
      { id: "1", name: "watch", price: 1234.5 },
      { id: "2", name: "band", price: 80 },
    ],
  },
  {
    name: "excel-sep.csv",
    source: "Excel: CSV with the line sep=, as scripts write it for Excel",
    content: windowsLines("sep=|", "id|a", "1|x", "2|y"),
    documents: [
      { id: "1", a: "x" },
      { id: "2", a: "y" },
    ],
  },
  {
    name: "excel-unicode.txt",
    source: "Excel: Unicode Text (UTF-16 with byte order mark, tabs)",
    content: encoded(BOM + windowsLines("id\tname", "1\tŁódź", "2\t東京"), "utf16le"),
    documents: [
      { id: "1", name: "Łódź" },
      { id: "2", name: "東京" },
    ],
    says: ["is utf-16le by its first bytes", "has tabs between its cells"],
  },
  {
    name: "excel-numbers-cut.csv",
    source: "Excel: long article numbers turned into 4.0064E+12",
    content: windowsLines("id,ean,n", "1,4.0064E+12,1", "2,4.00641E+12,2"),
    documents: [
      { id: "1", ean: 4.0064e12, n: 1 },
      { id: "2", ean: 4.00641e12, n: 2 },
    ],
  },
  {
    name: "numbers.csv",
    source: "Apple Numbers: CSV with lines that end in LF, quotes where needed",
    content: lines("id,name,done", '1,"a ""quoted"" word",TRUE', "2,plain,FALSE"),
    documents: [
      { id: "1", name: 'a "quoted" word', done: true },
      { id: "2", name: "plain", done: false },
    ],
    fields: { done: "bool" },
  },
  {
    name: "libreoffice.csv",
    source: "LibreOffice Calc: all texts in quotes",
    content: lines('"id","name","n"', '"1","two\nlines",5', '"2","one",6'),
    documents: [
      { id: "1", name: "two\nlines", n: 5 },
      { id: "2", name: "one", n: 6 },
    ],
  },
  {
    name: "google-sheets.csv",
    source: "Google Sheets: CSV without a line break at the end",
    content: "id,name,checked\r\n1,a,TRUE\r\n2,b,FALSE",
    documents: [
      { id: "1", name: "a", checked: true },
      { id: "2", name: "b", checked: false },
    ],
  },
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
    name: "shopify.csv",
    source: "Shopify: product export, HTML in quotes, tags in one cell, TRUE and FALSE in letters",
    content: lines(
      "Handle,Title,Body (HTML),Vendor,Tags,Published,Variant Price",
      ...repeated(
        12,
        (i) =>
          `item-${i},Item ${i},"<p class=""x"">Text, ${i}</p>",${i % 2 === 0 ? "Acme" : "O'Neill"},"${i % 2 === 0 ? "red, sale" : "blue"}",${i % 2 === 0},${i}.50`,
      ),
    ),
    documents: repeated(12, String).map((_, i) => ({
      Handle: `item-${i}`,
      Title: `Item ${i}`,
      Body__HTML_: `<p class="x">Text, ${i}</p>`,
      Vendor: i % 2 === 0 ? "Acme" : "O'Neill",
      Tags: i % 2 === 0 ? ["red", "sale"] : ["blue"],
      Published: i % 2 === 0,
      Variant_Price: i + 0.5,
    })),
    fields: { Vendor: "flat", Tags: "flat[]", Published: "bool", Variant_Price: "f64" },
    says: ["column 'Body (HTML)' becomes field 'Body__HTML_'"],
  },
  {
    name: "woocommerce.csv",
    source: "WooCommerce: product export, categories as paths in one cell, 0 and 1",
    content:
      BOM +
      lines(
        "ID,SKU,Name,Published,Categories",
        '1,a-1,Jacket,1,"Clothing > Men > Jackets, Clothing > Sale"',
        "2,a-2,Hat,0,Clothing > Hats",
      ),
    documents: [
      {
        ID: 1,
        SKU: "a-1",
        Name: "Jacket",
        Published: 1,
        Categories: ["/Clothing/Men/Jackets", "/Clothing/Sale"],
      },
      { ID: 2, SKU: "a-2", Name: "Hat", Published: 0, Categories: ["/Clothing/Hats"] },
    ],
    fields: { Categories: "facet[]" },
  },
  {
    name: "magento.csv",
    source: "Magento: product export, categories with slashes, dates as 12/31/23, 1:05 PM",
    content: lines(
      "sku,categories,created_at",
      '"24-MB01","Default Category/Gear/Bags","12/31/23 1:05 PM"',
      '"24-MB02","Default Category/Gear","1/2/24 12:00 AM"',
    ),
    documents: [
      { sku: "24-MB01", categories: "Default Category/Gear/Bags", created_at: "2023-12-31T13:05:00Z" },
      { sku: "24-MB02", categories: "Default Category/Gear", created_at: "2024-01-02T00:00:00Z" },
    ],
  },
  {
    name: "wordpress.csv",
    source: "WordPress: WP All Export, shortcodes and line breaks in a cell",
    content: lines(
      "id,Title,Content,Date",
      '1,Hello,"[gallery ids=""1,2""]\n\nText",2023-12-31 10:00:00',
      "2,Again,Text,2024-01-01 10:00:00",
    ),
    documents: [
      { id: "1", Title: "Hello", Content: '[gallery ids="1,2"]\n\nText', Date: "2023-12-31T10:00:00Z" },
      { id: "2", Title: "Again", Content: "Text", Date: "2024-01-01T10:00:00Z" },
    ],
  },
  {
    name: "google-merchant.tsv",
    source: "Google Merchant Center: feed as text, tabs, prices with a currency",
    content: lines(
      "id\ttitle\tprice\tgoogle_product_category",
      "1\tHose\t12.50\tHome & Garden > Plumbing",
      "2\tTap\t7.00\tHome & Garden > Plumbing > Taps",
    ),
    documents: [
      { id: "1", title: "Hose", price: 12.5, google_product_category: "/Home & Garden/Plumbing" },
      { id: "2", title: "Tap", price: 7, google_product_category: "/Home & Garden/Plumbing/Taps" },
    ],
    fields: { google_product_category: "facet" },
  },
  {
    name: "amazon-seller.txt",
    source: "Amazon Seller Central: inventory report, tabs, texts with quotes that aren't doubled",
    content: windowsLines("id\titem-name\tquantity", '1\tMonitor 24" black\t5', "2\tCable\t7"),
    documents: [
      { id: "1", "item-name": 'Monitor 24" black', quantity: 5 },
      { id: "2", "item-name": "Cable", quantity: 7 },
    ],
  },
  {
    name: "stripe.csv",
    source: "Stripe: payments export, column names with spaces and brackets, times in UTC",
    content: lines(
      "id,Created (UTC),Amount,Currency",
      'ch_1,2023-12-31 10:15,"1,234.50",usd',
      "ch_2,2024-01-01 00:00,0.99,usd",
    ),
    documents: [
      { id: "ch_1", Created__UTC_: "2023-12-31T10:15:00Z", Amount: 1234.5, Currency: "usd" },
      { id: "ch_2", Created__UTC_: "2024-01-01T00:00:00Z", Amount: 0.99, Currency: "usd" },
    ],
  },
  {
    name: "datev.csv",
    source: "DATEV and other German accounting: two columns of one name, minus behind nothing",
    content: windowsLines("id;Konto;Konto;Betrag", "1;1200;8400;-119,00", "2;1000;8400;5,95"),
    documents: [
      { id: "1", Konto: 1200, Konto_2: 8400, Betrag: -119 },
      { id: "2", Konto: 1000, Konto_2: 8400, Betrag: 5.95 },
    ],
    says: ["column 'Konto' becomes field 'Konto_2'"],
  },
  {
    name: "postcodes.csv",
    source: "any table with postal codes and telephone numbers: leading zeros stay",
    content: lines("id,zip,phone", "1,01067,0049 351 1234", "2,80331,0049 89 5678"),
    documents: [
      { id: "1", zip: "01067", phone: "0049 351 1234" },
      { id: "2", zip: "80331", phone: "0049 89 5678" },
    ],
  },
  {
    name: "unclosed-quote.csv",
    source: "hand-made exports: a quote that is never closed",
    content: lines("id,name", "1,a", '2,"b', "3,c", '4,"d, e"'),
    documents: [
      { id: "1", name: "a" },
      { id: "3", name: "c" },
      { id: "4", name: "d, e" },
    ],
    bad: [{ line: 3, reason: "a quote in the row that begins here is never closed" }],
  },
  {
    name: "quote-goes-on.csv",
    source: "hand-made exports: a quoted cell that goes on behind its quote",
    content: lines("id,name", '1,"a" b', "2,c"),
    documents: [{ id: "2", name: "c" }],
    bad: [{ line: 2, reason: "goes on after its closing quote" }],
  },
  {
    name: "backslash-quotes.csv",
    source: "MySQL and PHP scripts: quotes escaped by a backslash",
    content: lines("id,name", '1,"say \\"hi\\""', "2,c"),
    documents: [{ id: "2", name: "c" }],
    bad: [{ line: 2, reason: "goes on after its closing quote" }],
  },
  {
    name: "ragged.csv",
    source: "hand-made exports: rows with a cell too few and one too many",
    content: lines("id,a,b", "1,x", "2,x,y", "3,x,y,z"),
    documents: [{ id: "2", a: "x", b: "y" }],
    bad: [
      { line: 2, reason: "2 cells, but the header has 3" },
      { line: 4, reason: "4 cells, but the header has 3" },
    ],
  },
  {
    name: "late-misfit.csv",
    source: "any database: one value in thousands that is of another type",
    content: lines("id,n", ...repeated(6000, (i) => `${i},${i}`), "x,many"),
    bad: [{ line: 6002, reason: "'n' must be an integer" }],
  },
  {
    name: "header-only.csv",
    source: "any export of an empty table",
    content: lines("id,name"),
    refused: "there is no document with a field to make an index from",
  },
  {
    name: "empty.csv",
    source: "an export that failed",
    content: "",
    refused: "there is no document with a field to make an index from",
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
    name: "ambiguous-dates.csv",
    source: "exports with dates of which nobody knows day and month",
    content: lines("id,at", "1,01/02/2023", "2,03/04/2023"),
    documents: [
      { id: "1", at: "01/02/2023" },
      { id: "2", at: "03/04/2023" },
    ],
    says: ["'at' may be dates of the format DD/MM/YYYY or MM/DD/YYYY"],
  },
  {
    name: "reserved-names.csv",
    source: "exports with columns that no field may be named like",
    content: lines("_id,__proto__,2024,naïve,name", "a,b,c,d,e"),
    documents: [{ id_: "a", proto: "b", _2024: "c", na_ve: "d", name: "e" }],
  },
];
