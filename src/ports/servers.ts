/** The servers that use the same storage. */
export interface Servers {
  /** How many there are, this one included; at least 1. */
  readonly count: number;
}

export const ONE_SERVER: Servers = { count: 1 };
