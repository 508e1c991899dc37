import { useId } from "react";
import { texts } from "../texts.js";

const text = texts.playground;

/** Weights go to 10 by slider, beyond by the API. */
const SLIDER_MAX = 10;
const STEP = 0.1;

/** The weight of each field, to be moved. */
export function WeightSliders({
  names,
  weights,
  onChange,
}: {
  readonly names: readonly string[];
  /** 1 where there is none. */
  readonly weights: Readonly<Record<string, number>>;
  readonly onChange: (name: string, weight: number) => void;
}) {
  const id = useId();
  return (
    <div className="stack-tight">
      {names.map((name) => {
        const weight = weights[name] ?? 1;
        return (
          <div key={name} className="weight">
            <label htmlFor={`${id}-${name}`} className="wrap">
              {name}
            </label>
            <input
              id={`${id}-${name}`}
              type="range"
              min={0}
              max={Math.max(SLIDER_MAX, weight)}
              step={STEP}
              value={weight}
              aria-label={text.weightOf(name)}
              onChange={(event) => onChange(name, Number(event.target.value))}
            />
            <output htmlFor={`${id}-${name}`}>{weight}</output>
          </div>
        );
      })}
    </div>
  );
}
