import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { CACHE_FOLDER } from "./corpus.js";

/** The last major version runs on Java 11 to 20. */
export const LUCENE_VERSION = "9.12.1";
const COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";

export interface LuceneProgram {
  readonly mainClass: string;
  /** Java files; each program's classes have a folder of their own. */
  readonly sources: readonly string[];
  /** Parts of Lucene, such as `core`. */
  readonly artifacts: readonly string[];
}

/** A command to run a program that uses Lucene, or why there is none here. */
export type JavaEnvironment =
  | { readonly command: readonly string[] }
  | { readonly missing: "java" | "javac" | "mvn" | "lucene"; readonly reason: string };

/** Lucene's jars from Maven Central, kept in the benchmarks' cache, and the program compiled against them. */
export function javaWithLucene({ mainClass, sources, artifacts }: LuceneProgram): JavaEnvironment {
  const jars = join(CACHE_FOLDER, "lucene", LUCENE_VERSION);
  const classes = join(jars, "classes", mainClass);
  const classPath = [...artifacts.map((name) => jarPath(jars, name)), classes].join(":");
  for (const program of ["java", "javac"] as const) {
    const reason = failureOf(program, ["-version"]);
    if (reason !== null) return { missing: program, reason };
  }
  mkdirSync(classes, { recursive: true });
  for (const name of artifacts.filter((artifact) => !existsSync(jarPath(jars, artifact)))) {
    const version = failureOf("mvn", ["--version"]);
    if (version !== null) return { missing: "mvn", reason: version };
    const artifact = `org.apache.lucene:lucene-${name}:${LUCENE_VERSION}`;
    const download = failureOf("mvn", [
      "--quiet",
      "--batch-mode",
      COPY_GOAL,
      `-Dartifact=${artifact}`,
      `-DoutputDirectory=${jars}`,
    ]);
    if (download !== null) return { missing: "lucene", reason: download };
  }
  const compilation = failureOf("javac", ["-encoding", "UTF-8", "-d", classes, "-cp", classPath, ...sources]);
  if (compilation !== null) return { missing: "javac", reason: compilation };
  return { command: ["java", "-cp", classPath, mainClass] };
}

const jarPath = (folder: string, artifact: string): string =>
  join(folder, `lucene-${artifact}-${LUCENE_VERSION}.jar`);

function failureOf(program: string, options: readonly string[]): string | null {
  try {
    execFileSync(program, options, { stdio: ["ignore", "ignore", "pipe"] });
    return null;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split("\n", 2).join(": ");
  }
}
