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

/** Structured logging. Nothing logs headers or bodies, so keys have no way in (paths: see `maskedPath`). */
export function createLogger(options: LoggerOptions): Logger {
  const destination = options.destination ?? pino.destination({ dest: 2, sync: true });
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.format === "json" ? destination : textDestination(destination),
  );
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
