import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { useRefresh, useSynonyms } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { type DataColumn, DataTable } from "../ui/data-table.js";
import { Dialog } from "../ui/dialog.js";
import { TextArea, TextField } from "../ui/field.js";
import { FileButton } from "../ui/file-button.js";
import { formatNumber } from "../ui/format.js";
import { Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";
import { AddSynonym } from "./add-synonym.js";

const text = texts.synonyms;

/** What a server takes at a time unless its operator lets it take less. */
const LINES_PER_REQUEST = 5_000;

interface Synonym {
  readonly word: string;
  readonly terms: readonly string[];
}

/** An index's synonyms: to be added, pasted, tried and removed. */
export function SynonymTable({ index }: { readonly index: string }) {
  const { client, may } = useSession();
  const refresh = useRefresh();
  const { data, error, refetch } = useSynonyms(index);
  const [filter, setFilter] = useState("");
  const [isPasting, setPasting] = useState(false);
  const [pasted, setPasted] = useState("");
  const rows = useMemo(
    () =>
      Object.entries(data ?? {})
        .map(([word, terms]): Synonym => ({ word, terms }))
        .filter(({ word, terms }) =>
          `${word} ${terms.join(" ")}`.toLowerCase().includes(filter.toLowerCase()),
        ),
    [data, filter],
  );
  const remove = useMutation({
    mutationFn: ({ word }: Synonym) => client.deleteSynonyms(index, [escaped(word)]),
    onSuccess: async (_, { word, terms }) => {
      say({
        kind: "done",
        text: text.removed(word),
        undo: () =>
          client
            .addSynonyms(index, [`${escaped(word)}:${terms.map(escaped).join(",")}`])
            .then(() => refresh()),
      });
      await refresh();
    },
  });
  const paste = useMutation({
    mutationFn: async () => {
      const lines = linesOf(pasted);
      for (let at = 0; at < lines.length; at += LINES_PER_REQUEST)
        await client.addSynonyms(index, lines.slice(at, at + LINES_PER_REQUEST));
      return lines.length;
    },
    onSuccess: (lines) => {
      say({ kind: "done", text: text.pasted(formatNumber(lines)) });
      setPasting(false);
      setPasted("");
    },
    // Of several requests the first ones may have been taken.
    onSettled: () => refresh(),
  });
  const { mutate } = remove;
  const columns = useMemo(
    (): readonly DataColumn<Synonym>[] => [
      {
        id: "word",
        header: text.word,
        value: ({ word }) => word,
        cell: ({ word }) => <b dir="auto">{word}</b>,
      },
      {
        id: "terms",
        header: text.means,
        value: ({ terms }) => terms.join(", "),
        cell: ({ terms }) => <span dir="auto">{terms.join(", ")}</span>,
        grow: 2,
      },
      {
        id: "actions",
        header: texts.actions,
        cell: (row) => (
          <div className="row row-tools">
            <Link
              className="button button-small"
              href={`/playground?index=${encodeURIComponent(index)}&q=${encodeURIComponent(row.word)}&mode=fuzzy`}
            >
              {text.tryIt}
            </Link>
            {may.write && (
              <Button
                kind="plain"
                size="small"
                icon="trash"
                label={`${texts.remove}: ${row.word}`}
                onClick={() => mutate(row)}
              />
            )}
          </div>
        ),
      },
    ],
    [index, may.write, mutate],
  );
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    <div className="stack">
      {may.write && (
        <section className="card stack">
          <AddSynonym index={index} />
          <div className="row">
            <p className="hint grow">
              {text.meansHint}. {text.atOnce}
            </p>
            <Button size="small" onClick={() => setPasting(true)}>
              {text.paste}
            </Button>
          </div>
        </section>
      )}
      {Object.keys(data).length === 0 ? (
        <p className="hint">{text.none}</p>
      ) : (
        <>
          <TextField
            label={text.filter}
            isLabelHidden
            type="search"
            placeholder={text.filter}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <DataTable label={text.title} rows={rows} columns={columns} keyOf={({ word }) => word} />
        </>
      )}
      <Dialog title={text.paste} isOpen={isPasting} onClose={() => setPasting(false)}>
        <TextArea label={text.title} hint={text.pasteHint} rows={12} value={pasted} onChange={setPasted} />
        {paste.error !== null && <Failure error={paste.error} />}
        <div className="actions">
          <FileButton
            label={text.fromFile}
            accept=".txt,.csv"
            onFile={(file) => void file.text().then((lines) => setPasted(lines.replace(/^\uFEFF/, "")))}
          />
          <div className="grow" />
          <Button onClick={() => setPasting(false)}>{texts.cancel}</Button>
          <Button
            kind="main"
            disabled={linesOf(pasted).length === 0}
            isBusy={paste.isPending}
            onClick={() => paste.mutate()}
          >
            {texts.add}
          </Button>
        </div>
      </Dialog>
    </div>
  );
}

function linesOf(pasted: string): string[] {
  return pasted
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function escaped(term: string): string {
  return term.replace(/[\\:,]/g, "\\$&");
}
