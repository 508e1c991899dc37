import { totalmem } from "node:os";

const BYTES_PER_MB = 1024 * 1024;

/** Memory is configured in mebibytes. */
export function bytesOf(megabytes: number): number {
  return Math.floor(megabytes * BYTES_PER_MB);
}

/** In bytes: what a container is given, where it is less than the machine has. */
export function memoryOfMachine(): number {
  const total = totalmem();
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, total) : total;
}
