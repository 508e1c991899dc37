import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import type { FieldView, IndexSettingsDraft, IndexView } from "../../src/client/index.js";
import { useIndexPath } from "../api/index-path.js";
import { useIndexView, useOverview, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { AliasTable } from "../panels/alias-table.js";
import { ChangeReview, changesBetween } from "../panels/change-review.js";
import { IndexPicker } from "../panels/index-picker.js";
import { IndexSettings } from "../panels/index-settings.js";
import { NewFields } from "../panels/new-fields.js";
import { NewIndex } from "../panels/new-index.js";
import { PendingBar } from "../panels/pending-bar.js";
import { type Ranking, RankingEditor } from "../panels/ranking-editor.js";
import { StopwordList } from "../panels/stopword-list.js";
import { SynonymTable } from "../panels/synonym-table.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { Failure, Loading, Notice } from "../ui/states.js";
import { Tabs } from "../ui/tabs.js";
import { say } from "../ui/toasts.js";

const text = texts.indexes;
const NEW = "new";

export default function IndexPage() {
  const [name, setName] = useIndexPath("/index");
  const { may } = useSession();
  const isNew = name === NEW || !may.changeIndexes;
  return (
    <div className="page">
      <div className="page-head">
        <h1>{text.title}</h1>
        <div className="grow" />
        {may.changeIndexes && (
          <IndexPicker name={isNew ? undefined : name} isOptional={isNew} onChange={setName} />
        )}
        {may.createIndexes && !isNew && (
          <Link className="button" href={`/index/${NEW}`}>
            <Icon name="plus" />
            {text.create}
          </Link>
        )}
      </div>
      {isNew
        ? may.createIndexes && <NewIndex onCreated={setName} />
        : name !== undefined && <IndexTabs key={name} name={name} />}
    </div>
  );
}

type Tab = keyof typeof text.tabs;
const TABS: readonly Tab[] = ["schema", "ranking", "words", "synonyms", "settings", "aliases"];

function IndexTabs({ name }: { readonly name: string }) {
  const [params, setParams] = useSearchParams();
  const { data: view, error, refetch } = useIndexView(name);
  const { data: overview } = useOverview();
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (view === undefined) return <Loading lines={8} />;
  const asked = params.get("tab") as Tab | null;
  const tab = asked !== null && TABS.includes(asked) ? asked : "schema";
  const content: Record<Tab, () => React.ReactNode> = {
    schema: () => (
      <div className="stack">
        <SchemaTable view={view} />
        <NewFields index={view.name} />
      </div>
    ),
    ranking: () => <RankingTab key={JSON.stringify(view.weight_multipliers)} view={view} />,
    words: () => <StopwordList index={name} />,
    synonyms: () => <SynonymTable index={name} />,
    settings: () => <IndexSettings key={JSON.stringify(view)} view={view} />,
    aliases: () => <AliasTable index={view.name} />,
  };
  const isBeingAnalysed = overview?.indexes.find((index) => index.name === name)?.is_being_analysed === true;
  return (
    <>
      <PendingBar index={name} hasWritten={false} />
      {isBeingAnalysed && (
        <Notice kind="warning">
          <Icon name="busy" />
          <div>{text.reanalysis}</div>
        </Notice>
      )}
      <Tabs
        label={text.title}
        value={tab}
        tabs={TABS.map((value) => ({ value, label: text.tabs[value], content: content[value] }))}
        onChange={(next) => setParams({ tab: next })}
      />
    </>
  );
}

function SchemaTable({ view }: { readonly view: IndexView }) {
  const [, go] = useLocation();
  return (
    <section className="card stack">
      <div className="row">
        <div className="grow">
          <h2>{text.schema}</h2>
          <p className="hint">{text.schemaHint}</p>
        </div>
        <Button onClick={() => go(`/documents/${encodeURIComponent(view.name)}`)}>
          {texts.pages.documents}
        </Button>
      </div>
      <div className="scroll-x">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">{text.field}</th>
              <th scope="col">{text.type}</th>
              <th scope="col">{text.flags}</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(view.fields).map(([field, definition]) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>
                  <span className="badge badge-accent">{definition.type}</span>
                  {field === view.primary_key && <span className="badge">{text.primaryKey}</span>}
                </td>
                <td>
                  <div className="chips">
                    {(["multi", "required", "stored", "indexed", "fast"] as const)
                      .filter((flag) => definition[flag] === true)
                      .map((flag) => (
                        <span key={flag} className="badge">
                          {text[flag]}
                        </span>
                      ))}
                    {waysOf(definition).map((way) => (
                      <span key={way} className="badge">
                        {way}
                      </span>
                    ))}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** How a field's values are read, and counted. */
function waysOf(field: FieldView): readonly string[] {
  return [
    ...(field.hierarchical === false ? [text.flat] : []),
    ...(field.coerce === true ? [text.coerce] : []),
    ...(field.format === undefined ? [] : [text.readAs(field.format)]),
    ...(field.separator === undefined ? [] : [text.separatedBy(field.separator)]),
    ...(field.path_separator === undefined ? [] : [text.separatedBy(field.path_separator)]),
  ];
}

function RankingTab({ view }: { readonly view: IndexView }) {
  const { client } = useSession();
  const refresh = useRefresh();
  const before: Ranking = {
    search_fields: view.search_fields,
    weight_multipliers: view.weight_multipliers,
  };
  const [ranking, setRanking] = useState(before);
  const [isReviewing, setReviewing] = useState(false);
  const changes = changesBetween({ ...before }, { ...ranking });
  const apply = useMutation({
    mutationFn: () =>
      client.patchIndex(
        view.name,
        Object.fromEntries(changes.map(({ name, after }) => [name, after])) as IndexSettingsDraft,
      ),
    onSuccess: async () => {
      setReviewing(false);
      say({ kind: "done", text: text.applied });
      await refresh();
    },
  });
  return (
    <div className="stack">
      <RankingEditor view={view} ranking={ranking} onChange={setRanking} />
      <div className="actions">
        <Button disabled={changes.length === 0} onClick={() => setRanking(before)}>
          {texts.playground.resetWeights}
        </Button>
        <Button kind="main" disabled={changes.length === 0} onClick={() => setReviewing(true)}>
          {text.review}
        </Button>
      </div>
      <ChangeReview
        changes={changes}
        isOpen={isReviewing}
        isBusy={apply.isPending}
        error={apply.error}
        onClose={() => setReviewing(false)}
        onApply={() => apply.mutate()}
      />
    </div>
  );
}
