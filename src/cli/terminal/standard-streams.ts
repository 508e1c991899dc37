import { EXIT } from "../exit-codes.js";

/**
 * The exit status tells that results didn't arrive: a reader that has gone, such as `head`, is nothing to talk about, a
 * full disk is, once. A command goes on with what it does, as others may rely on that. Remarks that nobody reads are no
 * failure.
 *
 * @returns whether a failure is that of standard output, so that it need not be told again
 */
export function heedReaders(): (failure: unknown) => boolean {
  const told = new WeakSet<object>();
  process.stdout.on("error", (failure: NodeJS.ErrnoException) => {
    told.add(failure);
    // What has failed besides has said so.
    if (process.exitCode !== undefined && process.exitCode !== EXIT.ok) return;
    process.exitCode = failure.code === "EPIPE" ? EXIT.unread : EXIT.failed;
    if (failure.code !== "EPIPE")
      process.stderr.write(
        `findling: standard output can't be written (${failure.code ?? "unknown reason"})\n`,
      );
  });
  process.stderr.on("error", () => undefined);
  return (failure) => failure instanceof Error && told.has(failure);
}
