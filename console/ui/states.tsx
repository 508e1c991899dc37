import type { ReactNode } from "react";
import { texts } from "../texts.js";
import { Button } from "./button.js";
import { Icon } from "./icon.js";

/** What went wrong, in the server's own sentence, and what to do about it. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { message, code, details } = error as { message: string; code?: string; details?: string };
  return (
    <div className="notice notice-error" role="alert">
      <Icon name="alert" />
      <div>
        <p className="notice-text">{message}</p>
        {details !== undefined && <p className="hint">{details}</p>}
        {code !== undefined && <p className="hint">{texts.errorCode(code)}</p>}
      </div>
      {onRetry !== undefined && (
        <Button size="small" icon="refresh" onClick={onRetry}>
          {texts.retry}
        </Button>
      )}
    </div>
  );
}

export function Notice({
  children,
  kind = "info",
}: {
  readonly children: ReactNode;
  readonly kind?: "info" | "warning";
}) {
  return <div className={`notice notice-${kind}`}>{children}</div>;
}

/** Keeps the place of what is to come. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className="loading" role="status" aria-label={texts.loading}>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <div key={at} className="loading-line" />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}
