import type { IndexView } from "../../src/client/index.js";
import { texts } from "../texts.js";
import { SelectField, TextField } from "../ui/field.js";

const text = texts.indexes.aiForm;

type AiConfig = NonNullable<IndexView["ai"]>;
type Provider = AiConfig["llm_provider"];
type Summary = Partial<NonNullable<AiConfig["search_summary"]>>;

/** What the form reads and writes; members that it doesn't name stay as they are. */
export interface AiDraft {
  readonly llm_provider?: Provider;
  readonly llm_region?: string;
  readonly llm_base_url?: string;
  readonly llm_api_key?: string;
  readonly search_summary?: Summary;
}

const PROVIDERS: Readonly<Record<Provider, string>> = text.providers;

/** A language model's settings, those that most need; rules and instructions are for the JSON beside it. */
export function AiForm({ ai, onChange }: { readonly ai: AiDraft; readonly onChange: (ai: AiDraft) => void }) {
  const { search_summary: summary = {} } = ai;
  const set = (changes: { readonly [Member in keyof AiDraft]: AiDraft[Member] | undefined }) =>
    onChange(withoutEmpty({ ...ai, ...changes }));
  const setSummary = (changes: { readonly [Member in keyof Summary]: Summary[Member] | undefined }) =>
    set({ search_summary: withoutEmpty({ ...summary, ...changes }) });
  const numberField = (
    member: "temperature" | "character_limit" | "max_results" | "document_trim_length",
    limits: { readonly min: number; readonly max?: number; readonly step: number },
  ) => (
    <TextField
      label={text[member]}
      type="number"
      {...limits}
      value={summary[member] ?? ""}
      onChange={({ target }) =>
        setSummary({ [member]: target.value === "" ? undefined : Number(target.value) })
      }
    />
  );
  return (
    <div className="form-grid">
      <SelectField
        label={text.provider}
        value={ai.llm_provider ?? ""}
        onChange={(event) => set({ llm_provider: event.target.value as Provider })}
      >
        {ai.llm_provider === undefined && <option value="">{texts.none}</option>}
        {Object.entries(PROVIDERS).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={text.model}
        value={summary.model ?? ""}
        onChange={(event) => setSummary({ model: event.target.value })}
      />
      <TextField
        label={text.address}
        placeholder={text.addressUsual}
        value={ai.llm_base_url ?? ""}
        onChange={(event) => set({ llm_base_url: event.target.value })}
      />
      {ai.llm_provider === "bedrock" && (
        <TextField
          label={text.region}
          value={ai.llm_region ?? ""}
          onChange={(event) => set({ llm_region: event.target.value })}
        />
      )}
      <TextField
        label={text.key}
        type="password"
        autoComplete="new-password"
        value={ai.llm_api_key ?? ""}
        onChange={(event) => set({ llm_api_key: event.target.value })}
      />
      <TextField
        label={text.role}
        value={summary.role ?? ""}
        onChange={(event) => setSummary({ role: event.target.value })}
      />
      {numberField("temperature", { min: 0, max: 1, step: 0.1 })}
      {numberField("character_limit", { min: 1, step: 1 })}
      {numberField("max_results", { min: 1, step: 1 })}
      {numberField("document_trim_length", { min: 1, step: 1 })}
      <TextField
        label={text.emptyState}
        value={summary.empty_state_message ?? ""}
        onChange={(event) => setSummary({ empty_state_message: event.target.value })}
      />
    </div>
  );
}

/** A field that was emptied is no setting. */
function withoutEmpty<Value extends object>(
  value: {
    readonly [Member in keyof Value]: Value[Member] | undefined;
  },
): Value {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined && member !== ""),
  ) as Value;
}
