import { useSyncExternalStore } from "react";
import { texts } from "../texts.js";
import { Button } from "./button.js";

export interface Toast {
  readonly kind: "done" | "error";
  readonly text: string;
  /** Takes it back; what it is refused by is said. */
  readonly undo?: () => Promise<unknown>;
}

interface ShownToast extends Toast {
  readonly id: number;
}

const SHOWN_MS = 8_000;

let shown: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly ShownToast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Says what came of something; errors stay until they are closed. */
export function say(toast: Toast): void {
  const id = ++lastId;
  change([...shown.filter(({ text }) => text !== toast.text), { ...toast, id }].slice(-4));
  if (toast.kind === "done") setTimeout(() => close(id), SHOWN_MS);
}

function close(id: number): void {
  change(shown.filter((toast) => toast.id !== id));
}

export function Toasts() {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, kind, text, undo }) => (
        <div key={id} className={`toast toast-${kind}`}>
          <span className="toast-text">{text}</span>
          {undo !== undefined && (
            <Button
              size="small"
              onClick={() => {
                close(id);
                undo().catch((error: Error) => say({ kind: "error", text: error.message }));
              }}
            >
              {texts.undo}
            </Button>
          )}
          <Button kind="plain" size="small" label={texts.close} icon="close" onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
