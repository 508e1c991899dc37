import type { ExitCode } from "./exit-codes.js";

/** A reason for the command line itself to stop: one sentence for people, a code for scripts. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CliError";
    this.exitCode = exitCode;
    this.code = code;
  }
}
