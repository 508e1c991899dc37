import { FindlingClientError, type FindlingErrorItem } from "../client/index.js";
import { FindlingError } from "../errors/index.js";
import { CliError } from "./cli-error.js";
import { EXIT, type ExitCode } from "./exit-codes.js";

export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  /** One line. */
  readonly message: string;
  readonly errors: readonly FindlingErrorItem[];
}

/** What to say about anything that was thrown, and the status to exit with. */
export function describeFailure(thrown: unknown): Failure {
  if (thrown instanceof CliError) {
    return { exitCode: thrown.exitCode, code: thrown.code, message: thrown.message, errors: [] };
  }
  if (thrown instanceof FindlingClientError) {
    const said = thrown.details === undefined ? thrown.message : `${thrown.message}: ${thrown.details}`;
    const advice = ADVICE[thrown.code];
    const message = advice === undefined ? said : `${said}; ${advice}`;
    return { exitCode: clientExitCode(thrown), code: thrown.code, message, errors: thrown.errors };
  }
  if (thrown instanceof FindlingError) {
    const message = thrown.details === undefined ? thrown.message : `${thrown.message}: ${thrown.details}`;
    return { exitCode: engineExitCode(thrown), code: thrown.code, message, errors: thrown.items ?? [] };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { exitCode: EXIT.failed, code: "failed", message: message.replaceAll("\n", " "), errors: [] };
}

const ADDRESS_ALONE =
  "the server's address (--url, FINDLING_URL) is without a path, but for one that a proxy puts before the API's";

/** What somebody at a command line can do about it, by the error's code. */
const ADVICE: Readonly<Record<string, string>> = {
  unreachable: "start one with 'findling serve' or name another with --url",
  not_found: ADDRESS_ALONE,
  not_findling: ADDRESS_ALONE,
  // None was found in a data folder of this machine either.
  missing_key:
    "give one with --key or FINDLING_KEY; where the server runs on this machine with FINDLING_SECRET_KEY, that one lets its own key be read",
};

const NO_SERVER: ReadonlySet<string> = new Set(["unreachable", "connection_lost", "timeout", "not_findling"]);
const DATA_REFUSED: ReadonlySet<string> = new Set([
  "invalid_json",
  "invalid_document",
  "invalid_schema",
  "invalid_index",
  "payload_too_large",
  "not_patchable",
]);

function clientExitCode(error: FindlingClientError): ExitCode {
  if (NO_SERVER.has(error.code)) return EXIT.unreachable;
  if (error.code === "aborted") return EXIT.interrupted;
  if (error.status === 401 || error.status === 403) return EXIT.notAllowed;
  if (error.code === "storage_corrupt") return EXIT.damagedFiles;
  if (DATA_REFUSED.has(error.code)) return EXIT.dataRefused;
  // What else is 400 came from the command line: a query, a field, a permission mask.
  return error.status === 400 ? EXIT.usage : EXIT.failed;
}

function engineExitCode(error: FindlingError): ExitCode {
  if (error.code === "invalid_configuration") return EXIT.usage;
  return error.code === "storage_corrupt" ? EXIT.damagedFiles : EXIT.failed;
}
