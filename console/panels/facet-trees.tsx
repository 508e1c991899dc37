import { useState } from "react";
import type { FacetNode } from "../../src/client/index.js";
import type { FacetFilter } from "../api/search-state.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { formatNumber } from "../ui/format.js";

const text = texts.playground;

/** Nodes beside one another before the rest is asked for. */
const NODES_SHOWN = 10;

/** Facet fields as trees to choose from; several of one field are choices between them. */
export function FacetTrees({
  facets,
  filters,
  onChange,
}: {
  readonly facets: readonly Readonly<Record<string, readonly FacetNode[]>>[];
  readonly filters: readonly FacetFilter[];
  readonly onChange: (filters: readonly FacetFilter[]) => void;
}) {
  const fields = facets.flatMap((facet) => Object.entries(facet));
  if (fields.length === 0) return <p className="hint">{text.noFacets}</p>;
  const toggle = (field: string, path: string) => {
    const rest = filters.filter((filter) => filter.field !== field || filter.path !== path);
    onChange(rest.length < filters.length ? rest : [...filters, { field, path }]);
  };
  return (
    <div className="stack">
      {fields.map(([field, nodes]) => (
        <fieldset key={field}>
          <legend>
            <h3 className="wrap">{field}</h3>
          </legend>
          <FacetLevel
            nodes={nodes}
            parent=""
            chosen={new Set(filters.filter((filter) => filter.field === field).map(({ path }) => path))}
            onToggle={(path) => toggle(field, path)}
          />
        </fieldset>
      ))}
    </div>
  );
}

interface LevelProps {
  readonly nodes: readonly FacetNode[];
  readonly parent: string;
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (path: string) => void;
}

function FacetLevel({ nodes, parent, chosen, onToggle }: LevelProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? nodes : nodes.slice(0, NODES_SHOWN);
  return (
    <>
      <ul className="facet-tree">
        {shown.map((node) => (
          <FacetBranch key={node.path} node={node} parent={parent} chosen={chosen} onToggle={onToggle} />
        ))}
      </ul>
      {shown.length < nodes.length && (
        <Button kind="plain" size="small" onClick={() => setWhole(true)}>
          {texts.moreOf(nodes.length - shown.length)}
        </Button>
      )}
    </>
  );
}

function FacetBranch({
  node,
  parent,
  chosen,
  onToggle,
}: Omit<LevelProps, "nodes"> & { readonly node: FacetNode }) {
  const { path, count, children = [] } = node;
  const [isOpen, setOpen] = useState(false);
  const isDrawn = isOpen || [...chosen].some((each) => each.startsWith(`${path}/`));
  return (
    <li>
      <div className="facet-node">
        {children.length > 0 ? (
          <Button
            kind="plain"
            icon="open"
            className={isDrawn ? "turned" : ""}
            label={text.expand(path)}
            aria-expanded={isDrawn}
            onClick={() => setOpen(!isDrawn)}
          />
        ) : (
          <span className="facet-space" />
        )}
        <label>
          <input type="checkbox" checked={chosen.has(path)} onChange={() => onToggle(path)} />
          <span dir="auto">{path.slice(parent.length + 1)}</span>
          <span className="facet-count">{formatNumber(count)}</span>
        </label>
      </div>
      {isDrawn && children.length > 0 && (
        <FacetLevel nodes={children} parent={path} chosen={chosen} onToggle={onToggle} />
      )}
    </li>
  );
}
