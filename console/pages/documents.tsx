import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { readJson } from "../../src/client/exact-json.js";
import { useIndexPath } from "../api/index-path.js";
import { type Answer, type Document, useIndexNames, useRefresh } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { shownValue, titleField } from "../panels/document-fields.js";
import { ExportDocuments } from "../panels/export-documents.js";
import { IndexPicker } from "../panels/index-picker.js";
import { PendingBar } from "../panels/pending-bar.js";
import { Upload } from "../panels/upload.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { ConfirmLoss, Dialog } from "../ui/dialog.js";
import { TextArea, TextField } from "../ui/field.js";
import { formatNumber } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { say } from "../ui/toasts.js";

const DocumentDrawer = lazy(() => import("../panels/document-drawer.js"));
const text = texts.documents;

const ALL = "*";
const PAGE = 200;
const ROW_HEIGHT = 44;
/** Rows that are placed as one: the list is measured anew with each page, which takes time for everything in it. */
const BAND_ROWS = 20;

export default function DocumentsPage() {
  const [index, setIndex] = useIndexPath("/documents");
  const { data: names } = useIndexNames();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{text.title}</h1>
        <div className="grow" />
        <IndexPicker name={index} onChange={setIndex} />
      </div>
      {index === undefined ? (
        names?.length === 0 && (
          <>
            <Empty title={texts.noIndexes} />
            <Upload index={undefined} onDone={setIndex} />
          </>
        )
      ) : (
        <Documents key={index} index={index} onIndex={setIndex} />
      )}
    </div>
  );
}

function Documents({
  index,
  onIndex,
}: {
  readonly index: string;
  readonly onIndex: (index: string) => void;
}) {
  const { client, caller } = useSession();
  const refresh = useRefresh();
  const [typed, setTyped] = useState("");
  const [filter, setFilter] = useState("");
  const [opened, setOpened] = useState<Answer["hits"][number]>();
  const [isAdding, setAdding] = useState(false);
  const [isUploading, setUploading] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [hasWritten, setWritten] = useState(false);
  const ctx = filter.trim() === "" ? ALL : filter;
  const limit = Math.min(PAGE, caller.max_result_limit);
  const pages = useInfiniteQuery({
    queryKey: ["documents", index, ctx],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      client.searchIndex<Document>(
        index,
        pageParam === undefined
          ? { query: { exact: { ctx } }, limit, cursor: true, facets: false }
          : { cursor: pageParam },
        { signal },
      ),
    getNextPageParam: (last) => last.cursor,
    // Comparing all that has come with each page that comes would take longer the more there is.
    structuralSharing: false,
  });
  const hits = useMemo(() => {
    const none: Answer["hits"] = [];
    return none.concat(...(pages.data?.pages.map((page) => page.hits) ?? []));
  }, [pages.data]);
  const count = pages.data?.pages[0]?.count;

  const remove = useMutation({
    mutationFn: () => client.deleteDocumentsByQuery(index, { exact: { ctx } }),
    onSuccess: async ({ num_removed: removed }) => {
      setDeleting(false);
      setWritten(true);
      say({ kind: "done", text: text.deleted(removed) });
      await refresh();
    },
  });
  return (
    <>
      <PendingBar index={index} hasWritten={hasWritten} />
      <section className="card stack">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setFilter(typed);
          }}
        >
          <TextField
            label={text.filter}
            type="search"
            placeholder={text.filterHint}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              if (event.target.value.trim() === "") setFilter("");
            }}
          />
        </form>
        <div className="actions">
          <Button icon="plus" onClick={() => setAdding(true)}>
            {text.add}
          </Button>
          <Button icon="upload" aria-pressed={isUploading} onClick={() => setUploading(!isUploading)}>
            {text.upload}
          </Button>
          <ExportDocuments index={index} ctx={ctx} />
          <Button
            icon="trash"
            disabled={count === undefined || count === 0}
            onClick={() => setDeleting(true)}
          >
            {text.deleteMatching}
          </Button>
        </div>
        {isUploading && (
          <Upload
            index={index}
            onDone={(name) => {
              setUploading(false);
              setWritten(true);
              if (name !== index) onIndex(name);
            }}
          />
        )}
      </section>
      {pages.error !== null && <Failure error={pages.error} onRetry={() => void pages.refetch()} />}
      {count === undefined ? (
        pages.error === null && <Loading lines={8} />
      ) : (
        <>
          <p className="soft" role="status">
            {text.count(formatNumber(count))}
            {hits.length < count && ` · ${text.loaded(formatNumber(hits.length), formatNumber(count))}`}
          </p>
          <DocumentList
            hits={hits}
            hasMore={pages.hasNextPage}
            isLoading={pages.isFetchingNextPage}
            onMore={() => void pages.fetchNextPage()}
            onOpen={setOpened}
          />
        </>
      )}
      {opened !== undefined && (
        <Suspense>
          <DocumentDrawer
            index={index}
            documentId={opened.document_id}
            document={opened.doc}
            onClose={() => {
              setOpened(undefined);
              setWritten(true);
            }}
          />
        </Suspense>
      )}
      <AddDocuments
        index={index}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onAdded={() => setWritten(true)}
      />
      <ConfirmLoss
        title={text.deleteMatching}
        loss={text.deleteCount(formatNumber(count ?? 0), index)}
        name={index}
        action={text.deleteMatching}
        isOpen={isDeleting}
        isBusy={remove.isPending}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutate()}
      />
    </>
  );
}

function DocumentList({
  hits,
  hasMore,
  isLoading,
  onMore,
  onOpen,
}: {
  readonly hits: Answer["hits"];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly onMore: () => void;
  readonly onOpen: (hit: Answer["hits"][number]) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: Math.ceil(hits.length / BAND_ROWS),
    getScrollElement: () => scroller.current,
    estimateSize: () => BAND_ROWS * ROW_HEIGHT,
    overscan: 1,
  });
  const bands = virtual.getVirtualItems();
  const first = (bands[0]?.index ?? 0) * BAND_ROWS;
  const end = Math.min(hits.length, ((bands.at(-1)?.index ?? -1) + 1) * BAND_ROWS);
  if (hasMore && !isLoading && end === hits.length) queueMicrotask(onMore);
  return (
    <div ref={scroller} className="table-scroller document-list" tabIndex={-1}>
      <div className="table-body" style={{ height: hits.length * ROW_HEIGHT }}>
        {hits.slice(first, end).map((hit, i) => {
          const title = titleField(hit.doc, undefined);
          const others = Object.entries(hit.doc)
            .filter(([name]) => name !== title)
            .slice(0, 6);
          return (
            <button
              key={hit.document_id}
              type="button"
              className="document-row"
              style={{ transform: `translateY(${(first + i) * ROW_HEIGHT}px)` }}
              onClick={() => onOpen(hit)}
            >
              <b dir="auto">{title === undefined ? hit.document_id : shownValue(hit.doc[title])}</b>
              <span className="soft" dir="auto">
                {others.map(([name, value]) => `${name}: ${shownValue(value)}`).join(" · ")}
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

function AddDocuments({
  index,
  isOpen,
  onClose,
  onAdded,
}: {
  readonly index: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}) {
  const { client } = useSession();
  const refresh = useRefresh();
  const [json, setJson] = useState("");
  const add = useMutation({
    mutationFn: () => client.addDocuments(index, parsedDocuments(json)),
    onSuccess: async ({ num_added: added }) => {
      say({ kind: "done", text: text.added(added) });
      setJson("");
      onAdded();
      onClose();
      await refresh();
    },
  });
  return (
    <Dialog title={text.add} isOpen={isOpen} onClose={onClose} size="wide">
      <TextArea label={text.document} hint={text.addHint} rows={14} value={json} onChange={setJson} />
      {add.error !== null && <Failure error={add.error} />}
      <div className="actions">
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button kind="main" disabled={json.trim() === ""} isBusy={add.isPending} onClick={() => add.mutate()}>
          {texts.add}
        </Button>
      </div>
    </Dialog>
  );
}

/** @throws Error in words for people */
function parsedDocuments(json: string): Document[] {
  let values: unknown;
  try {
    values = readJson(json);
  } catch (error) {
    try {
      values = json
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => readJson(line));
    } catch {
      throw new Error(text.notJson((error as Error).message));
    }
  }
  const documents = Array.isArray(values) ? (values as unknown[]) : [values];
  if (documents.some((each) => typeof each !== "object" || each === null || Array.isArray(each)))
    throw new Error(text.notObject);
  return documents as Document[];
}
