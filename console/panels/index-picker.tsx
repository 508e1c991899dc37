import { useEffect } from "react";
import { useIndexNames } from "../api/queries.js";
import { texts } from "../texts.js";
import { SelectField } from "../ui/field.js";

/** Which index a page is about; the first one unless the address says. */
export function IndexPicker({
  name,
  isOptional = false,
  onChange,
}: {
  readonly name: string | undefined;
  /** Whether the page has something to show without one. */
  readonly isOptional?: boolean;
  readonly onChange: (name: string) => void;
}) {
  const { data: names } = useIndexNames();
  const first = names?.[0];
  useEffect(() => {
    if (name === undefined && first !== undefined && !isOptional) onChange(first);
  }, [name, first, isOptional, onChange]);
  if (names === undefined || names.length === 0) return null;
  return (
    <SelectField
      label={texts.index}
      isLabelHidden
      value={name ?? ""}
      onChange={(event) => onChange(event.target.value)}
    >
      {name === undefined && <option value="">–</option>}
      {name !== undefined && !names.includes(name) && <option value={name}>{name}</option>}
      {names.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </SelectField>
  );
}
