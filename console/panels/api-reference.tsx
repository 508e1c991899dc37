import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type OpenApi, type Request, requestsOf } from "../api/open-api.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { TextArea, TextField } from "../ui/field.js";
import { formatMs } from "../ui/format.js";
import { Failure, Loading } from "../ui/states.js";

const text = texts.api;

/** Every request of the server, to be read and sent. */
export function ApiReference() {
  const [filter, setFilter] = useState("");
  const { data, error } = useQuery({
    queryKey: ["open-api"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => requestsOf((await (await fetch("/openapi.json")).json()) as OpenApi),
  });
  const shown = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/);
    const matching = (data ?? []).filter((request) =>
      words.every((word) =>
        `${request.method} ${request.path} ${request.summary}`.toLowerCase().includes(word),
      ),
    );
    return [...Map.groupBy(matching, ({ tag }) => tag)];
  }, [data, filter]);
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading lines={10} />;
  return (
    <div className="stack">
      <TextField
        label={text.filter}
        type="search"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {shown.map(([tag, requests]) => (
        <section key={tag} className="card stack-tight">
          <h2>{tag}</h2>
          {requests.map((request) => (
            <RequestRow key={request.id} request={request} />
          ))}
        </section>
      ))}
    </div>
  );
}

function RequestRow({ request }: { readonly request: Request }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={`method method-${request.method}`}>{request.method}</span>{" "}
        <code className="wrap">{request.path}</code>{" "}
        <span className="hint">
          <Ticked text={request.summary} />
        </span>
      </summary>
      {isOpen && <RequestDetails request={request} />}
    </details>
  );
}

/** A sentence whose names of members and so on stand between backticks. */
function Ticked({ text: sentence }: { readonly text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of a constant sentence are known by their places.
  return sentence.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}

interface Sent {
  readonly status: number;
  readonly ms: number;
  readonly answer: string;
}

function RequestDetails({ request }: { readonly request: Request }) {
  const { caller, key } = useSession();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(request.body ?? "");
  const [sent, setSent] = useState<Sent>();
  const [isSending, setSending] = useState(false);
  const isOffered = (caller.permissions & request.bits) === request.bits;
  const isWhole = request.parameters.every(({ name, isQuery }) => isQuery || (values[name] ?? "") !== "");
  const send = async () => {
    setSending(true);
    const startMs = performance.now();
    const query = new URLSearchParams(
      request.parameters
        .filter(({ name, isQuery }) => isQuery && (values[name] ?? "") !== "")
        .map(({ name }) => [name, values[name]!]),
    );
    const path = request.path.replace(/\{([a-z_]+)\}/g, (_, name: string) =>
      encodeURIComponent(values[name] ?? ""),
    );
    try {
      const response = await fetch(query.size === 0 ? path : `${path}?${query.toString()}`, {
        method: request.method,
        headers: {
          ...(key === undefined ? {} : { Authorization: key }),
          ...(request.body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(request.body === undefined ? {} : { body }),
      });
      const answer = await response.text();
      setSent({ status: response.status, ms: performance.now() - startMs, answer: pretty(answer) });
    } catch (error) {
      setSent({ status: 0, ms: performance.now() - startMs, answer: (error as Error).message });
    } finally {
      setSending(false);
    }
  };
  return (
    <div className="stack">
      <p className="hint">{request.access}</p>
      <p className="hint wrap">
        {text.errors}: {request.errors.join(" · ")}
      </p>
      {isOffered ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          {request.parameters.length > 0 && (
            <div className="form-grid">
              {request.parameters.map(({ name }) => (
                <TextField
                  key={name}
                  label={name}
                  value={values[name] ?? ""}
                  onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                />
              ))}
            </div>
          )}
          {request.body !== undefined && (
            <TextArea
              label={text.body}
              rows={Math.min(16, body.split("\n").length + 1)}
              value={body}
              onChange={setBody}
            />
          )}
          <div className="actions">
            <Button type="submit" kind="main" disabled={!isWhole} isBusy={isSending}>
              {text.send}
            </Button>
            {sent !== undefined && (
              <span className={sent.status < 300 && sent.status > 0 ? "badge badge-good" : "badge badge-bad"}>
                {text.sent(sent.status, formatMs(sent.ms))}
              </span>
            )}
          </div>
          {sent !== undefined && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys.
            <pre className="code" tabIndex={0}>
              {sent.answer}
            </pre>
          )}
        </form>
      ) : (
        <p className="hint">{text.notOffered}</p>
      )}
    </div>
  );
}

function pretty(answer: string): string {
  try {
    return JSON.stringify(JSON.parse(answer), null, 2);
  } catch {
    return answer;
  }
}
