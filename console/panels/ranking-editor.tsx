import { useState } from "react";
import type { IndexView, SearchBody } from "../../src/client/index.js";
import { useSearch } from "../api/queries.js";
import { MARK_END, MARK_START } from "../api/search-state.js";
import { texts } from "../texts.js";
import { CheckField, TextField } from "../ui/field.js";
import { Failure, Loading } from "../ui/states.js";
import { HitList, movesAgainst } from "./hit-list.js";
import { WeightSliders } from "./weight-sliders.js";

const text = texts.indexes;
const HITS = 8;

export interface Ranking {
  readonly search_fields: readonly string[];
  readonly weight_multipliers: Readonly<Record<string, number>>;
}

/** Searched fields and their weights, with the order of a query as it would be. */
export function RankingEditor({
  view,
  ranking,
  onChange,
}: {
  readonly view: IndexView;
  readonly ranking: Ranking;
  readonly onChange: (ranking: Ranking) => void;
}) {
  const [query, setQuery] = useState("");
  const candidates = Object.entries(view.fields)
    .filter(([name, { type, indexed }]) => type === "text" && indexed && name !== "id")
    .map(([name]) => name);
  const { search_fields: searched, weight_multipliers: weights } = ranking;
  const body = (own: Readonly<Record<string, number>>): SearchBody | undefined =>
    query.trim() === ""
      ? undefined
      : {
          query: { fuzzy: { ctx: query } },
          limit: HITS,
          facets: false,
          weight_multipliers: own,
          highlight: { pre_tag: MARK_START, post_tag: MARK_END, fragment_size: 160, fragments: 1 },
        };
  const target = { kind: "index", name: view.name } as const;
  const now = useSearch(target, body(view.weight_multipliers));
  const then = useSearch(target, body(weights));
  return (
    <div className="columns">
      <section className="card stack">
        <div>
          <h2>{text.ranking}</h2>
          <p className="hint">{text.rankingHint}</p>
        </div>
        <fieldset className="stack-tight">
          <legend>
            <h3>{text.searchFields}</h3>
          </legend>
          {candidates.map((name) => (
            <CheckField
              key={name}
              label={name}
              checked={searched.includes(name)}
              onChange={(event) =>
                onChange({
                  ...ranking,
                  search_fields: candidates.filter((each) =>
                    each === name ? event.target.checked : searched.includes(each),
                  ),
                })
              }
            />
          ))}
        </fieldset>
        <div className="stack-tight">
          <h3>{texts.playground.weights}</h3>
          <WeightSliders
            names={searched}
            weights={weights}
            onChange={(name, weight) =>
              onChange({ ...ranking, weight_multipliers: { ...weights, [name]: weight } })
            }
          />
        </div>
      </section>
      <section className="card stack">
        <TextField
          label={text.previewQuery}
          type="search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {then.error !== null && <Failure error={then.error} />}
        {query.trim() !== "" && then.data === undefined && then.error === null && <Loading />}
        {query.trim() !== "" && then.data !== undefined && now.data !== undefined && (
          <HitList
            hits={then.data.hits}
            view={view}
            firstRank={1}
            moves={movesAgainst(then.data.hits, now.data.hits)}
            onOpen={() => undefined}
          />
        )}
      </section>
    </div>
  );
}
