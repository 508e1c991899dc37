import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { PeerAnswer, PeerRow } from "../peer-query.js";

export async function* rowsOf(input: string): AsyncGenerator<PeerRow> {
  for await (const line of createInterface({ input: createReadStream(input) }))
    yield JSON.parse(line) as PeerRow;
}

/** For engines that keep nothing on disk: opening reads the input that building has named. */
export function rememberInput(folder: string, input: string): void {
  writeFileSync(join(folder, "input.txt"), input);
}

export function rememberedInput(folder: string): string {
  return readFileSync(join(folder, "input.txt"), "utf8");
}

/** The ten whose number is greatest, as an engine without sorting leaves it to its caller. */
export function greatestNumbers(docs: readonly number[], numbers: readonly number[]): PeerAnswer {
  const best: number[] = [];
  for (const doc of docs) {
    if (best.length === 10 && numbers[doc]! <= numbers[best[9]!]!) continue;
    let place = best.length;
    while (place > 0 && numbers[best[place - 1]!]! < numbers[doc]!) place--;
    best.splice(place, 0, doc);
    if (best.length > 10) best.pop();
  }
  return { docs: best, scores: [], numbers: best.map((doc) => numbers[doc]!) };
}
