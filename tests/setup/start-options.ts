import { readFileSync } from "node:fs";

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly scripts: { readonly start: string };
};

/** What `npm start` gives `node` before the program: servers in tests and benchmarks run as users run them. */
export function startOptions(): string[] {
  return scripts.start.split(" ").filter((word) => word.startsWith("--"));
}
