// Every operation of a running server, one method each: an index, a transaction, searches.
import { FindlingClient, FindlingClientError } from "findling/client";

const client = new FindlingClient({
  url: process.env.FINDLING_URL ?? "http://127.0.0.1:8000",
  key: process.env.FINDLING_ADMIN_KEY,
});
const index = "example-recipes";

await client.createIndex(
  {
    name: index,
    fields: {
      title: { type: "text" },
      minutes: { type: "u64" },
      vegan: { type: "bool" },
    },
  },
  { overrideIfExists: true },
);
await client.addDocuments(index, [
  { title: "Lentil soup with lemon", minutes: 35, vegan: true },
  { title: "Potato pancakes", minutes: 40, vegan: false },
  { title: "Tomato soup", minutes: 25, vegan: true },
]);
await client.commitIndex(index);

// What is rolled back never happens: the next commit has nothing to apply.
await client.deleteAllDocuments(index);
await client.rollbackIndex(index);
await client.commitIndex(index);

const mistyped = await client.searchIndex(index, { query: { fuzzy: { ctx: "lentl" } } });
console.log(mistyped.hits.map((hit) => hit.doc.title));

const quick = await client.searchIndex(index, {
  query: { exact: { ctx: "soup AND vegan:true AND minutes:<=30" } },
});
console.log(`${quick.count} soup in half an hour: ${quick.hits[0].doc.title}`);

try {
  await client.searchIndex(index, { query: { exact: { ctx: "minutes:[10 TO" } } });
} catch (error) {
  if (!(error instanceof FindlingClientError)) throw error;
  console.log(`${error.status} ${error.code}: ${error.message}`);
}
await client.deleteIndex(index);
