/** What a script can tell from the exit status; listed in every `--help`. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  notAllowed: 4,
  dataRefused: 5,
  damagedFiles: 6,
  /** 128 + SIGINT, as shells expect. */
  interrupted: 130,
  /** 128 + SIGPIPE, likewise. */
  unread: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODES_HELP = `Exit codes:
  0  ok                     4  the key is missing, unknown or not allowed to do this
  1  the operation failed   5  data, schema or documents were refused
  2  wrong usage            6  files are damaged
  3  no server answers      130  interrupted
                            141  nobody read the results to their end`;
