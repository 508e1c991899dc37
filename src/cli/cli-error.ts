import { EXIT, type ExitCode } from "./exit-codes.js";

/** Why the command line itself may stop, and the status that it exits with then. */
const EXITS = {
  already_running: "failed",
  backup_damaged: "damagedFiles",
  backup_failed: "failed",
  bad_document: "dataRefused",
  command_failed: "failed",
  conflict: "failed",
  connection_lost: "failed",
  declined: "interrupted",
  document_not_found: "failed",
  file_not_readable: "usage",
  incomplete: "failed",
  index_exists: "usage",
  index_not_found: "failed",
  input_changed: "dataRefused",
  input_file: "usage",
  insufficient_permissions: "notAllowed",
  interrupted: "interrupted",
  invalid_json: "dataRefused",
  key_not_found: "failed",
  measure_off: "failed",
  no_data: "failed",
  no_documents: "dataRefused",
  no_key: "usage",
  not_a_file: "usage",
  not_confirmed: "failed",
  not_stored: "dataRefused",
  nothing_to_resume: "usage",
  other_alias: "usage",
  other_import: "usage",
  other_key: "usage",
  progress_file: "failed",
  restore_failed: "failed",
  schema_file: "usage",
  shared_keys: "dataRefused",
  storage_corrupt: "damagedFiles",
  too_many_deletes: "dataRefused",
  unfinished_import: "usage",
  unreachable: "unreachable",
  unwell: "failed",
  usage: "usage",
  write_failed: "failed",
  writes_in_doubt: "failed",
} as const;

/** A reason for the command line itself to stop: one sentence for people, a code for scripts. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;

  /** @param exitCode where it isn't the one that the code mostly has */
  constructor(
    code: keyof typeof EXITS,
    message: string,
    cause?: unknown,
    exitCode: ExitCode = EXIT[EXITS[code]],
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CliError";
    this.exitCode = exitCode;
    this.code = code;
  }
}
