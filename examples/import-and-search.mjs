// Imports the packages of the demo in batches, then counts facets and sorts by date.
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { FindlingClient } from "findling/client";

const DEMO = new URL("../demo/", import.meta.url);
const BATCH = 500;

const client = new FindlingClient({
  url: process.env.FINDLING_URL ?? "http://127.0.0.1:8000",
  key: process.env.FINDLING_ADMIN_KEY,
});
const index = "example-packages";
const schema = JSON.parse(readFileSync(new URL("packages.schema.json", DEMO), "utf8"));
await client.createIndex({ ...schema, name: index }, { overrideIfExists: true });

const file = createReadStream(new URL("packages.jsonl.gz", DEMO)).pipe(createGunzip());
let batch = [];
for await (const line of createInterface({ input: file })) {
  batch.push(JSON.parse(line));
  if (batch.length === BATCH) {
    await client.addDocuments(index, batch);
    batch = [];
  }
}
if (batch.length > 0) await client.addDocuments(index, batch);
await client.commitIndex(index);

const games = await client.searchIndex(index, {
  query: [
    { occur: "must", exact: { ctx: "section:/games" } },
    { occur: "must", fuzzy: { ctx: "stratgey" } },
  ],
  order_by: "released",
  limit: 3,
});
console.log(`${games.count} strategy games, the newest first:`);
for (const { doc } of games.hits) console.log(`  ${doc.released.slice(0, 10)}  ${doc.name}: ${doc.title}`);

const { tags } = games.facets.find((facet) => "tags" in facet);
const toolkits = tags.find((tag) => tag.path === "/uitoolkit");
for (const { path, count } of toolkits?.children ?? []) console.log(`  ${count} × ${path}`);
await client.deleteIndex(index);
