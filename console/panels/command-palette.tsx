import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { createPath } from "../api/deed-path.js";
import { useIndexNames } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Dialog } from "../ui/dialog.js";
import type { ShownPage } from "./shown-page.js";

interface Command {
  readonly label: string;
  readonly path: string;
}

const SHOWN = 12;

/** Pages, and what can be done with each index, found by a few letters. */
export default function CommandPalette({
  pages,
  onClose,
}: {
  readonly pages: readonly ShownPage[];
  readonly onClose: () => void;
}) {
  const [, go] = useLocation();
  const { may } = useSession();
  const { data: names = [] } = useIndexNames();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);

  const commands = useMemo((): readonly Command[] => {
    const deed = (page: string, label: string, path: string): Command => ({
      label: texts.shell.command(page, label),
      path,
    });
    const { pages: named, indexes, operations } = texts;
    const deeds = [
      ...(may.createIndexes ? [deed(named.index, indexes.create, "/index/new")] : []),
      ...(may.federations
        ? [deed(named.federations, texts.federations.create, createPath("/federations"))]
        : []),
      ...(may.keys ? [deed(named.keys, texts.keys.create, createPath("/keys"))] : []),
      ...(may.operate
        ? Object.entries(operations.tabs).map(([tab, label]) =>
            deed(named.operations, label, `/operations?tab=${tab}`),
          )
        : []),
      deed(named.api, texts.api.manual, "/api/manual"),
    ];
    const ofIndexes = names.flatMap((name) => [
      ...(may.search
        ? [
            {
              label: `${texts.pages.playground}: ${name}`,
              path: `/playground?index=${encodeURIComponent(name)}`,
            },
          ]
        : []),
      ...(may.search && may.write
        ? [{ label: `${texts.pages.documents}: ${name}`, path: `/documents/${encodeURIComponent(name)}` }]
        : []),
      ...(may.changeIndexes
        ? [
            { label: `${texts.pages.index}: ${name}`, path: `/index/${encodeURIComponent(name)}` },
            ...Object.entries(indexes.tabs).map(([tab, label]) =>
              deed(`${named.index}: ${name}`, label, `/index/${encodeURIComponent(name)}?tab=${tab}`),
            ),
          ]
        : []),
      ...(may.search
        ? [{ label: `${named.summaries}: ${name}`, path: `/summaries/${encodeURIComponent(name)}` }]
        : []),
    ]);
    return [...pages.map(({ label, path }) => ({ label, path })), ...deeds, ...ofIndexes];
  }, [names, pages, may]);

  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, SHOWN);
  const chosen = found[Math.min(at, found.length - 1)];
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    go(command.path);
  };

  return (
    <Dialog title={texts.shell.commands} isOpen onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-label={texts.shell.commands}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={chosen === undefined ? undefined : `palette-${found.indexOf(chosen)}`}
        autoComplete="off"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") run(chosen);
          if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
          if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
          if (event.key.startsWith("Arrow")) event.preventDefault();
        }}
      />
      <div id="palette-list" role="listbox" aria-label={texts.shell.commands} className="palette-list">
        {found.map((command, i) => (
          // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: as above.
          <div
            key={command.path}
            id={`palette-${i}`}
            role="option"
            aria-selected={command === chosen}
            className="palette-option"
            onClick={() => run(command)}
          >
            {command.label}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
