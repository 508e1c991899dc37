import {
  createSortedRowModel,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useMemo, useRef } from "react";

export interface DataColumn<Row> {
  readonly id: string;
  readonly header: string;
  /** What rows are ordered by. Absent: not by this. */
  readonly value?: (row: Row) => string | number | null;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** A moment, in words such as "2 minutes ago". */
  readonly isTime?: boolean;
  /** A share of the width beside the others; 1 unless given. */
  readonly grow?: number;
  /** Left out on narrow screens, so that the others needn't be scrolled to. */
  readonly isExtra?: boolean;
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });
const ROW_HEIGHT = 41;
/** Holds a number's heading on a narrow screen. */
const NUMBER_WIDTH = "5.6rem";
/** Holds "22 minutes ago". */
const TIME_WIDTH = "7.6rem";

/** A table that can be ordered by its columns and shows of any number of rows those that are in sight. */
export function DataTable<Row extends object>({
  label,
  rows,
  columns,
  keyOf,
  height = 560,
  onOpen,
  rowLabel,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Pixels at most; more rows are scrolled to. */
  readonly height?: number;
  readonly onOpen?: (row: Row) => void;
  readonly rowLabel?: (row: Row) => string;
}) {
  const definitions = useMemo(
    () =>
      columns.map((column) => ({
        id: column.id,
        header: column.header,
        accessorFn: (row: Row) => column.value?.(row) ?? "",
        enableSorting: column.value !== undefined,
      })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns: definitions, data, getRowId: keyOf });
  const scroller = useRef<HTMLDivElement>(null);
  const shown = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  });
  const hasExtra = columns.some(({ isExtra = false }) => isExtra);
  const template = {
    "--columns": templateOf(columns, "0"),
    "--columns-narrow": templateOf(
      columns.filter(({ isExtra = false }) => !isExtra),
      NUMBER_WIDTH,
    ),
  };
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  return (
    <div
      ref={scroller}
      className="table-scroller"
      style={{ maxHeight: height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys.
      tabIndex={0}
    >
      <div
        className={hasExtra ? "table table-narrows" : "table"}
        style={template as CSSProperties}
        role="table"
        aria-label={label}
        aria-rowcount={shown.length + 1}
      >
        <div role="rowgroup" className="table-head">
          <div role="row" className="table-row" tabIndex={-1}>
            {headers.map((header, at) => {
              const column = columns[at]!;
              const sorted = header.column.getIsSorted();
              return (
                <div
                  key={header.id}
                  role="columnheader"
                  tabIndex={-1}
                  className={cellClass(column)}
                  aria-sort={sorted === false ? "none" : sorted === "asc" ? "ascending" : "descending"}
                >
                  {column.value === undefined ? (
                    column.header
                  ) : (
                    <button type="button" className="sorter" onClick={() => header.column.toggleSorting()}>
                      {column.header}
                      <span aria-hidden="true">
                        {sorted === "asc" ? " ↑" : sorted === "desc" ? " ↓" : ""}
                      </span>
                    </button>
                  )}
                </div>
              );
            })}
          </div>
        </div>
        <div role="rowgroup" className="table-body" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = shown[item.index]!.original as Row;
            return (
              <div
                key={item.key}
                role="row"
                tabIndex={-1}
                aria-rowindex={item.index + 2}
                className={onOpen === undefined ? "table-row" : "table-row table-row-open"}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {columns.map((column, at) => (
                  <div key={column.id} role="cell" className={cellClass(column)}>
                    {at === 0 && onOpen !== undefined ? (
                      <button
                        type="button"
                        className="row-link"
                        onClick={() => onOpen(row)}
                        {...(rowLabel === undefined ? {} : { "aria-label": rowLabel(row) })}
                      >
                        {column.cell(row)}
                      </button>
                    ) : (
                      column.cell(row)
                    )}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** @param leastNumber width that columns of numbers have at least */
function templateOf(
  columns: readonly Pick<DataColumn<object>, "grow" | "isNumber" | "isTime">[],
  leastNumber: string,
): string {
  return columns
    .map(({ grow = 1, isNumber = false, isTime = false }) => {
      const least = isTime ? TIME_WIDTH : isNumber ? leastNumber : "0";
      return `minmax(${least}, ${grow}fr)`;
    })
    .join(" ");
}

function cellClass({
  isNumber = false,
  isExtra = false,
}: {
  readonly isNumber?: boolean;
  readonly isExtra?: boolean;
}): string {
  return `cell${isNumber ? " cell-number" : ""}${isExtra ? " cell-extra" : ""}`;
}
