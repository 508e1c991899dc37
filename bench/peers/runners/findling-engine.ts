/** The engine as plain JavaScript, from the folder that `FINDLING_DIST` names: what users run. */
import { pathToFileURL } from "node:url";

type EngineModule = typeof import("../../../src/engine/index.js");

const dist = process.env["FINDLING_DIST"];
if (dist === undefined) throw new Error("FINDLING_DIST must name the folder of the compiled engine");

export const engine = (await import(pathToFileURL(`${dist}/engine/index.js`).href)) as EngineModule;
