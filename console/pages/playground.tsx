import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { writeJson } from "../../src/client/exact-json.js";
import type { IndexView } from "../../src/client/index.js";
import { useKeptSearches } from "../api/kept-searches.js";
import { type Answer, type Target, useIndexNames, useIndexView, useSearch } from "../api/queries.js";
import {
  bodyOf,
  PAGE_SIZE,
  plainBody,
  readSearchState,
  type SearchState,
  writeSearchState,
} from "../api/search-state.js";
import { useSession } from "../api/session.js";
import { AddSynonym } from "../panels/add-synonym.js";
import { Explanation } from "../panels/explanation.js";
import { FacetTrees } from "../panels/facet-trees.js";
import { type Hit, HitList, movesAgainst } from "../panels/hit-list.js";
import { KeptSearches } from "../panels/kept-searches.js";
import { Phases } from "../panels/phases.js";
import { QueryBar } from "../panels/query-bar.js";
import { RequestPanel } from "../panels/request-panel.js";
import { SettingsPanel } from "../panels/settings-panel.js";
import { TargetPicker } from "../panels/target-picker.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Choice } from "../ui/field.js";
import { formatMs, formatNumber } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";

const text = texts.playground;

const DocumentDrawer = lazy(() => import("../panels/document-drawer.js"));
const HitTable = lazy(() => import("../panels/hit-table.js"));

/** How long nothing may change before a search is one to be remembered. */
const SETTLED_MS = 1_500;

export default function PlaygroundPage() {
  const [params, setParams] = useSearchParams();
  const { data: names } = useIndexNames();
  const asked = useMemo(() => readSearchState(params), [params]);
  // The only index, or the first, where the address names none.
  const state: SearchState =
    asked.target === undefined && names?.[0] !== undefined
      ? { ...asked, target: { kind: "index", name: names[0] } }
      : asked;
  const change = (changes: Partial<SearchState>) => {
    const next = { ...state, page: 1, ...changes };
    // What is typed letter by letter is one step to go back over.
    const isTyped = "text" in changes || "page" in changes || "clauses" in changes;
    setParams(writeSearchState(next), { replace: isTyped });
  };
  return (
    <div className="page">
      <div className="page-head">
        <h1>{text.title}</h1>
        <div className="grow" />
        <TargetPicker
          target={state.target}
          onChange={(target) =>
            change({ target, filters: [], clauses: [], order: "", weights: {}, where: "" })
          }
        />
        <KeptSearches state={state} />
      </div>
      {names?.length === 0 && state.target === undefined ? (
        <Empty title={texts.noIndexes} />
      ) : (
        <Search state={state} onChange={change} />
      )}
    </div>
  );
}

interface SearchProps {
  readonly state: SearchState;
  readonly onChange: (changes: Partial<SearchState>) => void;
}

function Search({ state, onChange }: SearchProps) {
  const { target } = state;
  const indexName = target?.kind === "index" ? target.name : undefined;
  const { data: view } = useIndexView(indexName);
  const [known, setKnown] = useState<readonly string[]>();
  const facets = useFacetNames(view) ?? known;
  const search = useSearch(target, target === undefined ? undefined : bodyOf(state, { facets }));
  const other = useSearch(
    target,
    target === undefined || state.other === undefined
      ? undefined
      : bodyOf(state, { facets: [], settings: state.other }),
  );
  const { remember } = useKeptSearches();
  const answer = search.data;

  // Keys that may not read settings learn the facet fields from the first answer.
  const found = answer?.facets;
  useEffect(() => {
    if (found !== undefined) setKnown(found.flatMap((facet) => Object.keys(facet)));
  }, [found]);

  const address = writeSearchState(state).toString();
  useEffect(() => {
    if (state.text.trim() === "") return;
    const timer = setTimeout(() => remember({ name: state.text, query: address }), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [address, state.text, remember]);

  const moves =
    state.other !== undefined && answer !== undefined && other.data !== undefined
      ? {
          mine: movesAgainst(answer.hits, other.data.hits),
          theirs: movesAgainst(other.data.hits, answer.hits),
        }
      : undefined;

  return (
    <>
      <QueryBar state={state} view={view} onChange={onChange} />
      <div className="playground">
        <aside className="stack" aria-label={text.facets}>
          <section className="card">
            <div className="card-head">
              <h2 className="grow">{text.facets}</h2>
            </div>
            {answer === undefined ? (
              search.error === null && <Loading lines={4} />
            ) : (
              <FacetTrees
                facets={answer.facets ?? []}
                filters={state.filters}
                onChange={(filters) => onChange({ filters })}
              />
            )}
          </section>
          <section className="card">
            <SettingsPanel
              title={state.other === undefined ? text.tuning : text.settingsA}
              settings={state}
              view={view}
              onChange={onChange}
            />
          </section>
          {state.other !== undefined && (
            <section className="card">
              <SettingsPanel
                title={text.settingsB}
                settings={state.other}
                view={view}
                hasMode
                onChange={(changes) => onChange({ other: { ...state.other!, ...changes } })}
              />
            </section>
          )}
        </aside>
        <div className="stack">
          <ResultHead state={state} answer={answer} isBusy={search.isFetching} onChange={onChange} />
          {search.error !== null && <Failure error={search.error} onRetry={() => void search.refetch()} />}
          {answer === undefined && search.error === null && target !== undefined && <Loading lines={8} />}
          {answer !== undefined && target !== undefined && (
            <div className={state.other === undefined ? "stack" : "compared"}>
              <Results
                state={state}
                answer={answer}
                view={view}
                target={target}
                {...(moves === undefined ? {} : { moves: moves.mine, title: text.settingsA })}
              />
              {state.other !== undefined && other.data !== undefined && (
                <Results
                  state={{ ...state, ...state.other }}
                  answer={other.data}
                  view={view}
                  target={target}
                  {...(moves === undefined ? {} : { moves: moves.theirs })}
                  title={text.settingsB}
                />
              )}
              {other.error !== null && state.other !== undefined && <Failure error={other.error} />}
            </div>
          )}
          {answer !== undefined && answer.count > PAGE_SIZE && (
            <Pager state={state} count={answer.count} onChange={onChange} />
          )}
          {target !== undefined && (
            <section className="card stack">
              {answer?.profile !== undefined && (
                <div className="stack-tight">
                  <h2>{text.phases}</h2>
                  <Phases profile={answer.profile} />
                </div>
              )}
              <details className="fold">
                <summary>{text.request}</summary>
                <RequestPanel target={target} body={plainBody(state)} />
              </details>
            </section>
          )}
        </div>
      </div>
    </>
  );
}

function useFacetNames(view: IndexView | undefined): readonly string[] | undefined {
  return useMemo(
    () =>
      view === undefined
        ? undefined
        : Object.entries(view.fields)
            .filter(([, { type }]) => type === "facet")
            .map(([name]) => name),
    [view],
  );
}

function ResultHead({
  state,
  answer,
  isBusy,
  onChange,
}: SearchProps & { readonly answer: Answer | undefined; readonly isBusy: boolean }) {
  return (
    <div className="row" aria-busy={isBusy}>
      <p className="soft" role="status">
        {answer === undefined
          ? texts.loading
          : text.count(formatNumber(answer.count), formatMs(answer.time_taken * 1_000))}
      </p>
      <div className="chips grow">
        {state.filters.map(({ field, path }) => (
          <button
            type="button"
            key={`${field}:${path}`}
            className="chip"
            aria-label={text.removeFilter(path)}
            onClick={() =>
              onChange({
                filters: state.filters.filter((each) => each.field !== field || each.path !== path),
              })
            }
          >
            {path} <span aria-hidden="true">×</span>
          </button>
        ))}
        {state.filters.length > 1 && (
          <Button kind="plain" size="small" onClick={() => onChange({ filters: [] })}>
            {text.clearFilters}
          </Button>
        )}
      </div>
      <Button
        size="small"
        icon="compare"
        aria-pressed={state.other !== undefined}
        onClick={() =>
          onChange({
            other:
              state.other === undefined
                ? {
                    mode: state.mode === "fuzzy" ? "dynamic" : "fuzzy",
                    asYouType: state.asYouType,
                    synonyms: state.synonyms,
                    weights: state.weights,
                  }
                : undefined,
          })
        }
      >
        {state.other === undefined ? text.compare : text.stopCompare}
      </Button>
      <Choice
        label={text.view}
        value={state.view}
        options={(["cards", "table", "json"] as const).map((value) => ({ value, label: text.views[value] }))}
        onChange={(view) => onChange({ view, page: state.page })}
      />
    </div>
  );
}

function Results({
  state,
  answer,
  view,
  target,
  moves,
  title,
}: {
  readonly state: SearchState;
  readonly answer: Answer;
  readonly view: IndexView | undefined;
  readonly target: Target;
  readonly moves?: ReadonlyMap<string, number | null>;
  readonly title?: string;
}) {
  const [opened, setOpened] = useState<Hit>();
  const [why, setWhy] = useState<number>();
  const { hits } = answer;
  const firstRank = (state.page - 1) * PAGE_SIZE + 1;
  return (
    <div className="stack-tight">
      {title !== undefined && <h2>{title}</h2>}
      {answer.count === 0 ? (
        <NothingFound state={state} target={target} />
      ) : state.view === "json" ? (
        <pre className="code code-tall">{writeJson({ ...answer, profile: undefined }, 2)}</pre>
      ) : state.view === "table" ? (
        <Suspense fallback={<Loading lines={8} />}>
          <HitTable hits={hits} onOpen={setOpened} />
        </Suspense>
      ) : (
        <HitList
          hits={hits}
          view={view}
          firstRank={firstRank}
          {...(moves === undefined ? {} : { moves })}
          onOpen={setOpened}
          {...(state.order === "" ? { onWhy: setWhy } : {})}
        />
      )}
      {why !== undefined && (
        <Explanation
          target={target}
          body={plainBody(state)}
          at={why}
          hits={hits}
          view={view}
          onClose={() => setWhy(undefined)}
        />
      )}
      {opened !== undefined && (
        <Suspense>
          <DocumentDrawer
            index={opened.source_index}
            documentId={opened.document_id}
            document={opened.doc}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

function NothingFound({ state, target }: { readonly state: SearchState; readonly target: Target }) {
  const { may } = useSession();
  const [isAdding, setAdding] = useState(false);
  const word = state.text.trim();
  const mayAdd = may.write && target.kind === "index" && word !== "";
  return (
    <section className="card">
      <Empty title={text.nothing}>
        <p>{text.nothingHint}</p>
        {mayAdd && !isAdding && (
          <Button kind="main" onClick={() => setAdding(true)}>
            {text.addSynonym(word)}
          </Button>
        )}
      </Empty>
      {mayAdd && isAdding && <AddSynonym index={target.name} word={word} onAdded={() => setAdding(false)} />}
    </section>
  );
}

function Pager({ state, count, onChange }: SearchProps & { readonly count: number }) {
  const pages = Math.ceil(count / PAGE_SIZE);
  return (
    <div className="row">
      <Button size="small" disabled={state.page <= 1} onClick={() => onChange({ page: state.page - 1 })}>
        {text.previous}
      </Button>
      <span className="soft">{text.page(state.page, pages)}</span>
      <Button size="small" disabled={state.page >= pages} onClick={() => onChange({ page: state.page + 1 })}>
        {text.next}
      </Button>
    </div>
  );
}
