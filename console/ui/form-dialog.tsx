import type { FormEvent, ReactNode } from "react";
import { texts } from "../texts.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import { Failure } from "./states.js";

/** What a form does, as TanStack Query's mutations have it. */
interface Deed {
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly mutate: () => void;
}

/** A form in a window of its own, with a button for its one deed; what fails is said in it, and nothing typed is lost. */
export function FormDialog({
  title,
  action,
  deed,
  isComplete = true,
  isOpen = true,
  size = "usual",
  onClose,
  children,
}: {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  readonly deed: Deed;
  readonly isComplete?: boolean;
  readonly isOpen?: boolean;
  readonly size?: "usual" | "wide";
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    deed.mutate();
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} size={size}>
      <form className="stack" onSubmit={submit}>
        {children}
        {deed.error !== null && <Failure error={deed.error} />}
        <div className="actions">
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button type="submit" kind="main" disabled={!isComplete} isBusy={deed.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
