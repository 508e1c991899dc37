import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import type { SummaryModelCall, SummarySource } from "../../src/client/index.js";
import { useIndexPath } from "../api/index-path.js";
import { useIndexNames, useIndexView } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { IndexPicker } from "../panels/index-picker.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { TextField } from "../ui/field.js";
import { formatMs, formatNumber } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";

const text = texts.summaries;

export default function SummariesPage() {
  const [index, setIndex] = useIndexPath("/summaries");
  const { data: names } = useIndexNames();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{text.title}</h1>
        <p className="hint grow">{text.hint}</p>
        <IndexPicker name={index} onChange={setIndex} />
      </div>
      {names?.length === 0 && <Empty title={texts.noIndexes} />}
      {index !== undefined && <IndexSummaries key={index} index={index} />}
    </div>
  );
}

function IndexSummaries({ index }: { readonly index: string }) {
  const { client, may } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ["capabilities", index],
    queryFn: ({ signal }) => client.getCapabilities(index, { signal }),
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const { enabled, llmProviderConfigured, searchSummaryConfigured } = data.ai;
  const isReady = enabled && llmProviderConfigured && searchSummaryConfigured;
  return (
    <div className="columns">
      {isReady ? (
        <TryOut index={index} />
      ) : (
        <section className="card">
          <Empty title={enabled ? text.notConfigured : text.off}>
            {may.changeIndexes && (
              <Link className="button" href={`/index/${encodeURIComponent(index)}?tab=settings`}>
                {text.configure}
              </Link>
            )}
          </Empty>
        </section>
      )}
      {may.changeIndexes && <Configured index={index} />}
    </div>
  );
}

function Configured({ index }: { readonly index: string }) {
  const { data: view } = useIndexView(index);
  const summary = view?.ai?.search_summary;
  const rules = summary?.keyword_rules ?? [];
  if (view?.ai === undefined) return null;
  return (
    <section className="card stack">
      <h2>{text.prompt}</h2>
      <dl className="figures">
        <div>
          <dt className="hint">{text.provider}</dt>
          <dd className="plain">{view.ai.llm_provider}</dd>
        </div>
        <div>
          <dt className="hint">{text.model}</dt>
          <dd className="plain wrap">{summary?.model ?? texts.none}</dd>
        </div>
      </dl>
      {summary?.role !== undefined && (
        <p>
          <b>{text.role}</b> {summary.role}
        </p>
      )}
      <h3>{text.rules}</h3>
      {rules.length === 0 ? (
        <p className="hint">{text.noRules}</p>
      ) : (
        <ol>
          {rules.map((rule) => (
            <li key={rule.rule_name}>
              <b>{rule.rule_name}</b> {rule.detect_keywords.join(", ")}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

interface Run {
  readonly words: string;
  readonly results?: number;
  readonly isCached?: boolean;
  readonly sources?: readonly SummarySource[];
  readonly call?: SummaryModelCall;
  readonly firstMs?: number;
  readonly wholeMs?: number;
  readonly problem?: Error;
}

/** A summary as it comes, with its documents, its time and, for who may see settings, what the model was asked. What the model says is text, never HTML. */
function TryOut({ index }: { readonly index: string }) {
  const { client, may } = useSession();
  const [question, setQuestion] = useState("");
  const [run, setRun] = useState<Run>();
  const [isRunning, setRunning] = useState(false);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const ask = async () => {
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    const startMs = performance.now();
    let current: Run = { words: "" };
    const show = (changes: Partial<Run>) => {
      current = { ...current, ...changes };
      setRun(current);
    };
    setRunning(true);
    show({});
    try {
      const body = { query: { fuzzy: { ctx: question } }, sources: true, model_call: may.changeIndexes };
      for await (const event of await client.summarizeSearch(index, body, { signal: controller.signal })) {
        if (event.name === "metadata")
          show({ results: event.data.results_count, isCached: event.data.cached });
        if (event.name === "delta") {
          const firstMs = current.firstMs ?? performance.now() - startMs;
          show({ words: current.words + event.data.content, firstMs });
        }
        if (event.name === "model_call") show({ call: event.data });
        if (event.name === "sources") show({ sources: event.data.sources });
        if (event.name === "error") show({ problem: new Error(event.data.message) });
      }
      show({ wholeMs: performance.now() - startMs });
    } catch (error) {
      if (!controller.signal.aborted) show({ problem: error as Error });
    } finally {
      setRunning(false);
    }
  };

  return (
    <section className="card stack">
      <form
        className="row row-end"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <div className="grow">
          <TextField
            label={text.query}
            value={question}
            onChange={(event) => setQuestion(event.target.value)}
          />
        </div>
        {isRunning ? (
          // A button of its own: one that turned into "Summarize" under the click would send the form.
          <Button key="stop" onClick={() => stop.current?.abort()}>
            {text.stop}
          </Button>
        ) : (
          <Button key="ask" type="submit" kind="main" disabled={question.trim() === ""}>
            {text.ask}
          </Button>
        )}
      </form>
      {run?.problem !== undefined && <Failure error={run.problem} />}
      {run !== undefined && (
        <div className="stack-tight" aria-live="polite" aria-busy={isRunning}>
          <p className="summary-words" dir="auto">
            {run.words}
          </p>
          <div className="chips">
            {run.results !== undefined && <span className="badge">{text.results(run.results)}</span>}
            {run.isCached !== undefined && (
              <span className="badge">{run.isCached ? text.cached : text.fresh}</span>
            )}
            {run.firstMs !== undefined && (
              <span className="badge">{text.firstWord(formatMs(run.firstMs))}</span>
            )}
            {run.wholeMs !== undefined && <span className="badge">{text.whole(formatMs(run.wholeMs))}</span>}
            {run.call !== undefined && <Tokens call={run.call} />}
          </div>
          {run.sources !== undefined && run.sources.length > 0 && (
            <>
              <h3>{text.sources}</h3>
              <ul className="mono">
                {run.sources.map(({ document_id: id, source_index: source }) => (
                  <li key={id}>
                    {source}/{id}
                  </li>
                ))}
              </ul>
            </>
          )}
          {run.call !== undefined && <Asked call={run.call} />}
        </div>
      )}
    </section>
  );
}

function Tokens({ call }: { readonly call: SummaryModelCall }) {
  const { input_tokens: input, output_tokens: output, attempts } = call;
  return (
    <>
      {input !== null && <span className="badge">{text.tokensIn(formatNumber(input))}</span>}
      {output !== null && <span className="badge">{text.tokensOut(formatNumber(output))}</span>}
      {attempts > 1 && <span className="badge">{text.attempts(attempts)}</span>}
    </>
  );
}

/** What the model was asked, as it was sent. */
function Asked({ call }: { readonly call: SummaryModelCall }) {
  return (
    <details className="fold">
      <summary>{text.asked}</summary>
      <div className="stack-tight">
        <h3>{text.systemPrompt}</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys. */}
        <pre className="code" dir="auto" tabIndex={0}>
          {call.system}
        </pre>
        <h3>{text.userPrompt}</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys. */}
        <pre className="code" dir="auto" tabIndex={0}>
          {call.prompt}
        </pre>
        <p className="hint">{text.calledAs(call.provider, call.model, call.temperature)}</p>
      </div>
    </details>
  );
}
