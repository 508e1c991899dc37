import { useState } from "react";
import type { IndexView } from "../../src/client/index.js";
import type { Answer } from "../api/queries.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { formatScore } from "../ui/format.js";
import { bodyField, shownValue, titleField } from "./document-fields.js";
import { MarkedText } from "./marked-text.js";

const text = texts.playground;

export type Hit = Answer["hits"][number];

/** Other fields that a card shows. */
const FIELDS_SHOWN = 6;

export function HitList({
  hits,
  view,
  firstRank,
  moves,
  onOpen,
  onWhy,
}: {
  readonly hits: readonly Hit[];
  readonly view: IndexView | undefined;
  readonly firstRank: number;
  /** By document id, how many places it stands above where the other list has it; null: the other doesn't have it. */
  readonly moves?: ReadonlyMap<string, number | null>;
  readonly onOpen: (hit: Hit) => void;
  readonly onWhy?: (at: number) => void;
}) {
  return (
    <ol className="hits">
      {hits.map((hit, at) => (
        <li key={hit.document_id} className="hit">
          <HitCard
            hit={hit}
            view={view}
            rank={firstRank + at}
            move={moves?.get(hit.document_id)}
            onOpen={() => onOpen(hit)}
            {...(onWhy === undefined ? {} : { onWhy: () => onWhy(at) })}
          />
        </li>
      ))}
    </ol>
  );
}

function HitCard({
  hit,
  view,
  rank,
  move,
  onOpen,
  onWhy,
}: {
  readonly hit: Hit;
  readonly view: IndexView | undefined;
  readonly rank: number;
  readonly move: number | null | undefined;
  readonly onOpen: () => void;
  readonly onWhy?: () => void;
}) {
  const [isWhole, setWhole] = useState(false);
  const { doc, highlights = {}, score, source_index: index } = hit;
  const title = titleField(doc, view);
  const body = bodyField(doc, title);
  const others = Object.entries(doc).filter(([name]) => name !== title && name !== body);
  const shown = isWhole ? others : others.slice(0, FIELDS_SHOWN);
  const shownField = (name: string) => {
    const [marked] = highlights[name] ?? [];
    return marked === undefined ? shownValue(doc[name]) : <MarkedText text={marked} />;
  };
  return (
    <>
      <div className="hit-head">
        <span className="hit-rank">{rank}</span>
        <span className="hit-title">
          <button type="button" onClick={onOpen} dir="auto">
            {title === undefined ? hit.document_id : shownField(title)}
          </button>
        </span>
        {move !== undefined && move !== 0 && <Move by={move} />}
        {view === undefined && <span className="badge">{index}</span>}
        <span className="score" title={text.score}>
          {formatScore(score)}
        </span>
        {onWhy !== undefined && (
          <Button kind="plain" size="small" onClick={onWhy}>
            {text.why}
          </Button>
        )}
      </div>
      {body !== undefined && (
        <p className="hit-text" dir="auto">
          {shownField(body)}
        </p>
      )}
      {shown.length > 0 && (
        <div className="hit-fields">
          {shown.map(([name]) => (
            <span key={name} dir="auto">
              <b>{name}</b> {shownField(name)}
            </span>
          ))}
          {!isWhole && others.length > shown.length && others.length < 200 && (
            <Button kind="plain" size="small" onClick={() => setWhole(true)}>
              {text.more(others.length - shown.length)}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function Move({ by }: { readonly by: number | null }) {
  if (by === null) return <span className="badge badge-accent">{text.moved.new}</span>;
  return by > 0 ? (
    <span className="badge badge-good">↑ {text.moved.up(by)}</span>
  ) : (
    <span className="badge badge-bad">↓ {text.moved.down(-by)}</span>
  );
}

/** How far each hit stands above its place in another list. */
export function movesAgainst(
  hits: readonly Hit[],
  others: readonly Hit[],
): ReadonlyMap<string, number | null> {
  const places = new Map(others.map(({ document_id: id }, at) => [id, at]));
  return new Map(
    hits.map(({ document_id: id }, at) => {
      const other = places.get(id);
      return [id, other === undefined ? null : other - at];
    }),
  );
}
