import type { FieldDraft } from "../../src/client/index.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";

const text = texts.indexes;

export interface NamedField extends FieldDraft {
  /** Stays while the name is typed. */
  readonly key: string;
  readonly name: string;
}

const TYPES = ["text", "facet", "bool", "u64", "i64", "f64", "datetime", "bytes", "json"] as const;

let lastKey = 0;

export function namedField(name: string, draft: FieldDraft): NamedField {
  return { ...draft, name, key: `field-${++lastKey}` };
}

/** @returns the fields by name, as an index takes them */
export function fieldsOf(fields: readonly NamedField[]): Record<string, FieldDraft> {
  return Object.fromEntries(
    fields.filter(({ name }) => name.trim() !== "").map(({ key: _, name, ...draft }) => [name.trim(), draft]),
  );
}

/** Fields to be named, typed and removed. */
export function SchemaEditor({
  fields,
  onChange,
}: {
  readonly fields: readonly NamedField[];
  readonly onChange: (fields: readonly NamedField[]) => void;
}) {
  const set = (key: string, changes: Partial<NamedField>) =>
    onChange(fields.map((field) => (field.key === key ? { ...field, ...changes } : field)));
  return (
    <div className="stack-tight">
      <div className="scroll-x">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">{text.field}</th>
              <th scope="col">{text.type}</th>
              <th scope="col">{text.flags}</th>
              <th scope="col">
                <span className="hidden">{texts.remove}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.key}>
                <td>
                  <input
                    aria-label={text.fieldName}
                    value={field.name}
                    spellCheck={false}
                    onChange={(event) => set(field.key, { name: event.target.value })}
                  />
                </td>
                <td>
                  <select
                    aria-label={`${text.type}: ${field.name}`}
                    value={field.type}
                    onChange={(event) => set(field.key, { type: event.target.value as FieldDraft["type"] })}
                  >
                    {TYPES.map((type) => (
                      <option key={type}>{type}</option>
                    ))}
                  </select>
                </td>
                <td>
                  <div className="row">
                    {(["multi", "required"] as const).map((flag) => (
                      <label key={flag} className="row">
                        <input
                          type="checkbox"
                          checked={field[flag] === true}
                          onChange={(event) => set(field.key, { [flag]: event.target.checked })}
                        />
                        {text[flag]}
                      </label>
                    ))}
                  </div>
                </td>
                <td className="number">
                  <Button
                    kind="plain"
                    size="small"
                    icon="trash"
                    label={`${texts.remove}: ${field.name}`}
                    onClick={() => onChange(fields.filter(({ key }) => key !== field.key))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div>
        <Button
          size="small"
          icon="plus"
          onClick={() => onChange([...fields, namedField("", { type: "text" })])}
        >
          {text.addField}
        </Button>
      </div>
    </div>
  );
}
