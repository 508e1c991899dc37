import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What `scripts/build/console.mjs` makes, seen from here as source and as built. */
const FOLDER = fileURLToPath(new URL("../../../dist/console", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** The compressed forms that the build makes, the smaller one first. */
const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

/** A file of the console in the form that a browser takes. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Undefined: as it is. */
  readonly encoding?: "br" | "gzip";
  /** Whether its name changes with its contents. */
  readonly isImmutable: boolean;
}

const INDEX = "index.html";

/** Names of the build's files hold a digest; those of pages and of the manual don't. */
const IMMUTABLE = /^assets\//;

/** The built console. Files are read when they are first asked for, and kept: all of them are some hundred kilobytes. */
export class ConsoleFiles {
  readonly #folder: string;
  /** Paths below the folder, with `/`. */
  readonly #paths: ReadonlySet<string>;
  readonly #read = new Map<string, Buffer>();

  /** @param folder empty, or not there, where nothing was built */
  constructor(folder: string = FOLDER) {
    this.#folder = folder;
    this.#paths = new Set(pathsBelow(folder));
  }

  get isBuilt(): boolean {
    return this.#paths.has(INDEX);
  }

  /**
   * The file of a path below `/console`; for paths that name none, the page, which finds its way by itself.
   *
   * @param acceptEncoding as the request says it
   * @returns undefined for a missing file of a kind that is no page
   */
  at(path: string, acceptEncoding: string | undefined): ConsoleFile | undefined {
    const name = this.#paths.has(path) && TYPES[extname(path)] !== undefined ? path : INDEX;
    if (name === INDEX && path.startsWith("assets/")) return undefined;
    const accepted = acceptedEncodings(acceptEncoding);
    const form = ENCODINGS.find(
      ({ name: encoding, ending }) => accepted.has(encoding) && this.#paths.has(name + ending),
    );
    return {
      type: TYPES[extname(name)]!,
      bytes: this.#bytes(name + (form?.ending ?? "")),
      ...(form === undefined ? {} : { encoding: form.name }),
      isImmutable: IMMUTABLE.test(name),
    };
  }

  #bytes(path: string): Buffer {
    let bytes = this.#read.get(path);
    if (bytes === undefined) this.#read.set(path, (bytes = readFileSync(join(this.#folder, path))));
    return bytes;
  }
}

function pathsBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => path.replaceAll("\\", "/"));
  } catch {
    return [];
  }
}

/** Codings that the header names with a quality above 0 (RFC 9110, 12.5.3). */
function acceptedEncodings(header: string | undefined): ReadonlySet<string> {
  return new Set(
    (header ?? "").split(",").flatMap((part) => {
      const [name = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
      return parameters.some((each) => /^q=0(\.0*)?$/.test(each)) ? [] : [name];
    }),
  );
}
