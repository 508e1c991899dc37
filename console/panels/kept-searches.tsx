import { useState } from "react";
import { useLocation } from "wouter";
import { type KeptSearch, useKeptSearches } from "../api/kept-searches.js";
import { type SearchState, writeSearchState } from "../api/search-state.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { TextField } from "../ui/field.js";

const text = texts.playground;

/** Searches that were saved in this browser, and the last ones. */
export function KeptSearches({ state }: { readonly state: SearchState }) {
  const { saved, recent, save, forget } = useKeptSearches();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [, go] = useLocation();
  const open = (search: KeptSearch) => {
    setOpen(false);
    go(`/playground?${search.query}`);
  };
  return (
    <>
      <Button icon="save" onClick={() => setOpen(true)}>
        {text.saved}
      </Button>
      <Dialog title={text.saved} isOpen={isOpen} onClose={() => setOpen(false)}>
        <form
          className="form-grid"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === "") return;
            save({ name: name.trim(), query: writeSearchState(state).toString() });
            setName("");
          }}
        >
          <TextField label={text.savedName} value={name} onChange={(event) => setName(event.target.value)} />
          <Button type="submit" kind="main" disabled={name.trim() === ""}>
            {text.saveThis}
          </Button>
        </form>
        <h3>{text.savedTitle}</h3>
        {saved.length === 0 && <p className="hint">{text.noneSaved}</p>}
        <SearchRows searches={saved} onOpen={open} onForget={forget} />
        {recent.length > 0 && <h3>{text.recent}</h3>}
        <SearchRows searches={recent} onOpen={open} />
      </Dialog>
    </>
  );
}

function SearchRows({
  searches,
  onOpen,
  onForget,
}: {
  readonly searches: readonly KeptSearch[];
  readonly onOpen: (search: KeptSearch) => void;
  readonly onForget?: (name: string) => void;
}) {
  return searches.map((search) => (
    <div key={search.name + search.query} className="row">
      <Button kind="plain" size="small" className="grow" onClick={() => onOpen(search)}>
        {search.name}
      </Button>
      {onForget !== undefined && (
        <Button
          kind="plain"
          size="small"
          icon="trash"
          label={`${texts.remove}: ${search.name}`}
          onClick={() => onForget(search.name)}
        />
      )}
    </div>
  ));
}
