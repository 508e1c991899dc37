import { useEffect, useState } from "react";
import type { IndexView } from "../../src/client/index.js";
import {
  type ComposedClause,
  contextOf,
  isComplete,
  OCCURS,
  type Occur,
  type Operator,
  operatorsOf,
} from "../api/clauses.js";
import type { SearchState } from "../api/search-state.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { SelectField, TextField } from "../ui/field.js";

const text = texts.playground.clauses;

const NEW_CLAUSE: ComposedClause = { occur: "must", field: "", operator: "all", value: "", upper: "" };

/** Conditions put together from the fields there are and from what can be asked of each, for who doesn't know the query language. */
export function ClauseBuilder({
  state,
  view,
  onChange,
}: {
  readonly state: SearchState;
  /** Absent where fields aren't known, as for a federation; then names are typed. */
  readonly view: IndexView | undefined;
  readonly onChange: (changes: Partial<SearchState>) => void;
}) {
  // Its own, so that no letter is lost while the address is being written.
  const [clauses, setClauses] = useState(state.clauses);
  useEffect(() => setClauses(state.clauses), [state.clauses]);
  const change = (next: readonly ComposedClause[]) => {
    setClauses(next);
    onChange({ clauses: next });
  };
  const complete = clauses.filter(isComplete);
  const mustBeText = complete.filter(({ occur }) => occur !== "should");
  const asText = () => {
    const written = mustBeText.map(contextOf);
    const all = state.where.trim() === "" ? written : [`(${state.where})`, ...written];
    onChange({ clauses: clauses.filter((each) => !mustBeText.includes(each)), where: all.join(" AND ") });
  };
  return (
    <fieldset className="stack-tight">
      <legend className="hidden">{text.title}</legend>
      {clauses.map((clause, at) => (
        <ClauseRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place alone, as two may say the same.
          key={at}
          clause={clause}
          view={view}
          onChange={(changes) => change(clauses.with(at, { ...clause, ...changes }))}
          onRemove={() => change(clauses.toSpliced(at, 1))}
        />
      ))}
      {complete.length > 0 && (
        <p className="hint wrap">
          {text.written} <code>{complete.map(contextOf).join(" ")}</code>
        </p>
      )}
      <div className="row">
        <Button size="small" icon="plus" onClick={() => change([...clauses, NEW_CLAUSE])}>
          {text.add}
        </Button>
        {mustBeText.length > 0 && (
          <Button size="small" kind="plain" onClick={asText}>
            {text.asText}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

function ClauseRow({
  clause,
  view,
  onChange,
  onRemove,
}: {
  readonly clause: ComposedClause;
  readonly view: IndexView | undefined;
  readonly onChange: (changes: Partial<ComposedClause>) => void;
  readonly onRemove: () => void;
}) {
  const { occur, field, operator, value, upper } = clause;
  const typeOf = (name: string) => view?.fields[name]?.type;
  const type = typeOf(field);
  const operators = operatorsOf(field, type);
  const choose = (name: string) => {
    const possible = operatorsOf(name, typeOf(name));
    // What is asked stays, if it can be asked of the other field, too.
    onChange({ field: name, operator: possible.includes(operator) ? operator : (possible[0] ?? operator) });
  };
  return (
    <div className="clause">
      <SelectField
        label={text.occur}
        isLabelHidden
        value={occur}
        onChange={(event) => onChange({ occur: event.target.value as Occur })}
      >
        {OCCURS.map((each) => (
          <option key={each} value={each}>
            {text.occurs[each]}
          </option>
        ))}
      </SelectField>
      {view === undefined ? (
        <TextField
          label={text.field}
          isLabelHidden
          placeholder={text.field}
          value={field}
          onChange={(event) => choose(event.target.value)}
        />
      ) : (
        <SelectField
          label={text.field}
          isLabelHidden
          value={field}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">{text.chooseField}</option>
          {namesOf(view, field).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label={text.operator}
        isLabelHidden
        value={operator}
        onChange={(event) => onChange({ operator: event.target.value as Operator })}
      >
        {(operators.includes(operator) ? operators : [operator, ...operators]).map((each) => (
          <option key={each} value={each}>
            {text.operators[each]}
          </option>
        ))}
      </SelectField>
      {operator !== "exists" && (
        <ValueField
          label={operator === "between" ? text.lower : text.value}
          type={type}
          operator={operator}
          value={value}
          onChange={(next) => onChange({ value: next })}
        />
      )}
      {operator === "between" && (
        <ValueField
          label={text.upper}
          type={type}
          operator={operator}
          value={upper}
          onChange={(next) => onChange({ upper: next })}
        />
      )}
      <Button
        kind="plain"
        icon="trash"
        label={field === "" ? text.removeOne : text.remove(field)}
        onClick={onRemove}
      />
    </div>
  );
}

/** Fields that can be asked, and the one that an address names, whatever it is. */
function namesOf(view: IndexView, chosen: string): readonly string[] {
  const names = Object.entries(view.fields)
    .filter(([name, { type, indexed }]) => name === "id" || (indexed && operatorsOf(name, type).length > 0))
    .map(([name]) => name);
  return chosen === "" || names.includes(chosen) ? names : [...names, chosen];
}

function ValueField({
  label,
  type,
  operator,
  value,
  onChange,
}: {
  readonly label: string;
  readonly type: string | undefined;
  readonly operator: Operator;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  if (type === "bool") {
    return (
      <SelectField
        label={label}
        isLabelHidden
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {["", "true", "false"].map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </SelectField>
    );
  }
  const example = operator === "in" ? text.setHint : type === "datetime" ? text.dateHint : label;
  return (
    <TextField
      label={label}
      isLabelHidden
      placeholder={example}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
