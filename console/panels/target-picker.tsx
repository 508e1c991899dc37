import { type Target, useFederations, useIndexNames } from "../api/queries.js";
import { texts } from "../texts.js";
import { SelectField } from "../ui/field.js";

const text = texts.playground;

/** What is searched: an index or, where there are any, a federation. */
export function TargetPicker({
  target,
  onChange,
}: {
  readonly target: Target | undefined;
  readonly onChange: (target: Target) => void;
}) {
  const { data: indexes = [] } = useIndexNames();
  const { data: federations = [] } = useFederations();
  const isListed =
    target !== undefined && (target.kind === "index" ? indexes : federations).includes(target.name);
  return (
    <SelectField
      label={text.target}
      isLabelHidden
      value={target === undefined ? "" : `${target.kind}:${target.name}`}
      onChange={(event) => {
        const [kind, ...name] = event.target.value.split(":");
        onChange({ kind: kind === "federation" ? "federation" : "index", name: name.join(":") });
      }}
    >
      {target !== undefined && !isListed && (
        <option value={`${target.kind}:${target.name}`}>{target.name}</option>
      )}
      <optgroup label={text.indexes}>
        {indexes.map((name) => (
          <option key={name} value={`index:${name}`}>
            {name}
          </option>
        ))}
      </optgroup>
      {federations.length > 0 && (
        <optgroup label={text.federations}>
          {federations.map((name) => (
            <option key={name} value={`federation:${name}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </SelectField>
  );
}
