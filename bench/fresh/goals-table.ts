/** A goal, with what was measured. */
export interface JudgedGoal {
  readonly label: string;
  readonly bar: number;
  /** What would be better still. */
  readonly furtherBar?: number;
  readonly isAtLeast?: boolean;
  /** NaN where it wasn't measured. */
  readonly value: number;
  readonly where?: string;
}

/** Goals, what was measured, and whether they are reached; missed ones are bold. */
export function goalsTable(goals: readonly JudgedGoal[]): string {
  const rows = goals.map(({ label, bar, furtherBar, isAtLeast = false, value, where = "" }) => {
    const sign = isAtLeast ? "≥" : "≤";
    const reaches = (limit: number): boolean => (isAtLeast ? value >= limit : value <= limit);
    const verdict = Number.isNaN(value)
      ? "not measured"
      : furtherBar !== undefined && reaches(furtherBar)
        ? "pass, the further one too"
        : reaches(bar)
          ? "pass"
          : "**miss**";
    const further = furtherBar === undefined ? "" : ` (further: ${furtherBar})`;
    return `| ${label} | ${sign} ${bar}${further} | ${decimals(value)} | ${verdict} | ${where.replaceAll("|", "\\|")} |`;
  });
  return ["| goal | at | measured | | where |", "|---|---|---|---|---|", ...rows].join("\n");
}

const decimals = (value: number): string => (Number.isNaN(value) ? "" : value.toFixed(value < 10 ? 2 : 1));
