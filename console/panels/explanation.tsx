import { useQuery } from "@tanstack/react-query";
import type { IndexView, ScoreExplanation, SearchBody } from "../../src/client/index.js";
import type { Document, Target } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { texts } from "../texts.js";
import { Dialog } from "../ui/dialog.js";
import { formatScore } from "../ui/format.js";
import { Failure, Loading } from "../ui/states.js";
import { shownValue, titleField } from "./document-fields.js";

const text = texts.playground;

/** Why a hit has its score, drawn, and why it comes before the next one. */
export function Explanation({
  target,
  body,
  at,
  view,
  onClose,
}: {
  readonly target: Target;
  readonly body: SearchBody;
  /** The hit's place on the page. */
  readonly at: number;
  readonly view: IndexView | undefined;
  readonly onClose: () => void;
}) {
  const { client } = useSession();
  const asked: SearchBody = {
    ...body,
    explain: true,
    facets: false,
    profile: false,
    offset: (body.offset ?? 0) + at,
    limit: 2,
  };
  const { data, error } = useQuery({
    queryKey: ["explanation", target, JSON.stringify(asked)],
    queryFn: ({ signal }) =>
      target.kind === "index"
        ? client.searchIndex<Document>(target.name, asked, { signal })
        : client.searchFederation<Document>(target.name, asked, { signal }),
  });
  const [hit, next] = data?.hits ?? [];
  const nameOf = (doc: Document): string => {
    const field = titleField(doc, view);
    return field === undefined ? "?" : shownValue(doc[field]);
  };
  return (
    <Dialog
      size="side"
      title={hit === undefined ? texts.loading : text.whyTitle(nameOf(hit.doc))}
      isOpen
      onClose={onClose}
    >
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Loading />}
      {hit?.explanation !== undefined && (
        <>
          {next !== undefined && (
            <p className="hint">{text.whyNext(formatScore(hit.score - next.score), nameOf(next.doc))}</p>
          )}
          <WhyTree node={hit.explanation} greatest={hit.explanation.value} />
          {next?.explanation !== undefined && (
            <details className="fold">
              <summary>{text.whyTitle(nameOf(next.doc))}</summary>
              <WhyTree node={next.explanation} greatest={hit.explanation.value} />
            </details>
          )}
        </>
      )}
    </Dialog>
  );
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
