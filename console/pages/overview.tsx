import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import type { IndexOverview, Overview } from "../../src/client/index.js";
import { useIndexStats, useOverview } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { CopyButton } from "../ui/copy-button.js";
import { type DataColumn, DataTable } from "../ui/data-table.js";
import { TextField } from "../ui/field.js";
import { Figure } from "../ui/figure.js";
import { formatBytes, formatDuration, formatMs, formatNumber } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Instant } from "../ui/instant.js";
import { Empty, Failure, Loading, Notice } from "../ui/states.js";

const text = texts.overview;

export default function OverviewPage() {
  const { may } = useSession();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{text.title}</h1>
        <div className="grow" />
        {may.createIndexes && (
          <Link className="button button-main" href="/index/new">
            <Icon name="plus" />
            {text.create}
          </Link>
        )}
      </div>
      {may.operate ? <OperatorOverview /> : <LimitedOverview />}
    </div>
  );
}

function OperatorOverview() {
  const { data, error, refetch } = useOverview();
  if (data === undefined)
    return error === null ? <Loading lines={8} /> : <Failure error={error} onRetry={() => void refetch()} />;
  const { health } = data;
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      <Attention overview={data} />
      <dl className="figures">
        <Figure label={text.indexes} value={formatNumber(data.indexes.length)} />
        <Figure
          label={text.documents}
          value={formatNumber(data.indexes.reduce((sum, { document_count: count }) => sum + (count ?? 0), 0))}
        />
        <Figure label={text.searches} value={formatNumber(health.searches_per_minute)} />
        <Figure
          label={text.memory}
          value={formatBytes(health.resident_bytes)}
          share={health.resident_bytes / health.memory_bytes}
        />
        {health.disk_free_bytes !== null && health.disk_bytes !== null && (
          <Figure
            label={text.disk}
            value={formatBytes(health.disk_free_bytes)}
            share={1 - health.disk_free_bytes / health.disk_bytes}
          />
        )}
        <Figure label={text.cpu} value={text.cores(health.cpu_cores.toFixed(2))} />
        <Figure label={text.eventLoop} value={formatMs(health.event_loop_delay_ms)} />
        <Figure
          label={text.events}
          value={health.waiting_events === null ? text.off : formatNumber(health.waiting_events)}
        />
        <Figure label={text.slow} value={formatNumber(health.slow_searches)} />
      </dl>
      <IndexTable indexes={data.indexes} />
      <p className="hint">
        {text.running(
          formatDuration(Date.now() - Date.parse(data.started_at)),
          data.version,
          data.node_version.replace("v", ""),
        )}
      </p>
    </>
  );
}

/** Below this share of the disk, or this many bytes, somebody should look after it. */
const DISK_SHARE_MIN = 0.05;
const DISK_BYTES_MIN = 1024 ** 3;
const LOOP_DELAY_MS_MAX = 100;

function Attention({ overview }: { readonly overview: Overview }) {
  const { health, indexes } = overview;
  const problems: string[] = [];
  const free = health.disk_free_bytes;
  if (free !== null && (free < DISK_BYTES_MIN || free < (health.disk_bytes ?? 0) * DISK_SHARE_MIN))
    problems.push(text.attentionDisk(formatBytes(free)));
  if (health.event_loop_delay_ms > LOOP_DELAY_MS_MAX)
    problems.push(text.attentionLoop(formatMs(health.event_loop_delay_ms)));
  if (health.storage_problem !== null) problems.push(text.attentionStorage(health.storage_problem));
  if (health.is_event_store_available === false) problems.push(text.attentionStore);
  for (const { name, problem } of indexes)
    if (problem !== undefined) problems.push(text.attentionIndex(name, problem));
  for (const { name, is_being_analysed: isBeing } of indexes)
    if (isBeing) problems.push(text.analysing(name));
  const pending = indexes.filter(({ has_pending_writes: has }) => has).length;
  if (pending > 0) problems.push(text.attentionPending(pending));
  if (problems.length === 0) return null;
  return (
    <Notice kind="warning">
      <Icon name="alert" />
      <div>
        <h2>{text.attention}</h2>
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </div>
    </Notice>
  );
}

const COLUMNS: readonly DataColumn<IndexOverview>[] = [
  {
    id: "name",
    header: texts.index,
    value: ({ name, aliases = [] }) => [name, ...aliases].join(" "),
    cell: ({ name, aliases }) =>
      aliases === undefined ? (
        name
      ) : (
        <>
          {name} <span className="hint">{text.aliases(aliases)}</span>
        </>
      ),
    grow: 2.2,
  },
  {
    id: "documents",
    header: text.documents,
    isNumber: true,
    value: ({ document_count: count }) => count,
    cell: ({ document_count: count, problem }) =>
      count === null ? <span className="badge badge-bad">{problem}</span> : formatNumber(count),
  },
  {
    id: "size",
    header: text.size,
    isNumber: true,
    isExtra: true,
    value: ({ space_usage: bytes }) => bytes,
    cell: ({ space_usage: bytes }) => (bytes === null ? text.noPending : formatBytes(bytes)),
  },
  {
    id: "pending",
    header: text.pending,
    isNumber: true,
    value: ({ has_pending_writes: has, pending_added: added, pending_removed: removed }) =>
      has ? 1 + added + removed : 0,
    cell: ({ has_pending_writes: has, pending_added: added, pending_removed: removed }) =>
      has ? <span className="badge badge-warn">{text.pendingOf(added, removed)}</span> : text.noPending,
  },
  {
    id: "commit",
    header: text.lastCommit,
    isNumber: true,
    isExtra: true,
    value: ({ last_commit: at }) => (at === null ? 0 : Date.parse(at)),
    cell: ({ last_commit: at }) =>
      at === null ? <span className="soft">{text.beforeStart}</span> : <Instant at={at} />,
  },
  {
    id: "searches",
    header: text.searches,
    isNumber: true,
    isExtra: true,
    value: ({ searches_per_minute: searches }) => searches,
    cell: ({ searches_per_minute: searches }) => formatNumber(searches),
  },
];

function IndexTable({ indexes }: { readonly indexes: readonly IndexOverview[] }) {
  const [filter, setFilter] = useState("");
  const [, go] = useLocation();
  const shown = useMemo(
    () => indexes.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase())),
    [indexes, filter],
  );
  if (indexes.length === 0) return <FirstSteps />;
  return (
    <section className="stack">
      {indexes.length > 8 && (
        <TextField
          label={text.filter}
          isLabelHidden
          type="search"
          placeholder={text.filter}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <DataTable
        label={text.indexes}
        rows={shown}
        columns={COLUMNS}
        keyOf={({ name }) => name}
        onOpen={({ name }) => go(`/playground?index=${encodeURIComponent(name)}`)}
      />
    </section>
  );
}

function FirstSteps() {
  const { may } = useSession();
  return (
    <section className="card">
      <Empty title={text.firstTitle}>
        <p>{text.firstText}</p>
        <div className="row">
          <code className="code">{text.firstCommand}</code>
          <CopyButton text={text.firstCommand} />
        </div>
        {may.createIndexes && (
          <Link className="button" href="/index/new">
            <Icon name="plus" />
            {text.create}
          </Link>
        )}
      </Empty>
    </section>
  );
}

interface CountedIndex {
  readonly name: string;
  readonly count: number;
}

const LIMITED_COLUMNS: readonly DataColumn<CountedIndex>[] = [
  { id: "name", header: texts.index, value: ({ name }) => name, cell: ({ name }) => name, grow: 3 },
  {
    id: "documents",
    header: text.documents,
    isNumber: true,
    value: ({ count }) => count,
    cell: ({ count }) => formatNumber(count),
  },
];

/** For keys that may not see the server as a whole. */
function LimitedOverview() {
  const { data, error, refetch } = useIndexStats();
  const [, go] = useLocation();
  const rows = useMemo(
    () =>
      (data?.indices ?? []).flatMap((one) =>
        Object.entries(one).map(([name, { document_count: count }]) => ({ name, count })),
      ),
    [data],
  );
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading lines={5} />;
  if (rows.length === 0) return <Empty title={texts.noIndexes} />;
  return (
    <section className="stack">
      <p className="hint">{text.limited}</p>
      <DataTable
        label={text.indexes}
        rows={rows}
        columns={LIMITED_COLUMNS}
        keyOf={({ name }) => name}
        onOpen={({ name }) => go(`/playground?index=${encodeURIComponent(name)}`)}
      />
    </section>
  );
}
