import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CorruptionError } from "../../../errors/index.js";
import { readBatch } from "./read-batch.js";
import { batchIdOf } from "./waiting-folder.js";

/**
 * Files of waiting usage events that are not as they were written, by name; for tools that only read. A server may be
 * running on the folder: what goes into the store meanwhile is no damage, nor is an unfinished tail.
 *
 * @param folder where events wait; where it isn't there, none do
 */
export async function checkWaitingEvents(folder: string): Promise<readonly CorruptionError[]> {
  if (!existsSync(folder)) return [];
  const damage: CorruptionError[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const id = batchIdOf(name);
    if (id === undefined) continue;
    const path = join(folder, name);
    const found = await damageOf(path, id);
    // A file that was written while it was read looks whole the second time, or torn elsewhere.
    if (found === null || (await damageOf(path, id))?.message !== found.message) continue;
    if (existsSync(path)) damage.push(found);
  }
  return damage;
}

async function damageOf(path: string, batchId: string): Promise<CorruptionError | null> {
  try {
    await readBatch(path, batchId);
    return null;
  } catch (error) {
    if (error instanceof CorruptionError) return error;
    throw error;
  }
}
