import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Watched {
  readonly seconds: number;
  readonly residentBytes: number;
  readonly segments: number;
  /** Index files of the committed segments: what a search reads from memory. */
  readonly imageBytes: number;
}

/** Looks at a server's process and at the files of its only index, every 250 ms, from outside. */
export class WatchedIndex {
  readonly looks: Watched[] = [];
  readonly #pid: number;
  readonly #folder: string;
  readonly #start = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number, dataFolder: string) {
    this.#pid = pid;
    this.#folder = join(dataFolder, "indexes");
    this.#timer = setInterval(() => this.look(), 250);
  }

  look(): Watched {
    const { segments, imageBytes } = this.#committed();
    const look = {
      seconds: (performance.now() - this.#start) / 1000,
      residentBytes: this.#kilobytes("VmRSS") * 1024,
      segments,
      imageBytes,
    };
    this.looks.push(look);
    return look;
  }

  get peakResidentBytes(): number {
    return this.#kilobytes("VmHWM") * 1024;
  }

  /** Resolves once nothing is merged any more. */
  async untilMerged(): Promise<void> {
    for (let same = 0, last = ""; same < 8; ) {
      const names = readdirSync(this.#folder, { recursive: true }).sort().join();
      same = names === last ? same + 1 : 0;
      last = names;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #committed(): { segments: number; imageBytes: number } {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        const [storage] = readdirSync(this.#folder);
        const folder = join(this.#folder, storage!);
        const commitPoint = readdirSync(folder)
          .filter((name) => name.startsWith("commit-"))
          .sort()
          .at(-1)!;
        const [, body] = readFileSync(join(folder, commitPoint), "utf8").split("\n");
        const { segments } = JSON.parse(body!) as { segments: { name: string }[] };
        const imageBytes = segments.reduce(
          (sum, { name }) => sum + statSync(join(folder, `${name}.idx`)).size,
          0,
        );
        return { segments: segments.length, imageBytes };
      } catch {
        // Replaced while it was being read.
      }
    }
    return { segments: 0, imageBytes: 0 };
  }

  #kilobytes(name: string): number {
    const status = readFileSync(`/proc/${this.#pid}/status`, "utf8");
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0);
  }
}
