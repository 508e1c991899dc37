import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import type { LogLine } from "../../src/client/index.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { CheckField, Choice, TextField } from "../ui/field.js";
import { formatInstant } from "../ui/format.js";
import { Instant } from "../ui/instant.js";
import { Failure, Loading } from "../ui/states.js";

const text = texts.operations;

type Level = keyof typeof text.levels;
const EVERY_MS = 2_000;
const ROW_HEIGHT = 20;

interface ShownLine {
  readonly number: number;
  readonly level: string;
  /** When it was written; undefined where it doesn't say. */
  readonly time: string | undefined;
  readonly words: string;
}

/** The log's last lines, followed while they are looked at. */
export function LogLines() {
  const { client } = useSession();
  const [filter, setFilter] = useState("");
  const [level, setLevel] = useState<Level>("all");
  const [isFollowing, setFollowing] = useState(true);
  const { data, error } = useQuery({
    queryKey: ["log"],
    refetchInterval: isFollowing ? EVERY_MS : false,
    queryFn: ({ signal }) => client.getLog({ signal }),
  });
  const lines = useMemo(() => (data?.lines ?? []).map(shownLine), [data]);
  const shown = useMemo(
    () =>
      lines.filter(
        (line) =>
          searched(line).includes(filter.toLowerCase()) &&
          (level === "all" ||
            line.level === "error" ||
            line.level === "fatal" ||
            (level === "warn" && line.level === "warn")),
      ),
    [lines, filter, level],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  const last = shown.at(-1)?.number;
  useEffect(() => {
    if (isFollowing && last !== undefined) virtual.scrollToIndex(shown.length - 1, { align: "end" });
  }, [isFollowing, last, shown.length, virtual]);
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <div className="stack">
      <div className="row row-end">
        <div className="grow">
          <TextField
            label={text.logFilter}
            type="search"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </div>
        <Choice
          label={text.level}
          value={level}
          options={(Object.keys(text.levels) as Level[]).map((value) => ({
            value,
            label: text.levels[value],
          }))}
          onChange={setLevel}
        />
        <CheckField
          label={text.follow}
          checked={isFollowing}
          onChange={(event) => setFollowing(event.target.checked)}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys. */}
      <section ref={scroller} className="log" aria-label={text.tabs.log} tabIndex={0}>
        {shown.length === 0 && <p className="hint">{text.noLines}</p>}
        <div className="table-body" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const line = shown[item.index]!;
            return (
              <div
                key={line.number}
                ref={virtual.measureElement}
                data-index={item.index}
                className={`log-line log-${line.level}`}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {line.time !== undefined && <Instant at={line.time} isExact />} {line.words}
              </div>
            );
          })}
        </div>
      </section>
    </div>
  );
}

/** What the filter looks in: a line as it is shown. */
function searched({ time, words }: ShownLine): string {
  return `${time === undefined ? "" : formatInstant(time)} ${words}`.toLowerCase();
}

function shownLine({ number, text: line }: LogLine): ShownLine {
  try {
    const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const members = Object.entries(rest).map(
      ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    const words = [String(level).toUpperCase(), String(msg), ...members];
    const isTime = typeof time === "string" && !Number.isNaN(Date.parse(time));
    return { number, level: String(level), time: isTime ? time : undefined, words: words.join(" ") };
  } catch {
    return { number, level: "info", time: undefined, words: line };
  }
}
