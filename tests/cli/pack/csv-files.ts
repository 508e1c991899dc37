import { BOM, encoded, lines, type PackFile, windowsLines } from "./pack-file.js";

const repeated = (count: number, row: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => row(i));

/** Tables as shops and services write them, and what is odd about tables of any. */
export const CSV_FILES: readonly PackFile[] = [
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
  {
    name: "latin1.csv",
    source: "old PHP scripts: Latin 1, by --encoding",
    content: encoded(lines("id,name", "1,Café"), "latin1"),
    options: { encoding: "latin1" },
    documents: [{ id: "1", name: "Café" }],
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
];
