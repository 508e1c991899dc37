import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Overview, SettingView, SlowSearch } from "../../src/client/index.js";
import { useOverview } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { Backups } from "../panels/backups.js";
import { LogLines } from "../panels/log-lines.js";
import { texts } from "../texts.js";
import { type DataColumn, DataTable } from "../ui/data-table.js";
import { TextField } from "../ui/field.js";
import { formatBytes, formatMs, formatNumber } from "../ui/format.js";
import { Instant } from "../ui/instant.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { Tabs } from "../ui/tabs.js";

const Chart = lazy(() => import("../ui/chart.js"));
const text = texts.operations;

type Tab = keyof typeof text.tabs;
const TABS: readonly Tab[] = ["health", "backups", "slow", "log", "configuration", "metrics"];

export default function OperationsPage() {
  const [params, setParams] = useSearchParams();
  const asked = params.get("tab") as Tab | null;
  const tab = asked !== null && TABS.includes(asked) ? asked : "health";
  const content: Record<Tab, () => React.ReactNode> = {
    health: () => <Health />,
    backups: () => <Backups />,
    slow: () => <SlowList />,
    log: () => <LogLines />,
    configuration: () => <Settings />,
    metrics: () => <Metrics />,
  };
  return (
    <div className="page">
      <h1>{text.title}</h1>
      <Tabs
        label={text.title}
        value={tab}
        tabs={TABS.map((value) => ({ value, label: text.tabs[value], content: content[value] }))}
        onChange={(next) => setParams({ tab: next })}
      />
    </div>
  );
}

const EVERY_MS = 2_000;
const KEPT = 300;

interface Sample {
  readonly at: number;
  readonly health: Overview["health"];
}

/** Drawn live, from what is asked every two seconds. */
function Health() {
  const { data, error } = useOverview(EVERY_MS);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (data === undefined) return;
    setSamples((before) =>
      [...before, { at: Math.round(Date.now() / 1_000), health: data.health }].slice(-KEPT),
    );
  }, [data]);
  const times = useMemo(() => samples.map(({ at }) => at), [samples]);
  const charts = useMemo(
    () => [
      { label: text.memory, of: "resident_bytes", format: formatBytes } as const,
      { label: text.cpu, of: "cpu_cores", format: (value: number) => value.toFixed(2) } as const,
      { label: text.eventLoop, of: "event_loop_delay_ms", format: formatMs } as const,
      { label: text.searches, of: "searches_per_minute", format: formatNumber } as const,
    ],
    [],
  );
  if (error !== null) return <Failure error={error} />;
  return (
    <div className="stack">
      <p className="hint">{text.live}</p>
      <div className="columns">
        {charts.map(({ label, of, format }) => (
          <section key={label} className="card stack">
            <h2>{label}</h2>
            <Suspense fallback={<Loading />}>
              <LiveChart
                label={label}
                times={times}
                values={samples.map(({ health }) => health[of])}
                format={format}
              />
            </Suspense>
          </section>
        ))}
      </div>
    </div>
  );
}

function LiveChart({
  label,
  times,
  values,
  format,
}: {
  readonly label: string;
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly format: (value: number) => string;
}) {
  const series = useMemo(() => [{ label, values }], [label, values]);
  return <Chart label={label} times={times} series={series} format={format} />;
}

const SLOW_COLUMNS: readonly DataColumn<SlowSearch>[] = [
  {
    id: "time",
    header: text.time,
    isTime: true,
    value: ({ time }) => Date.parse(time),
    cell: ({ time }) => <Instant at={time} />,
  },
  {
    id: "target",
    isExtra: true,
    header: text.target,
    value: ({ index_name: index, federation_name: federation }) => index ?? federation ?? "",
    cell: ({ index_name: index, federation_name: federation }) => index ?? federation,
  },
  {
    id: "duration",
    header: text.duration,
    isNumber: true,
    value: ({ duration_ms: ms }) => ms,
    cell: ({ duration_ms: ms }) => formatMs(ms),
  },
  {
    id: "count",
    header: text.count,
    isNumber: true,
    isExtra: true,
    value: ({ count }) => count,
    cell: ({ count }) => formatNumber(count),
  },
  { id: "body", header: text.request, grow: 4, cell: ({ body }) => <code title={body}>{body}</code> },
];

function SlowList() {
  const { client } = useSession();
  const { data, error } = useQuery({
    queryKey: ["slow-searches"],
    refetchInterval: 5_000,
    queryFn: ({ signal }) => client.listSlowSearches({ signal }),
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading />;
  if (data.threshold_ms === 0) return <Empty title={text.slowOff} />;
  if (data.searches.length === 0) return <Empty title={text.slowNone(data.threshold_ms)} />;
  return (
    <DataTable
      label={text.tabs.slow}
      rows={data.searches}
      columns={SLOW_COLUMNS}
      keyOf={({ time, body }) => time + body}
    />
  );
}

const SETTING_COLUMNS: readonly DataColumn<SettingView>[] = [
  {
    id: "name",
    header: text.setting,
    value: ({ environment_name: name }) => name,
    cell: ({ environment_name: name }) => <code>{name}</code>,
    grow: 1.6,
  },
  {
    id: "value",
    header: text.value,
    value: ({ value }) => value,
    cell: ({ value, is_default: isDefault }) => (
      <>
        {value === "" ? <span className="soft">{text.notSet}</span> : <span title={value}>{value}</span>}{" "}
        {!isDefault && <span className="badge badge-accent">{text.changed}</span>}
      </>
    ),
  },
  {
    id: "description",
    header: texts.description,
    isExtra: true,
    cell: ({ description }) => (
      <span className="soft" title={description}>
        {description}
      </span>
    ),
    grow: 3,
  },
];

function Settings() {
  const { client } = useSession();
  const [filter, setFilter] = useState("");
  const { data, error } = useQuery({
    queryKey: ["configuration"],
    queryFn: ({ signal }) => client.getConfiguration({ signal }),
  });
  const shown = useMemo(
    () =>
      (data?.settings ?? []).filter((setting) =>
        `${setting.environment_name} ${setting.description}`.toLowerCase().includes(filter.toLowerCase()),
      ),
    [data, filter],
  );
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <div className="stack">
      <TextField
        label={text.settingsFilter}
        type="search"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <DataTable
        label={text.tabs.configuration}
        rows={shown}
        columns={SETTING_COLUMNS}
        keyOf={({ name }) => name}
        height={720}
      />
      <p className="hint">
        <Link href="/api/manual/configuration">{texts.api.manual}</Link>
      </p>
    </div>
  );
}

/** Metrics of this kind have a line for each bucket. */
const BUCKET = /_bucket\{/;

function Metrics() {
  const { client } = useSession();
  const [filter, setFilter] = useState("");
  const { data, error } = useQuery({
    queryKey: ["metrics"],
    refetchInterval: 5_000,
    queryFn: ({ signal }) => client.getMetrics({ signal }),
  });
  const shown = useMemo(
    () =>
      (data ?? "")
        .split("\n")
        .filter((line) => !line.startsWith("#") && !BUCKET.test(line) && line.includes(filter))
        .join("\n"),
    [data, filter],
  );
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <div className="stack">
      <TextField
        label={text.metricsFilter}
        hint={text.metricsHint}
        type="search"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys. */}
      <pre className="code" tabIndex={0}>
        {shown}
      </pre>
    </div>
  );
}
