// How large a picture is, so that a page keeps its place for it and doesn't jump when it comes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../sources.mjs";

/** Where a PNG file's first chunk has its width (PNG, third edition, 11.2.1). */
const PNG_WIDTH_AT = 16;

/**
 * @param {string} file of the project, PNG, or SVG with a view box
 * @returns {{ width: number, height: number }} in pixels
 */
export function pictureSize(file) {
  const bytes = readFileSync(join(root, file));
  if (file.endsWith(".png"))
    return { width: bytes.readUInt32BE(PNG_WIDTH_AT), height: bytes.readUInt32BE(PNG_WIDTH_AT + 4) };
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(bytes.toString()) ?? [];
  if (width === undefined) throw new Error(`${file} has no view box that begins at 0 0`);
  return { width: Number(width), height: Number(height) };
}
