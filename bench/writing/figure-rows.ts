/** A table of what was measured. */
export const TABLE_HEAD: readonly string[] = ["| what | figure |", "|---|---|"];

export const row = (what: string, figure: string): string => `| ${what} | ${figure} |`;

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
