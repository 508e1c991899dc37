import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compareEngines, formatTable } from "./compare.js";
import { debianCorpus } from "./corpus.js";
import { pythonWithTantivy } from "./python-environment.js";
import { makeWorkload, type WorkloadSpec } from "./workload.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export interface QuickOptions {
  readonly perKind: number;
  readonly rounds: number;
  readonly seed: number;
}

/** Findling's engine beside native Tantivy (through tantivy-py) on Debian's packages. */
export async function benchmarkQuick(options: QuickOptions): Promise<void> {
  const corpus = debianCorpus();
  const spec = JSON.parse(readFileSync(here("./specs/debian.json"), "utf8")) as WorkloadSpec;
  const folder = mkdtempSync(join(tmpdir(), "findling-bench-"));
  try {
    const workload = await makeWorkload(spec, corpus.file, folder, options);
    const findling = {
      name: "findling",
      command: [process.execPath, "--import", "tsx", here("./runners/findling-runner.ts")],
    };
    const python = pythonWithTantivy();
    if (python === null)
      process.stderr.write("tantivy-py can't be installed here; measuring Findling alone\n");
    const tantivy =
      python === null ? [] : [{ name: "tantivy-py", command: [python, here("./runners/tantivy_runner.py")] }];
    const base = python === null ? "findling" : "tantivy-py";
    const figures = await compareEngines(workload, {
      engines: [...tantivy, findling],
      base,
      rounds: options.rounds,
      warmUps: 3,
      workFolder: join(folder, "indexes"),
    });
    const versions = figures.map(({ name, version }) => `${name} ${version}`).join(", ");
    process.stdout.write(
      `\n${workload.docs} documents${corpus.isWhole ? "" : " (the bundled sample)"}, ${options.perKind} queries a kind, ` +
        `seed ${options.seed}, ${options.rounds} interleaved rounds; ${versions}; Node ${process.versions.node}, ` +
        `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}\n` +
        `time: median over queries; × = geometric mean of the time ratio to ${base}, smaller is better\n\n` +
        `${formatTable(figures, base)}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
