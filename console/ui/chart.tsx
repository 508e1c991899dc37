import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { texts } from "../texts.js";
import { formatInstant, formatTick, formatUtc } from "./format.js";

export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly isBars?: boolean;
  /** A paler line, for what is compared with. */
  readonly isPale?: boolean;
}

const HEIGHT = 240;
/** Pixels from tick to tick at least: those with seconds are longer than dates. */
const TICK_SPACE = 60;
const TICK_SPACE_OF_SECONDS = 92;
/** Axes of fewer seconds than these have ticks with seconds. */
const SECONDS_RANGE = 600;

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Ticks whose figures are too near one another to be written apart have one name. */
function onceEach(ticks: readonly string[]): string[] {
  return ticks.map((tick, i) => (tick === ticks[i - 1] ? "" : tick));
}

/** Figures over time, drawn on a canvas. What they say is told beside it in words, for who can't see it. */
export default function Chart({
  label,
  times,
  series,
  format,
}: {
  readonly label: string;
  /** Unix seconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current!;
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--edge"), width: 1 } };
    const bars = UPlot.paths.bars?.({ size: [0.7, 40] });
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        cursor: { y: false },
        scales: {
          // One moment alone has some room around it, for which uPlot has years.
          x: {
            range: ({ data: [moments] }, first, last) =>
              moments.length === 1 ? [moments[0]! - 30, moments[0]! + 30] : [first, last],
          },
          y: { range: (_plot, _least, greatest) => [0, greatest === 0 ? 1 : greatest * 1.1] },
        },
        axes: [
          {
            ...axis,
            space: (_plot, _axis, first, last) =>
              last - first < SECONDS_RANGE ? TICK_SPACE_OF_SECONDS : TICK_SPACE,
            values: (_plot, moments, _axis, _space, step) =>
              moments.map((moment) => formatTick(moment * 1_000, step)),
          },
          { ...axis, size: 58, values: (_plot, values) => onceEach(values.map(format)) },
        ],
        series: [
          {
            label: texts.time,
            // As it is pointed at: in the viewer's zone, and in UTC.
            value: (_plot: UPlot, moment: number | null) =>
              moment === null ? "–" : `${formatInstant(moment * 1_000)} (${formatUtc(moment * 1_000)})`,
          },
          ...series.map(({ label: name, isBars = false, isPale = false }) => ({
            label: name,
            stroke: colour(isPale ? "--strong-edge" : "--accent"),
            width: 2,
            ...(isPale ? { dash: [4, 4] } : {}),
            ...(isBars && bars !== undefined ? { fill: `${colour("--accent")}55`, paths: bars } : {}),
            points: { show: times.length < 40 && !isBars },
            value: (_plot: UPlot, value: number | null) => (value === null ? "–" : format(value)),
          })),
        ],
      },
      [[...times], ...series.map(({ values }) => [...values])],
      element,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [times, series, format]);
  const values = series[0]?.values.filter((value) => value !== null) ?? [];
  const greatest = values.length === 0 ? 0 : Math.max(...values);
  return (
    <figure className="chart-figure">
      <div ref={host} className="chart" />
      <figcaption className="hidden">
        {label}: {times.length}, max {format(greatest)}
      </figcaption>
    </figure>
  );
}
