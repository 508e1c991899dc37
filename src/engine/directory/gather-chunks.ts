import type { FileChunks } from "./directory.js";

/** All chunks of a file, for who needs them in memory; those of a list at once. */
export async function gatherChunks(chunks: FileChunks): Promise<readonly Uint8Array[]> {
  if (Array.isArray(chunks)) return chunks as readonly Uint8Array[];
  const gathered: Uint8Array[] = [];
  for await (const chunk of chunks) gathered.push(chunk);
  return gathered;
}
