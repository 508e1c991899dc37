import { fileURLToPath } from "node:url";
import { javaWithLucene, LUCENE_VERSION } from "../java-environment.js";
import type { EngineProgram } from "./engine-program.js";
import { hashOfFiles } from "./hash-of-files.js";

const source = (name: string): string =>
  fileURLToPath(new URL(`../native/lucene/${name}.java`, import.meta.url));

/** Lucene behind our runner, compiled in the benchmarks' cache. */
export function luceneProgram(): EngineProgram {
  const name = "lucene";
  const java = javaWithLucene({
    mainClass: "LuceneRunner",
    sources: ["LuceneRunner", "Collection", "Operation", "Stopwatch", "Json"].map(source),
    artifacts: ["core", "analysis-common", "facet"],
  });
  if ("missing" in java) return { name, missing: `${java.missing}: ${java.reason}` };
  // The writer holds half a gigabyte; the rest is for merging a million documents.
  const [program, ...options] = java.command;
  return {
    name,
    command: [program!, "-Xmx3g", "-XX:+UseSerialGC", ...options],
    buildKey: hashOfFiles([source("Collection")]) + LUCENE_VERSION,
  };
}
