/** The engine as plain JavaScript, from the folder that `FINDLING_DIST` names: what the server runs. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

type EngineModule = typeof import("../../../src/engine/server-door.js");

const dist = process.env["FINDLING_DIST"];
if (dist === undefined) throw new Error("FINDLING_DIST must name the folder of the compiled engine");

/** Builds of before had one door for all. */
const door = ["server-door.js", "index.js"]
  .map((name) => `${dist}/engine/${name}`)
  .find((path) => existsSync(path));
if (door === undefined) throw new Error(`there is no compiled engine in ${dist}`);

export const engine = (await import(pathToFileURL(door).href)) as EngineModule;
