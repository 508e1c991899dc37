import { mkdtemp, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";

/** Milliseconds of the disk alone: appending to a file, and making a new one under a name, durably. */
export async function timeBareSyncs(
  folder: string,
  count: number,
): Promise<{ readonly append: number[]; readonly newFile: number[] }> {
  const scratch = await mkdtemp(join(folder, "syncs-"));
  const [append, newFile]: [number[], number[]] = [[], []];
  const bytes = Buffer.alloc(4096, 1);
  try {
    const log = await open(join(scratch, "log"), "w");
    for (let i = 0; i < count; i++) {
      let start = performance.now();
      await log.write(bytes, 0, bytes.length, i * bytes.length);
      await log.datasync();
      append.push(performance.now() - start);
      start = performance.now();
      const file = await open(join(scratch, "unfinished"), "w");
      await file.write(bytes);
      await file.sync();
      await file.close();
      await rename(join(scratch, "unfinished"), join(scratch, `file-${i}`));
      const names = await open(scratch, "r");
      await names.sync();
      await names.close();
      newFile.push(performance.now() - start);
    }
    await log.close();
    return { append, newFile };
  } finally {
    await rm(scratch, { recursive: true });
  }
}
