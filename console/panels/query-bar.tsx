import { useEffect, useState } from "react";
import type { IndexView } from "../../src/client/index.js";
import { MODES, type SearchState } from "../api/search-state.js";
import { texts } from "../texts.js";
import { CheckField, Choice, SelectField, TextField } from "../ui/field.js";
import { Icon } from "../ui/icon.js";
import { ClauseBuilder } from "./clause-builder.js";

const text = texts.playground;

/** Types of fields whose values have an order, where they are `fast`. */
const ORDERED = new Set(["u64", "i64", "f64", "datetime", "bool", "text"]);

/** What is searched for, how, and in which order. Asked with every letter. */
export function QueryBar({
  state,
  view,
  onChange,
}: {
  readonly state: SearchState;
  readonly view: IndexView | undefined;
  readonly onChange: (changes: Partial<SearchState>) => void;
}) {
  // Its own, so that no letter is lost while the address is being written.
  const [typed, setTyped] = useState(state.text);
  useEffect(() => setTyped(state.text), [state.text]);
  const [where, setWhere] = useState(state.where);
  useEffect(() => setWhere(state.where), [state.where]);
  const sortable = Object.entries(view?.fields ?? {})
    .filter(([, { type, multi, fast }]) => !multi && ORDERED.has(type) && (type === "text" || fast === true))
    .map(([name]) => name);
  return (
    <section className="card stack">
      <div className="query-bar">
        <div className="search">
          <Icon name="playground" />
          <input
            role="searchbox"
            type="search"
            aria-label={text.query}
            placeholder={text.placeholder}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              onChange({ text: event.target.value });
            }}
          />
        </div>
        <Choice
          label={text.mode}
          value={state.mode}
          options={MODES.map((value) => ({ value, label: text.modes[value], title: text.modeTitles[value] }))}
          onChange={(mode) => onChange({ mode })}
        />
        <CheckField
          label={text.asYouType}
          disabled={state.mode !== "dynamic"}
          checked={state.asYouType && state.mode === "dynamic"}
          onChange={(event) => onChange({ asYouType: event.target.checked })}
        />
      </div>
      <div className="form-grid">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ where });
          }}
        >
          <TextField
            label={text.where}
            placeholder={text.whereHint}
            value={where}
            onChange={(event) => setWhere(event.target.value)}
            onBlur={() => where !== state.where && onChange({ where })}
          />
        </form>
        <SelectField
          label={text.order}
          value={state.order}
          onChange={(event) => onChange({ order: event.target.value })}
        >
          <option value="">{text.relevance}</option>
          {state.order !== "" && sortable.length === 0 && <option value={state.order}>{state.order}</option>}
          {sortable.map((name) => [
            <option key={`${name}:desc`} value={`${name}:desc`}>
              {text.descending(name)}
            </option>,
            <option key={`${name}:asc`} value={`${name}:asc`}>
              {text.ascending(name)}
            </option>,
          ])}
        </SelectField>
      </div>
      <ClauseBuilder state={state} view={view} onChange={onChange} />
    </section>
  );
}
