/** How the process and its machine fare just now. */
export interface HealthFigures {
  readonly residentBytes: number;
  readonly heapUsedBytes: number;
  /** What the machine, or the container, has. */
  readonly memoryBytes: number;
  /** Bytes of the disk that holds the data; null where it doesn't tell. */
  readonly diskFreeBytes: number | null;
  readonly diskBytes: number | null;
  /** The 99th percentile since the last look, in milliseconds. */
  readonly eventLoopDelayMs: number;
  /** Processor time of all threads for each second since the last look. */
  readonly cpuCores: number;
}

/** Looks at the process for its operator. */
export interface ServerHealth {
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** The package's version. */
  readonly version: string;
  /** The runtime's version. */
  readonly nodeVersion: string;
  read(): Promise<HealthFigures>;
  /** Ends what watches the process. */
  close(): void;
}
