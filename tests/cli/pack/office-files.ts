import { BOM, encoded, lines, type PackFile, windowsLines } from "./pack-file.js";

/** Tables as spreadsheets, office and customer programs write them. */
export const OFFICE_FILES: readonly PackFile[] = [
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
    name: "excel-mac.csv",
    source: "Excel for Mac: CSV (Macintosh), lines that end in CR alone",
    content: "id,name,n\r1,a,5\r2,b,6\r",
    documents: [
      { id: "1", name: "a", n: 5 },
      { id: "2", name: "b", n: 6 },
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
    name: "formulas.csv",
    source: "Google Sheets: errors of formulas as text",
    content: lines("id,n,m", "1,5,#N/A", "2,#DIV/0!,3", "3,6,4"),
    documents: [
      { id: "1", n: "5", m: "#N/A" },
      { id: "2", n: "#DIV/0!", m: "3" },
      { id: "3", n: "6", m: "4" },
    ],
  },
];
