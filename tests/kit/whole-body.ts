import type { IncomingMessage } from "node:http";

/** What a client sent, or null if it left before its end: nobody waits for an answer then. */
export async function wholeBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}
