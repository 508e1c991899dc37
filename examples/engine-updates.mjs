// Writing: a transaction, replacing by key, changing members, deleting, and what is there after closing.
import { Index } from "findling/engine";

const folder = process.argv[2] ?? "notes-index";
const schema = { id: "keyword", text: "text", stars: "u64" };
let notes = await Index.openOrCreate(folder, schema);
const shown = () => notes.search("*", { mode: "exact" }).hits.map(({ document }) => document);

const [first] = await notes.add([
  { id: "a", text: "the heron stood in the reeds", stars: 1 },
  { id: "b", text: "two herons over the mill pond" },
]);
console.log("before the commit:", shown().length);
await notes.commit();
console.log("after it:", shown().length);

await notes.replace("id", { id: "b", text: "three herons", stars: 5 });
await notes.update(first, { stars: 2 });
await notes.commit();
console.log("changed:", notes.get(first).stars, notes.search("three").count);

await notes.deleteByQuery("stars:>=2");
await notes.rollback();
console.log("rolled back:", shown().length);

await notes.deleteByQuery("stars:<3");
// Pending writes that were acknowledged are there again after a stop or a crash.
await notes.close();
notes = await Index.openOrCreate(folder, schema);
await notes.commit();
console.log(
  "reopened:",
  shown()
    .map(({ id }) => id)
    .join(" "),
);
await notes.close();
