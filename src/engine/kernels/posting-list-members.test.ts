/** TypeScript writes each member of a list where AssemblyScript reads it: behind those before it, aligned to its size. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as MEMBER from "./posting-list-members.js";

test("members lie where the kernels read them", () => {
  const source = readFileSync(new URL("assembly/posting-list.ts", import.meta.url), "utf8");
  const written = /class PostingList \{(.*?)\/\/ From here on the kernels' own/s.exec(source)![1]!;
  const places: Record<string, number> = {};
  let end = 0;
  for (const [, name, type] of written.matchAll(/^ {2}(\w+): (\w+);/gm)) {
    const bytes = type === "f64" ? 8 : 4;
    const start = Math.ceil(end / bytes) * bytes;
    places[name!.replace(/[A-Z]/g, "_$&").toUpperCase()] = start / 4;
    end = start + bytes;
  }
  expect({ ...MEMBER }).toEqual(places);
});
