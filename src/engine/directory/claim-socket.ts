import { closeSync, existsSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { systemErrorCode } from "./storage-error.js";

/** The longest path that a socket's address holds on every system (Linux has 107 bytes, macOS 103). */
const ADDRESS_LENGTH_MAX = 103;
/** What systems say where a file system, or the system itself, has no sockets in folders. */
const NO_SOCKETS = new Set([
  "EACCES",
  "EAFNOSUPPORT",
  "EINVAL",
  "ENAMETOOLONG",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EPERM",
  "EPROTONOSUPPORT",
]);

/**
 * A listening socket in a folder. Whoever can reach the folder can ask it, through any mount and from any namespace of
 * the machine, since the system finds it by its file; it falls silent when its process ends, however it ends. A copy
 * of its file is a socket that nobody listens to.
 */
export class ClaimSocket {
  readonly #server: Server;
  readonly #path: string;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.#path = path;
  }

  /** Null where the file system has no sockets. @throws the system's error, such as a full disk's */
  static async listen(folder: string, name: string): Promise<ClaimSocket | null> {
    const address = addressIn(folder, name);
    if (address === null) return null;
    const server = createServer((asking) => asking.destroy());
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        // Every user of the machine may ask; exclusive: it is this process's, not that of a cluster's primary.
        server.listen({ path: address.path, exclusive: true, readableAll: true, writableAll: true }, resolve);
      });
    } catch (error) {
      if (NO_SOCKETS.has(systemErrorCode(error) ?? "")) return null;
      throw error;
    } finally {
      address.close();
    }
    server.removeAllListeners("error");
    // A connection that can't be accepted has got its answer: somebody listens.
    server.on("error", () => undefined);
    server.unref();
    return new ClaimSocket(server, join(folder, name));
  }

  async close(): Promise<void> {
    await rm(this.#path, { force: true });
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** What a socket's file says: somebody listens; nobody does any more; there is none. */
export type SocketAnswer = "listens" | "refuses" | "missing";

/** @throws the system's error if this process has no descriptor left to ask with */
export async function askSocket(folder: string, name: string): Promise<SocketAnswer> {
  const address = addressIn(folder, name);
  if (address === null) return "missing";
  try {
    return await new Promise<SocketAnswer>((resolve, reject) => {
      const asking = connect({ path: address.path });
      asking.once("connect", () => {
        asking.destroy();
        resolve("listens");
      });
      asking.once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") resolve("refuses");
        else if (error.code === "ENOENT") resolve("missing");
        else if (error.code === "EMFILE" || error.code === "ENFILE") reject(error);
        // Somebody does, and may not be asked, or has too many that ask already.
        else resolve("listens");
      });
    });
  } finally {
    address.close();
  }
}

/** An address short enough for the system, to be used before it is closed; null where there is none. */
function addressIn(
  folder: string,
  name: string,
): { readonly path: string; readonly close: () => void } | null {
  // Its addresses name pipes of the machine, not files.
  if (process.platform === "win32") return null;
  if (process.platform === "linux") {
    const descriptor = openSync(folder, "r");
    const opened = `/proc/self/fd/${descriptor}`;
    if (existsSync(opened)) return { path: `${opened}/${name}`, close: () => closeSync(descriptor) };
    closeSync(descriptor);
  }
  const path = join(folder, name);
  return Buffer.byteLength(path) <= ADDRESS_LENGTH_MAX ? { path, close: () => undefined } : null;
}
