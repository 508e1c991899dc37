import { Socket, type SocketConstructorOpts, type TcpSocketConnectOpts } from "node:net";

/** As much as Node reads at once into a buffer of its own. */
const PIECE_BYTES_MAX = 64 * 1024;

/** What has arrived: the first so many bytes of the buffer, which the next piece overwrites. */
export type OnPiece = (length: number, buffer: Buffer) => void;

/** Where a socket keeps what `onread` said. */
interface OnreadMembers {
  readonly buffer: symbol;
  readonly callback: symbol;
}

/** As much of Node's handle of a socket as is needed. */
interface ReadHandle {
  useUserBuffer?(buffer: Uint8Array): void;
}

/**
 * Lets sockets that a server accepted read into one buffer that all of them share, as Node offers with `onread` for
 * those that a program opens itself: otherwise each piece gets a buffer of 64 KiB, which is shrunk, wrapped, passed
 * through a stream and left to the garbage collector. Uses members that Node keeps to itself, and does nothing where
 * they aren't found.
 */
export class SharedReading {
  readonly #buffer: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES_MAX);
  readonly #members: OnreadMembers | null = onreadMembers();

  /**
   * @param onPiece must not keep the buffer
   * @returns false, and nothing has happened, where the socket's pieces come as `data` events only
   */
  begin(socket: Socket, onPiece: OnPiece): boolean {
    const members = this.#members;
    const handle = (socket as unknown as { readonly _handle?: ReadHandle | null })._handle;
    if (members === null || typeof handle?.useUserBuffer !== "function") return false;
    const buffer = this.#buffer;
    handle.useUserBuffer(buffer);
    Object.assign(socket, {
      [members.buffer]: buffer,
      [members.callback]: (length: number): boolean => {
        onPiece(length, buffer);
        return true;
      },
    });
    return true;
  }

  /** From now on pieces come as `data` events, in buffers of their own. */
  end(socket: Socket): void {
    const members = this.#members;
    if (members === null || Reflect.get(socket, members.buffer) !== this.#buffer) return;
    Reflect.set(socket, members.callback, (length: number): boolean =>
      socket.push(Buffer.from(this.#buffer.subarray(0, length))),
    );
  }
}

/** Null where sockets don't have them. */
function onreadMembers(): OnreadMembers | null {
  const onread = { buffer: Buffer.alloc(1), callback: (): boolean => true };
  // The types know it of `connect` only, which takes the same options.
  const options: SocketConstructorOpts & Pick<TcpSocketConnectOpts, "onread"> = { onread };
  const probe = new Socket(options);
  const symbolOf = (value: unknown): symbol | undefined =>
    Object.getOwnPropertySymbols(probe).find((symbol) => Reflect.get(probe, symbol) === value);
  const buffer = symbolOf(onread.buffer);
  const callback = symbolOf(onread.callback);
  probe.destroy();
  return buffer === undefined || callback === undefined ? null : { buffer, callback };
}
