import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { IndexExtensionsDraft, IndexSettingsDraft, IndexView } from "../../src/client/index.js";
import { useForgetIndex, useIndexStats, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { ConfirmLoss } from "../ui/dialog.js";
import { CheckField, SelectField, TextArea, TextField } from "../ui/field.js";
import { formatNumber } from "../ui/format.js";
import { say } from "../ui/toasts.js";
import { type AiDraft, AiForm } from "./ai-form.js";
import { ChangeReview, changesBetween } from "./change-review.js";

const text = texts.indexes;

/** Settings beyond the specification, which have a request of their own. */
const EXTENSIONS = new Set(["fold_diacritics", "symbols", "suggest_field", "primary_key"]);

/** An index's settings but for its ranking and its words; each change is shown before it is made. */
export function IndexSettings({ view }: { readonly view: IndexView }) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const before = settingsOf(view);
  const [settings, setSettings] = useState(before);
  const [ai, setAi] = useState(() => (view.ai === undefined ? "" : JSON.stringify(view.ai, null, 2)));
  const [isReviewing, setReviewing] = useState(false);
  const set = (changes: Partial<typeof before>) => setSettings({ ...settings, ...changes });
  const parsedAi = parsed(ai);
  const after = { ...settings, ...(parsedAi === undefined ? {} : { ai: parsedAi.value }) };
  const changes = changesBetween(before, after).filter(
    ({ name }) => name !== "ai_enabled" || may.createIndexes,
  );
  const apply = useMutation({
    mutationFn: async () => {
      const draft = (isExtension: boolean): Record<string, unknown> =>
        Object.fromEntries(
          changes
            .filter(({ name }) => EXTENSIONS.has(name) === isExtension)
            .map(({ name, after: value }) => [name, value === "" ? null : value]),
        );
      const usual = draft(false);
      const extensions = draft(true);
      if (Object.keys(usual).length > 0) await client.patchIndex(view.name, usual as IndexSettingsDraft);
      if (Object.keys(extensions).length > 0)
        await client.patchIndexSettings(view.name, extensions as IndexExtensionsDraft);
    },
    onSuccess: async () => {
      setReviewing(false);
      say({ kind: "done", text: text.applied });
      await refresh();
    },
  });
  const named = (type: string): string[] =>
    Object.entries(view.fields)
      .filter(([, field]) => field.type === type && !field.multi)
      .map(([name]) => name);
  return (
    <div className="stack">
      <section className="card stack">
        <h2>{text.settings}</h2>
        <div className="form-grid">
          <TextField
            label={text.languageCode}
            maxLength={2}
            value={settings.language}
            onChange={(event) => set({ language: event.target.value })}
          />
          <TextField
            label={text.autoCommit}
            type="number"
            min={0}
            value={settings.auto_commit_delay}
            onChange={(event) => set({ auto_commit_delay: Number(event.target.value) })}
          />
          <SelectField
            label={text.decayField}
            value={settings.time_decay_field}
            onChange={(event) => set({ time_decay_field: event.target.value })}
          >
            <option value="">{texts.none}</option>
            {named("datetime").map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
          <SelectField
            label={text.suggestField}
            value={settings.suggest_field}
            onChange={(event) => set({ suggest_field: event.target.value })}
          >
            <option value="">{texts.none}</option>
            {named("text").map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
          <SelectField
            label={text.primaryKey}
            hint={text.primaryKeyHint}
            value={settings.primary_key}
            onChange={(event) => set({ primary_key: event.target.value })}
          >
            <option value="">{texts.none}</option>
            {["text", "u64", "i64"].flatMap(named).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
          <TextField
            label={text.symbols}
            maxLength={16}
            value={settings.symbols}
            onChange={(event) => set({ symbols: event.target.value })}
          />
        </div>
        <CheckField
          label={text.stemming}
          hint={text.stemmingHint}
          checked={settings.enable_language_stemming}
          onChange={(event) => set({ enable_language_stemming: event.target.checked })}
        />
        <CheckField
          label={text.excludeStopWords}
          checked={settings.exclude_stop_words}
          onChange={(event) => set({ exclude_stop_words: event.target.checked })}
        />
        <CheckField
          label={text.foldDiacritics}
          checked={settings.fold_diacritics}
          onChange={(event) => set({ fold_diacritics: event.target.checked })}
        />
        {may.createIndexes && (
          <CheckField
            label={text.aiEnabled}
            checked={settings.ai_enabled}
            onChange={(event) => set({ ai_enabled: event.target.checked })}
          />
        )}
        <details className="fold">
          <summary>{text.ai}</summary>
          {parsedAi !== undefined && isObject(parsedAi.value) && (
            <AiForm
              ai={(parsedAi.value ?? {}) as AiDraft}
              onChange={(next) => setAi(JSON.stringify(next, null, 2))}
            />
          )}
          <TextArea
            label={text.aiJson}
            rows={12}
            hint={parsedAi === undefined ? text.notJson : text.aiHint}
            value={ai}
            onChange={setAi}
          />
        </details>
        <div className="actions">
          <Button
            kind="main"
            disabled={changes.length === 0 || parsedAi === undefined}
            onClick={() => setReviewing(true)}
          >
            {text.review}
          </Button>
          {changes.length === 0 && <span className="hint">{text.noChanges}</span>}
        </div>
      </section>
      <Danger view={view} />
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

function Danger({ view }: { readonly view: IndexView }) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const forget = useForgetIndex();
  const [, go] = useLocation();
  const { data: stats } = useIndexStats();
  const [asked, setAsked] = useState<"index" | "documents">();
  const own = stats?.indices.find((one) => view.name in one)?.[view.name];
  const count = formatNumber(own?.document_count ?? 0);
  const remove = useMutation({
    mutationFn: async () => {
      if (asked === "index") await client.deleteIndex(view.name);
      else await client.deleteAllDocuments(view.name);
    },
    onSuccess: async () => {
      setAsked(undefined);
      if (asked === "index") {
        say({ kind: "done", text: text.deleted(view.name) });
        forget(view.name);
        go("/overview");
      } else {
        say({ kind: "done", text: texts.documents.deleted(own?.document_count ?? 0) });
        await refresh();
      }
    },
  });
  return (
    <section className="card stack">
      <h2>{text.danger}</h2>
      <div className="actions">
        {may.write && <Button onClick={() => setAsked("documents")}>{text.deleteAll}</Button>}
        <Button kind="danger" onClick={() => setAsked("index")}>
          {text.deleteIndex}
        </Button>
      </div>
      <ConfirmLoss
        title={asked === "documents" ? text.deleteAll : text.deleteTitle(view.name)}
        loss={
          asked === "documents" ? text.deleteAllLoss(view.name, count) : text.deleteLoss(view.name, count)
        }
        name={view.name}
        action={texts.delete}
        isOpen={asked !== undefined}
        isBusy={remove.isPending}
        onClose={() => setAsked(undefined)}
        onConfirm={() => remove.mutate()}
      />
    </section>
  );
}

function settingsOf(view: IndexView) {
  return {
    language: view.language ?? "",
    enable_language_stemming: view.enable_language_stemming,
    exclude_stop_words: view.exclude_stop_words,
    fold_diacritics: view.fold_diacritics ?? false,
    symbols: view.symbols ?? "",
    suggest_field: view.suggest_field ?? "",
    primary_key: view.primary_key ?? "",
    auto_commit_delay: view.auto_commit_delay,
    time_decay_field: view.time_decay_field ?? "",
    ai_enabled: view.ai_enabled ?? false,
    ai: view.ai as unknown,
  };
}

/** Nothing yet is an object without members. */
function isObject(value: unknown): boolean {
  return value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));
}

/** Undefined where it is no JSON; nothing at all is no setting. */
function parsed(json: string): { readonly value: unknown } | undefined {
  if (json.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(json) as unknown };
  } catch {
    return undefined;
  }
}
