import { useMemo } from "react";
import { texts } from "../texts.js";
import { type DataColumn, DataTable } from "../ui/data-table.js";
import { formatScore } from "../ui/format.js";
import { shownValue } from "./document-fields.js";
import type { Hit } from "./hit-list.js";

/** Columns beside the score; documents may have a thousand fields. */
const COLUMNS_MAX = 8;

export default function HitTable({
  hits,
  onOpen,
}: {
  readonly hits: readonly Hit[];
  readonly onOpen: (hit: Hit) => void;
}) {
  const columns = useMemo((): readonly DataColumn<Hit>[] => {
    const names = [...new Set(hits.flatMap(({ doc }) => Object.keys(doc).slice(0, COLUMNS_MAX)))];
    return [
      ...names.slice(0, COLUMNS_MAX).map((name) => ({
        id: name,
        header: name,
        value: ({ doc }: Hit) => {
          const value = doc[name];
          return typeof value === "number" ? value : shownValue(value ?? "");
        },
        cell: ({ doc }: Hit) => (doc[name] === undefined ? "" : shownValue(doc[name])),
      })),
      {
        id: "_score",
        header: texts.playground.score,
        isNumber: true,
        value: ({ score }) => score,
        cell: ({ score }) => formatScore(score),
      },
    ];
  }, [hits]);
  return (
    <DataTable
      label={texts.playground.title}
      rows={hits}
      columns={columns}
      keyOf={({ document_id: id }) => id}
      onOpen={onOpen}
    />
  );
}
