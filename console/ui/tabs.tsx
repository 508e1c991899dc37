import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

/** Parts of a page of which one is seen. */
export function Tabs<Name extends string>({
  label,
  value,
  tabs,
  onChange,
}: {
  readonly label: string;
  readonly value: Name;
  readonly tabs: readonly {
    readonly value: Name;
    readonly label: string;
    readonly content: () => ReactNode;
  }[];
  readonly onChange: (value: Name) => void;
}) {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as Name)}>
      <Base.List className="tabs" aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className="tab">
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="tab-panel">
          {tab.value === value && tab.content()}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
