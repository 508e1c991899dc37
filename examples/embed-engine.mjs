// The engine as a library: a durable index in a folder, no server.
import { defineSchema, FileDirectory, Index } from "findling/engine";

const folder = await FileDirectory.open(process.argv[2] ?? "films-index", { create: true });
const films = await Index.create(folder, defineSchema({ title: "text", year: "u64", genre: "facet" }));
await films.add([
  { title: "The General", year: 1926, genre: "/comedy/silent" },
  { title: "The Third Man", year: 1949, genre: "/crime" },
  { title: "A Man Escaped", year: 1956, genre: "/drama" },
]);
await films.commit();
const found = films.search({ query: { kind: "term", field: "title", term: "man" }, facets: ["genre"] });
for (const hit of found.hits) console.log(hit.score.toFixed(2), hit.json);
await films.close();
