import { FindlingError } from "../../errors/index.js";
import type { Logger } from "../../ports/logger.js";
import type { MetricFamily } from "../../ports/metrics.js";
import { NO_TRACING, type Tracing } from "../../ports/tracing.js";
import type { Otlp, OtlpOptions } from "./otlp-sdk.js";
import { type Environment, telemetryWishes } from "./telemetry-environment.js";

export interface TelemetryOptions {
  readonly environment: Environment;
  /** The package's version. */
  readonly version: string;
  readonly scheme: "http" | "https";
  /** Whether search terms, prompts and what models say may be in spans. */
  readonly recordsTexts: boolean;
  readonly logger: Pick<Logger, "warn">;
}

/** What is told to whoever gathers traces and metrics by OTLP. */
export interface Telemetry {
  readonly tracing: Tracing;
  /** Where the metrics come from, once there are any. */
  setFamilies(families: () => Promise<readonly MetricFamily[]>): void;
  /** Sends what is left, for a moment at most. */
  close(): Promise<void>;
}

const NO_TELEMETRY: Telemetry = {
  tracing: NO_TRACING,
  setFamilies: () => undefined,
  close: () => Promise.resolve(),
};

/** Packages that come with Findling unless optional dependencies are left out; later ones don't run on its oldest Node. */
const PACKAGES = [
  "api@1.9",
  "core@2",
  "exporter-metrics-otlp-proto@0.223",
  "exporter-trace-otlp-proto@0.223",
  "resources@2",
  "sdk-metrics@2",
  "sdk-trace-base@2",
].map((name) => `@opentelemetry/${name}`);

/** A stop isn't held up by a collector that doesn't answer. */
const CLOSE_MS_MAX = 2_000;

/**
 * Exports as the environment's `OTEL_` variables say; without an endpoint in them nothing is loaded and nothing done.
 *
 * @throws FindlingError `invalid_configuration` where that can't be done, or the SDK isn't installed
 */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const wishes = telemetryWishes(options.environment);
  if (wishes === null) return NO_TELEMETRY;
  let families: () => Promise<readonly MetricFamily[]> = () => Promise.resolve([]);
  const { version, scheme, recordsTexts, logger } = options;
  const { openOtlp } = await sdk();
  const otlp: Otlp = openOtlp({
    wishes,
    version,
    scheme,
    recordsTexts,
    logger,
    families: () => families(),
  } satisfies OtlpOptions);
  return {
    tracing: otlp.tracing,
    setFamilies(source) {
      families = source;
    },
    close: () => withinMs(otlp.close(), CLOSE_MS_MAX),
  };
}

async function sdk(): Promise<typeof import("./otlp-sdk.js")> {
  try {
    return await import("./otlp-sdk.js");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new FindlingError(
      "invalid_configuration",
      `an OTLP endpoint is named by OTEL_EXPORTER_OTLP_ENDPOINT, but OpenTelemetry isn't installed: 'npm install ${PACKAGES.join(" ")}', or unset it`,
      { cause: error },
    );
  }
}

function withinMs(work: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
