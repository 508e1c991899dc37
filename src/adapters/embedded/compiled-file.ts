/**
 * A worker's compiled file in this folder: beside this one, or in `dist` when this runs from the sources
 * (tests).
 */
export function compiledFile(path: string): URL {
  const here = import.meta.url;
  return new URL(path, here.endsWith(".ts") ? new URL("../../../dist/adapters/embedded/", here) : here);
}
