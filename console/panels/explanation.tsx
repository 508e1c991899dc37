import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { IndexView, ScoreExplanation, SearchBody } from "../../src/client/index.js";
import { type ComparedPart, comparedParts } from "../api/compared-parts.js";
import type { Document, Target } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Dialog } from "../ui/dialog.js";
import { SelectField } from "../ui/field.js";
import { formatScore } from "../ui/format.js";
import { Failure, Loading } from "../ui/states.js";
import { shownValue, titleField } from "./document-fields.js";
import type { Hit } from "./hit-list.js";

const text = texts.playground;

/** Why a hit has its score, drawn, and why it comes before another one: the parts of both side by side. */
export function Explanation({
  target,
  body,
  at,
  hits,
  view,
  onClose,
}: {
  readonly target: Target;
  readonly body: SearchBody;
  /** The hit's place on the page. */
  readonly at: number;
  /** Those of the page. */
  readonly hits: readonly Hit[];
  readonly view: IndexView | undefined;
  readonly onClose: () => void;
}) {
  // The next one, or the one before the last.
  const [otherAt, setOtherAt] = useState(at + 1 < hits.length ? at + 1 : at - 1);
  const one = useExplained(target, body, at);
  const other = useExplained(target, body, otherAt);
  const nameOf = (doc: Document): string => {
    const field = titleField(doc, view);
    return field === undefined ? "?" : shownValue(doc[field]);
  };
  const { error, data: hit } = one;
  const beside = other.data;
  const ahead = (hit?.score ?? 0) - (beside?.score ?? 0);
  return (
    <Dialog
      size="side"
      title={hit === undefined ? texts.loading : text.whyTitle(nameOf(hit.doc))}
      isOpen
      onClose={onClose}
    >
      {error !== null && <Failure error={error} />}
      {hit === undefined && error === null && <Loading />}
      {hit?.explanation !== undefined && (
        <>
          <WhyTree node={hit.explanation} greatest={hit.explanation.value} />
          {hits.length > 1 && (
            <SelectField
              label={text.compareWith}
              value={otherAt}
              onChange={(event) => setOtherAt(Number(event.target.value))}
            >
              {hits.map(({ document_id: id, doc }, place) =>
                place === at ? null : (
                  <option key={id} value={place}>
                    {(body.offset ?? 0) + place + 1}. {nameOf(doc)}
                  </option>
                ),
              )}
            </SelectField>
          )}
          {other.error !== null && <Failure error={other.error} />}
          {beside?.explanation !== undefined && (
            <>
              <p className="hint">
                {(ahead >= 0 ? text.whyNext : text.whyBehind)(
                  formatScore(Math.abs(ahead)),
                  nameOf(beside.doc),
                )}
              </p>
              <Parts
                names={[nameOf(hit.doc), nameOf(beside.doc)]}
                parts={comparedParts(hit.explanation, beside.explanation)}
              />
              <details className="fold">
                <summary>{text.whyTitle(nameOf(beside.doc))}</summary>
                <WhyTree
                  node={beside.explanation}
                  greatest={Math.max(hit.explanation.value, beside.explanation.value)}
                />
              </details>
            </>
          )}
        </>
      )}
    </Dialog>
  );
}

/** The hit at a place of the page, explained. */
function useExplained(target: Target, body: SearchBody, at: number) {
  const { client } = useSession();
  const asked: SearchBody = {
    ...body,
    explain: true,
    facets: false,
    profile: false,
    offset: (body.offset ?? 0) + at,
    limit: 1,
  };
  return useQuery({
    queryKey: ["explanation", target, JSON.stringify(asked)],
    enabled: at >= 0,
    queryFn: async ({ signal }) => {
      const { hits } =
        target.kind === "index"
          ? await client.searchIndex<Document>(target.name, asked, { signal })
          : await client.searchFederation<Document>(target.name, asked, { signal });
      return hits[0];
    },
  });
}

/** Two scores part by part, with bars. */
function Parts({
  names: [one, other],
  parts,
}: {
  readonly names: readonly [string, string];
  readonly parts: readonly ComparedPart[];
}) {
  const greatest = Math.max(...parts.flatMap((part) => [part.one ?? 0, part.other ?? 0]), Number.MIN_VALUE);
  const bar = (value: number | undefined) => (
    <td className="number">
      {value === undefined ? text.absent : formatScore(value)}
      <div className="why-track">
        <div className="why-bar" style={{ width: `${(100 * Math.max(0, value ?? 0)) / greatest}%` }} />
      </div>
    </td>
  );
  return (
    <div className="scroll-x">
      <table className="plain-table">
        <caption className="hidden">{text.compared(one, other)}</caption>
        <thead>
          <tr>
            <th scope="col">{text.part}</th>
            <th scope="col" className="number" dir="auto">
              {one}
            </th>
            <th scope="col" className="number" dir="auto">
              {other}
            </th>
            <th scope="col" className="number">
              {text.difference}
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map((part) => (
            <tr key={part.description}>
              <th scope="row" className="wrap">
                {part.description}
              </th>
              {bar(part.one)}
              {bar(part.other)}
              <td className="number">{formatDifference((part.one ?? 0) - (part.other ?? 0))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function formatDifference(by: number): string {
  return `${by > 0 ? "+" : by < 0 ? "−" : ""}${formatScore(Math.abs(by))}`;
}

/** Levels that are open at first. */
const OPEN_LEVELS = 3;

function WhyTree({
  node,
  greatest,
  level = 0,
}: {
  readonly node: ScoreExplanation;
  readonly greatest: number;
  readonly level?: number;
}) {
  const share = greatest > 0 ? Math.min(1, Math.max(0, node.value / greatest)) : 0;
  const line = (
    <>
      <div className="why-line">
        <span>{node.description}</span>
        <span className="score">{formatScore(node.value)}</span>
      </div>
      <div className="why-track">
        <div className="why-bar" style={{ width: `${share * 100}%` }} />
      </div>
    </>
  );
  const details = node.details.map((detail, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sum stay where they are.
    <WhyTree key={at} node={detail} greatest={greatest} level={level + 1} />
  ));
  if (details.length === 0) {
    return (
      <ul className="why">
        <li className="why-node">{line}</li>
      </ul>
    );
  }
  if (level >= OPEN_LEVELS) {
    return (
      <ul className="why">
        <li className="why-node">
          <details>
            <summary>{node.description}</summary>
            {details}
          </details>
        </li>
      </ul>
    );
  }
  return (
    <ul className="why">
      <li className="why-node">
        {line}
        {details}
      </li>
    </ul>
  );
}
