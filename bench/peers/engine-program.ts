import { join } from "node:path";
import { CACHE_FOLDER } from "../corpus.js";
import type { IndexLayout, LayoutVariant } from "./index-layout.js";

/** The engine that all others are compared with. */
export const BASE = "tantivy";

/** A way to start an engine's runner, or why there is none here. */
export type EngineProgram =
  | {
      readonly name: string;
      readonly command: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
      /** Changes whenever an index built by the runner may differ. */
      readonly buildKey: string;
      /** Takes part in the mixed rounds only: repeating its queries would take most of the time. */
      readonly isSlow?: boolean;
      /** Default: one segment, nothing deleted. */
      readonly layout?: IndexLayout;
    }
  | { readonly name: string; readonly missing: string };

export type AvailableEngine = Exclude<EngineProgram, { readonly missing: string }>;

/** Where an engine's index of an input lies between runs. */
export function indexFolder(
  program: { readonly name: string; readonly buildKey: string },
  inputName: string,
): string {
  return join(CACHE_FOLDER, "indexes", inputName, `${program.name}-${program.buildKey}`);
}

/** An engine on another layout has a name and an index of its own. */
export function onLayout(program: EngineProgram, { suffix, layout }: LayoutVariant): EngineProgram {
  return { ...program, name: program.name + suffix, layout };
}
