import type { ReactNode } from "react";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Failure } from "../ui/states.js";

const text = texts.indexes;

export interface Change {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The members in which two objects differ. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly Change[] {
  return Object.keys({ ...before, ...after })
    .filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null))
    .map((name) => ({ name, before: before[name], after: after[name] }));
}

/** What would change, before it does. */
export function ChangeReview({
  changes,
  isOpen,
  isBusy,
  error,
  children,
  onClose,
  onApply,
}: {
  readonly changes: readonly Change[];
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly children?: ReactNode;
  readonly onClose: () => void;
  readonly onApply: () => void;
}) {
  return (
    <Dialog title={text.changes} isOpen={isOpen} onClose={onClose} size="wide">
      <div className="scroll-x">
        <table className="difference">
          <thead>
            <tr>
              <th scope="col">{texts.operations.setting}</th>
              <th scope="col">{text.before}</th>
              <th scope="col">{text.after}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ name, before, after }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="was mono">{shown(before)}</td>
                <td className="will-be mono">{shown(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {children}
      {error !== null && error !== undefined && <Failure error={error} />}
      <div className="actions">
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button kind="main" isBusy={isBusy} onClick={onApply}>
          {text.applyChanges}
        </Button>
      </div>
    </Dialog>
  );
}

/** A secret that was just typed isn't for who looks on. */
function masked(name: string, value: unknown): unknown {
  return name === "llm_api_key" ? "********" : value;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return texts.none;
  return typeof value === "string" ? value : JSON.stringify(value, masked, 1);
}
