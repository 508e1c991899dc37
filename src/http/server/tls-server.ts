import { readFileSync, unwatchFile, watchFile } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from "node:tls";
import type { Logger } from "../log/logger.js";

/** Files in PEM. */
export interface TlsFiles {
  /** The certificate and those between it and the root, the server's own first. */
  readonly certificate: string;
  readonly key: string;
}

/** A client that is silent for so long before it is connected is cut off. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Files are looked at so often: those that tools put in place by renaming have no event of their own everywhere. */
const WATCH_INTERVAL_MS = 2_000;

/**
 * Listens for TLS 1.2 and 1.3, and hands connections on once they are encrypted. Certificate and key are read again when
 * one of the files changes; where they don't fit each other, new connections get what fitted last.
 */
export class TlsServer {
  readonly #server: Server;
  readonly #files: TlsFiles;
  readonly #logger: Logger;
  readonly #reload = (): void => this.#readAgain();

  /**
   * @param take gets each connection
   * @throws what Node reports of files that can't be read, or aren't a certificate and its key
   */
  constructor(files: TlsFiles, logger: Logger, take: (socket: TLSSocket) => void) {
    this.#files = files;
    this.#logger = logger;
    this.#server = createServer({
      ...contentsOf(files),
      // HTTP/2 is a proxy's.
      ALPNProtocols: ["http/1.1"],
      minVersion: "TLSv1.2",
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      pauseOnConnect: false,
    });
    this.#server.on("secureConnection", take);
    // Whoever speaks something else; Node closes the connection.
    this.#server.on("tlsClientError", (error, socket) => {
      logger.debug({ err: error }, "a connection wasn't encrypted");
      socket.destroy();
    });
    for (const file of [files.certificate, files.key])
      watchFile(file, { interval: WATCH_INTERVAL_MS, persistent: false }, this.#reload);
  }

  /** @throws what Node reports where the address can't be listened on */
  listen(host: string, port: number): Promise<AddressInfo> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve(server.address() as AddressInfo);
      });
    });
  }

  /** Takes no connection any more; those that there are stay. */
  close(): void {
    for (const file of [this.#files.certificate, this.#files.key]) unwatchFile(file, this.#reload);
    this.#server.close();
  }

  #readAgain(): void {
    try {
      this.#server.setSecureContext(contentsOf(this.#files));
      this.#logger.info({}, "the TLS certificate was read again");
    } catch (error) {
      this.#logger.error(
        { err: error },
        "the TLS certificate can't be read again; the one before stays in use",
      );
    }
  }
}

function contentsOf({ certificate, key }: TlsFiles): SecureContextOptions {
  return { cert: readFileSync(certificate), key: readFileSync(key) };
}
