import { useEffect } from "react";
import { useIndexNames } from "../api/queries.js";
import { texts } from "../texts.js";
import { SelectField } from "../ui/field.js";

/** Which index a page is about; the first one unless the address says. */
export function IndexPicker({
  name,
  onChange,
}: {
  readonly name: string | undefined;
  readonly onChange: (name: string) => void;
}) {
  const { data: names } = useIndexNames();
  const first = names?.[0];
  useEffect(() => {
    if (name === undefined && first !== undefined) onChange(first);
  }, [name, first, onChange]);
  if (names === undefined || names.length === 0) return null;
  return (
    <SelectField
      label={texts.index}
      isLabelHidden
      value={name ?? ""}
      onChange={(event) => onChange(event.target.value)}
    >
      {name !== undefined && !names.includes(name) && <option value={name}>{name}</option>}
      {names.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </SelectField>
  );
}
