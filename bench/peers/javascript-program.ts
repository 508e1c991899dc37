import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CACHE_FOLDER } from "../corpus.js";
import { compiledRunners } from "./compiled-runners.js";
import type { EngineProgram } from "./engine-program.js";

interface JavaScriptEngine {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The module in the package. */
  readonly module: string;
}

const ENGINES: readonly JavaScriptEngine[] = [
  { name: "minisearch", package: "minisearch", version: "7.2.0", module: "dist/es/index.js" },
  { name: "orama", package: "@orama/orama", version: "3.1.18", module: "dist/esm/index.js" },
];

/** Engines that live in a Node process, from npm into the benchmarks' cache, each in a folder of its own. */
export function javaScriptPrograms(wanted: readonly string[]): EngineProgram[] {
  return ENGINES.filter(({ name }) => wanted.includes(name)).map((engine) => {
    const { name, version } = engine;
    const folder = join(CACHE_FOLDER, "javascript", `${name}-${version}`);
    const module = join(folder, "node_modules", engine.package, engine.module);
    mkdirSync(folder, { recursive: true });
    if (!existsSync(module)) {
      const install = [
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
        folder,
      ];
      spawnSync("npm", [...install, `${engine.package}@${version}`], { stdio: "ignore" });
    }
    if (!existsSync(module)) return { name, missing: `${engine.package} ${version} can't be installed here` };
    return {
      name,
      command: [process.execPath, "--max-old-space-size=4096", join(compiledRunners(), `${name}-runner.js`)],
      environment: { PEER_MODULE: pathToFileURL(module).href, PEER_VERSION: version },
      buildKey: version,
      isSlow: true,
    };
  });
}
