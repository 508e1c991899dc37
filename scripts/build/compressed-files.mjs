// Files for browsers: each once as it is and, where that is worth it, as .br and .gz, so that the server compresses nothing.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./sources.mjs";

const COMPRESSED = /[.](html|js|css|json|svg)$/;

/**
 * @param folder below the project's root
 * @param endings of the forms that are made
 */
export function compressFiles(folder, endings = ["br", "gz"]) {
  for (const path of filesBelow(folder).filter((each) => COMPRESSED.test(each)))
    compress(join(root, path), endings);
}

function compress(path, endings) {
  const bytes = readFileSync(path);
  const smaller = {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gz: gzipSync(bytes, { level: 9 }),
  };
  for (const [ending, compressed] of Object.entries(smaller))
    if (endings.includes(ending) && compressed.length < bytes.length)
      writeFileSync(`${path}.${ending}`, compressed);
}

/** Paths from the root, in order; without tests. */
export function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}
