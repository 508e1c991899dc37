import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { functionTimes, newestProfile } from "./cpu-profile.js";
import type { EngineProgram } from "./engine-program.js";
import { findlingProgram } from "./findling-program.js";
import { PeerEngine } from "./peer-engine.js";
import { isRanked, type Mode } from "./peer-query.js";
import type { PlacedQuery } from "./rounds.js";

const SECONDS = 6;
const LISTED = 25;

/** Runs queries hot, with and without counts, under V8's profiler; prints where the time went. */
export async function profileFindling(
  dist: string,
  input: { readonly name: string; readonly file: string },
  queries: readonly PlacedQuery[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-profile-"));
  const profiler = ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=250"];
  // An index that isn't there yet is built outside the profile.
  await (await started(findlingProgram("findling", dist), input)).quit();
  const engine = await started(findlingProgram("findling", dist, profiler), input);
  await engine.prepare(queries.map(({ query }) => query));
  const modes: readonly Mode[] = ["top10", "one_pass"];
  const start = performance.now();
  while (performance.now() - start < SECONDS * 1000) {
    for (const mode of modes) {
      const places = [...queries.keys()].filter(
        (place) => mode === "top10" || isRanked(queries[place]!.query.kind),
      );
      await engine.times("hot", mode, places);
    }
  }
  await engine.quit();
  const file = newestProfile(folder);
  const rows = functionTimes(file)
    .slice(0, LISTED)
    .map(({ name, place, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${name}  ${place}`);
  process.stdout.write(
    `${rows.join("\n")}\n\nprofile (for the Performance panel of Chrome's tools): ${file}\n`,
  );
}

function started(
  program: EngineProgram,
  input: { readonly name: string; readonly file: string },
): Promise<PeerEngine> {
  if ("missing" in program) throw new Error(program.missing);
  return PeerEngine.start(program, input.file, { inputName: input.name, rebuilds: false });
}
