import type { ReactNode } from "react";

const SHARE_BAD = 0.9;

/** One number with its name, within a list of them. */
export function Figure({
  label,
  value,
  share,
  hint,
}: {
  readonly label: string;
  readonly value: ReactNode;
  /** The share of what there is, 0 to 1; it is drawn. */
  readonly share?: number;
  readonly hint?: ReactNode;
}) {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd>
        <span className="figure-value">{value}</span>
        {hint !== undefined && <p className="hint">{hint}</p>}
        {share !== undefined && (
          <div className={share > SHARE_BAD ? "meter meter-bad" : "meter"}>
            <div style={{ width: `${Math.min(100, Math.max(0, share * 100))}%` }} />
          </div>
        )}
      </dd>
    </div>
  );
}
