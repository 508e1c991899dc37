import type { StoredObject } from "../../ports/object-store.js";

export interface S3Listing {
  readonly objects: readonly StoredObject[];
  /** What the next page is asked for with; null: this is the last one. */
  readonly continuation: string | null;
}

/**
 * Reads an answer to ListObjectsV2 (Amazon S3 API reference). Of XML it knows what that answer has: elements without
 * attributes of interest, text, and entities. Null if it is none.
 */
export function decodeListing(xml: string): S3Listing | null {
  if (!/<ListBucketResult[\s>]/.test(xml) || !xml.includes("</ListBucketResult>")) return null;
  const objects: StoredObject[] = [];
  for (const [, content] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
    const [key, size, modified] = ["Key", "Size", "LastModified"].map((name) => textOf(content!, name));
    const [bytes, modifiedAtMs] = [Number(size ?? Number.NaN), Date.parse(modified ?? "")];
    if (key === undefined || !Number.isSafeInteger(bytes) || Number.isNaN(modifiedAtMs)) return null;
    objects.push({ key, bytes, modifiedAtMs });
  }
  const around = xml.replaceAll(/<Contents>[\s\S]*?<\/Contents>/g, "");
  const isTruncated = textOf(around, "IsTruncated") === "true";
  const continuation = textOf(around, "NextContinuationToken");
  if (isTruncated && continuation === undefined) return null;
  return { objects, continuation: isTruncated ? continuation! : null };
}

function textOf(xml: string, element: string): string | undefined {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return text?.replaceAll(/&(?:amp|lt|gt|quot|apos|#(\d+)|#x([0-9a-f]+));/gi, (entity, decimal, hex) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[entity.toLowerCase()] ?? entity;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
};
