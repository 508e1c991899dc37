// The query language, filters, order and facets, as a page with a list of products has them.
import { defineSchema, escapeText, Index, MemoryDirectory } from "findling/engine";

const products = await Index.create(
  new MemoryDirectory(),
  defineSchema({
    sku: "keyword",
    name: "text",
    price: "f64",
    stock: "u64",
    category: { kind: "facet", multi: true },
    added: "datetime",
  }),
);
await products.add([
  {
    sku: "J-1",
    name: "Red jacket",
    price: 89.9,
    stock: 4,
    category: ["/clothes/jackets"],
    added: new Date("2024-03-01"),
  },
  {
    sku: "J-2",
    name: "Blue jacket",
    price: 59,
    stock: 0,
    category: ["/clothes/jackets", "/sale"],
    added: new Date("2024-05-12"),
  },
  {
    sku: "S-1",
    name: "Red socks",
    price: 7.5,
    stock: 120,
    category: ["/clothes/socks"],
    added: new Date("2023-11-30"),
  },
]);
await products.commit();

const show = (what, { count, hits }) =>
  console.log(`${what}: ${count},`, hits.map(({ document }) => document.sku).join(" "));

show("in stock, under 90", products.search("jacket", { filter: "stock:>0 AND price:<90" }));
show("query language", products.search("name:(red OR blue) AND -category:/sale", { mode: "exact" }));
show("newest first", products.search("*", { mode: "exact", orderBy: ["added:desc", "price:asc"], limit: 2 }));
// What people type goes into a filter only with its signs escaped.
show("by code", products.search(`sku:${escapeText("J-1")}`, { mode: "exact" }));

const { facets } = products.search("red", { facets: ["category"] });
for (const { path, count, children = [] } of facets.category)
  console.log(path, count, children.map((child) => `${child.path} ${child.count}`).join(", "));
await products.close();
