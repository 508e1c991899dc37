// What is wrong is said by a FindlingError: its code stays the same, its message names the place and how to mend it.
import { FindlingError, Index, MemoryDirectory } from "findling/engine";

const films = await Index.create(new MemoryDirectory(), { title: "text", year: "u64" });
await films.add([{ title: "The Third Man", year: 1949 }]);
await films.commit();

async function shown(attempt) {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error;
    console.log(`${error.code}: ${error.message}`);
  }
}

await shown(() => films.search("man", { mode: "fuzy" }));
await shown(() => films.search("man", { hilight: true }));
await shown(() => films.search("(man", { mode: "exact" }));
await shown(() => films.search("yaer:1949", { mode: "exact" }));
await shown(() => films.search("man", { orderBy: "titel" }));
await shown(() => films.add([{ title: "Playtime", year: "soon" }]));
await shown(() => films.add([{ titel: "Playtime" }]));
await shown(() => Index.create(new MemoryDirectory(), { title: "string" }));
await films.close();
