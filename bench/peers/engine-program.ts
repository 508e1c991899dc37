/** A way to start an engine's runner, or why there is none here. */
export type EngineProgram =
  | {
      readonly name: string;
      readonly command: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
      /** Changes whenever an index built by the runner may differ. */
      readonly buildKey: string;
    }
  | { readonly name: string; readonly missing: string };
