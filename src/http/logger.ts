import { Writable } from "node:stream";
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from "pino";

export type { Logger } from "pino";

export interface LoggerOptions {
  readonly level: string;
  /** One JSON object, or one line of text, for each event. */
  readonly format: "json" | "text";
  /** Where lines go; the process's standard error by default, so that standard output stays the command's. */
  readonly destination?: DestinationStream;
}

/** Lines together are written once they are so many bytes long, or so old. */
const GATHERED_BYTES = 4_096;
const GATHERED_MS = 100;
/** What waits for a reader that doesn't read; more is dropped. */
const LOST_BYTES = 1 << 22;

/** Structured logging. Nothing logs headers or bodies, so keys have no way in (paths: see `maskedPath`). */
export function createLogger(options: LoggerOptions): Logger {
  const gathered = options.destination === undefined ? gatheringDestination() : null;
  const destination = options.destination ?? gathered!.destination;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(line, log, level) {
          log.apply(this, line);
          gathered?.written(level);
        },
      },
    },
    options.format === "json" ? destination : textDestination(destination),
  );
}

/**
 * Standard error, several lines by one write: a line for each request would otherwise cost a third of a quick
 * one's time. Warnings and errors are written at once, and everything is when the process ends by itself; a kill
 * loses a tenth of a second of lines about requests.
 */
function gatheringDestination(): {
  readonly destination: DestinationStream;
  written(level: number): void;
} {
  const destination = pino.destination({
    dest: 2,
    sync: true,
    minLength: GATHERED_BYTES,
    maxLength: LOST_BYTES,
  });
  let alarm: ReturnType<typeof setTimeout> | null = null;
  const flush = (): void => {
    if (alarm !== null) clearTimeout(alarm);
    alarm = null;
    // Writes before it returns, since the destination is synchronous; `flushSync` never ends where nobody reads.
    destination.flush();
  };
  process.once("exit", flush);
  return {
    destination,
    written(level) {
      if (level >= pino.levels.values["warn"]!) flush();
      else alarm ??= setTimeout(flush, GATHERED_MS).unref();
    },
  };
}

/** Rewrites pino's JSON lines as `time LEVEL message name=value …`. */
function textDestination(destination: DestinationStream): DestinationStream {
  return new Writable({
    write(line: Buffer, _encoding, done) {
      destination.write(asText(line.toString("utf8")));
      done();
    },
  });
}

function asText(line: string): string {
  const { time, level, msg, ...members } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(members).map(([name, value]) => `${name}=${textValue(name, value)}`);
  return `${[String(time), String(level).toUpperCase().padEnd(5), String(msg ?? ""), ...rest].join(" ")}\n`;
}

function textValue(name: string, value: unknown): string {
  if (name === "err") return (value as { stack?: string }).stack ?? JSON.stringify(value);
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
