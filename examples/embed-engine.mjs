// The engine as a library: a durable index in a folder, no server.
import { Index } from "findling/engine";

const films = await Index.openOrCreate(process.argv[2] ?? "films-index", {
  title: "text",
  year: "u64",
  genre: "facet",
});
await films.add([
  { title: "The General", year: 1926, genre: "/comedy/silent" },
  { title: "The Third Man", year: 1949, genre: "/crime" },
  { title: "A Man Escaped", year: 1956, genre: "/drama" },
]);
await films.commit();
const { hits, facets } = films.search("man", { facets: ["genre"] });
for (const { score, document } of hits) console.log(score.toFixed(2), document.title);
for (const { path, count } of facets.genre) console.log(count, path);
await films.close();
