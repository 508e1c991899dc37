import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** The compressed forms that the build makes, the smaller one first. */
const ENCODINGS = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

/** A built file in the form that a browser takes. */
export interface BuiltFile {
  /** Below the folder, with `/`. */
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** Names these bytes: another one for others (RFC 9110, 8.8.3). */
  readonly etag: string;
  /** Undefined: as it is. */
  readonly encoding?: "br" | "gzip";
}

interface Contents {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The file that a build writes last. */
const STAMP = ".built";

/**
 * The files that the build makes for browsers in one folder. They are read when they are first asked for, and kept
 * until the folder is built anew, which may be while the server runs.
 */
export class BuiltFiles {
  readonly #folder: string;
  #builtMs: number | undefined;
  /** Paths below the folder, with `/`. */
  #paths: ReadonlySet<string>;
  readonly #read = new Map<string, Contents>();

  /** @param folder empty, or not there, where nothing was built */
  constructor(folder: string) {
    this.#folder = folder;
    this.#builtMs = stampOf(folder);
    this.#paths = new Set(pathsBelow(folder));
  }

  has(name: string): boolean {
    this.#lookAgain();
    return this.#paths.has(name) && TYPES[extname(name)] !== undefined;
  }

  /**
   * @param name below the folder
   * @param acceptEncoding as the request says it
   * @returns undefined for what isn't there, or isn't for browsers
   */
  find(name: string, acceptEncoding: string | undefined): BuiltFile | undefined {
    if (!this.has(name)) return undefined;
    const accepted = acceptedEncodings(acceptEncoding);
    const form = ENCODINGS.find(
      ({ name: encoding, ending }) => accepted.has(encoding) && this.#paths.has(name + ending),
    );
    const contents = this.#contents(name + (form?.ending ?? ""));
    if (contents === undefined) return undefined;
    return {
      name,
      type: TYPES[extname(name)]!,
      ...contents,
      ...(form === undefined ? {} : { encoding: form.name }),
    };
  }

  /** A file's text as it is; undefined for what isn't there. */
  text(name: string): string | undefined {
    return this.has(name) ? this.#contents(name)?.bytes.toString("utf8") : undefined;
  }

  /** Undefined where a build has just taken the file away. */
  #contents(path: string): Contents | undefined {
    let contents = this.#read.get(path);
    if (contents === undefined) {
      const bytes = readIfThere(join(this.#folder, path));
      if (bytes === undefined) return undefined;
      const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
      this.#read.set(path, (contents = { bytes, etag }));
    }
    return contents;
  }

  #lookAgain(): void {
    const builtMs = stampOf(this.#folder);
    if (builtMs === this.#builtMs) return;
    this.#builtMs = builtMs;
    this.#paths = new Set(pathsBelow(this.#folder));
    this.#read.clear();
  }
}

/** When the folder was built; undefined where it isn't, or is being built. */
function stampOf(folder: string): number | undefined {
  return statSync(join(folder, STAMP), { throwIfNoEntry: false })?.mtimeMs;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Answers with a file, or with 304 where the browser has it already. */
export function sendBuiltFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag, encoding }: BuiltFile,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  reply.headers({ ...headers, etag, vary: "Accept-Encoding" });
  if (request.headers["if-none-match"]?.includes(etag) === true) return reply.code(304).send();
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.type(type).send(bytes);
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
