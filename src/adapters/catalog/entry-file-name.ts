const SUFFIX = ".json";

/**
 * The file of an index or a federation: `books.json`. Where the name has capitals, their places follow as the bits
 * of a hexadecimal number: `Books.1.json`, `bookS.10.json`. So names that differ only in case never
 * meet in one file, even on a file system that takes them for the same.
 *
 * @param name letters, digits, `_` and `-`, at most 128
 */
export function entryFileName(name: string): string {
  let capitals = 0n;
  for (let i = 0; i < name.length; i++) {
    if (/[A-Z]/.test(name[i]!)) capitals |= 1n << BigInt(i);
  }
  return capitals === 0n ? `${name}${SUFFIX}` : `${name}.${capitals.toString(16)}${SUFFIX}`;
}

export function isEntryFileName(fileName: string): boolean {
  return fileName.endsWith(SUFFIX);
}

/** The name whose file it is. */
export function entryNameOf(fileName: string): string {
  return fileName.replace(/(\.[0-9a-f]+)?\.json$/, "");
}
