import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

/** Shorter answers are sent as they are: packing them takes longer than sending them. */
export const PACKED_BYTES_MIN = 1024;

export type Packing = "gzip" | "br";

/** The first levels take most of what there is to take of bytes that are sent once. */
const GZIP_LEVEL = 4;
const BROTLI_QUALITY = 4;

/**
 * How a caller wants answers to be packed (RFC 9110, 12.5.3): what it likes best of what there is, brotli before gzip
 * where it likes both; null for not at all.
 */
export function packingFor(accepted: string | undefined): Packing | null {
  if (accepted === undefined) return null;
  let best: Packing | null = null;
  let bestWeight = 0;
  const named = new Set<string>();
  for (const part of accepted.toLowerCase().split(",", PARTS_MAX)) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const written = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = written === undefined ? 1 : Number(written);
    const packing = name === "x-gzip" || (name === "*" && !named.has("gzip")) ? "gzip" : name;
    named.add(packing);
    if (packing !== "gzip" && packing !== "br") continue;
    if (weight > bestWeight || (weight === bestWeight && packing === "br" && weight > 0)) {
      best = packing;
      bestWeight = weight;
    }
  }
  return best;
}

/** No caller knows more ways. */
const PARTS_MAX = 16;

/** Beside those of the answer as it is; names and values in turns. */
export function packedHeaders(packing: Packing): readonly string[] {
  return ["content-encoding", packing, "vary", "Accept-Encoding"];
}

/** Packs in a thread of Node's pool. @param onPacked is told null where there was no memory for it */
export function pack(
  bytes: string | Uint8Array,
  packing: Packing,
  onPacked: (packed: Buffer | null) => void,
): void {
  const done = (error: Error | null, packed: Buffer): void => onPacked(error === null ? packed : null);
  if (packing === "gzip") gzip(bytes, { level: GZIP_LEVEL }, done);
  else brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }, done);
}

/** Answers of the framework are packed for those who ask for it, but for streams. */
export function packAnswers(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const isText = typeof payload === "string" || payload instanceof Buffer;
    const packing = isText ? packingFor(request.headers["accept-encoding"]) : null;
    if (packing === null || reply.hasHeader("content-encoding") || lengthOf(payload) < PACKED_BYTES_MIN) {
      done(null, payload);
      return;
    }
    pack(payload as string | Buffer, packing, (packed) => {
      if (packed !== null) {
        const vary = reply.getHeader("vary");
        reply.removeHeader("content-length");
        reply.header("content-encoding", packing);
        reply.header("vary", vary === undefined ? "Accept-Encoding" : `${String(vary)}, Accept-Encoding`);
      }
      done(null, packed ?? payload);
    });
  });
}

function lengthOf(payload: unknown): number {
  return typeof payload === "string" ? Buffer.byteLength(payload) : (payload as Buffer).length;
}
