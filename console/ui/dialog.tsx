import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useRef, useState } from "react";
import { texts } from "../texts.js";
import { Button } from "./button.js";
import { TextField } from "./field.js";

/** A window in front of the page; escape and what lies around it close it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  size = "usual",
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly size?: "usual" | "wide" | "side";
}) {
  const body = useRef<HTMLDivElement>(null);
  // Whoever opens it goes on in its first field, not at the button that closes it.
  const firstField = (): HTMLElement | true =>
    body.current?.querySelector<HTMLElement>("input:not([type=hidden]), textarea, select") ?? true;
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`dialog dialog-${size}`} initialFocus={firstField}>
          <header className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            <Base.Close render={<Button kind="plain" icon="close" label={texts.close} />} />
          </header>
          <div ref={body} className="dialog-body">
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Says what will be lost, and has its name typed before it is. */
export function ConfirmLoss({
  title,
  loss,
  name,
  action,
  isOpen,
  isBusy = false,
  onClose,
  onConfirm,
}: {
  readonly title: string;
  readonly loss: ReactNode;
  /** What is to be typed. */
  readonly name: string;
  readonly action: string;
  readonly isOpen: boolean;
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}) {
  const [typed, setTyped] = useState("");
  const isRight = typed.trim() === name;
  const close = () => {
    setTyped("");
    onClose();
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRight) return;
          setTyped("");
          onConfirm();
        }}
      >
        <p className="loss">{loss}</p>
        <TextField
          label={texts.typeToConfirm(name)}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="actions">
          <Button onClick={close}>{texts.cancel}</Button>
          <Button type="submit" kind="danger" disabled={!isRight} isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
