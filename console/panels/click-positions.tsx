import type { ConversionDashboard } from "../../src/client/index.js";
import { texts } from "../texts.js";

const text = texts.measure;

/** How far down people click, term by term: the shorter a bar, the nearer the top the wanted hit stood. */
export function ClickPositions({ terms }: { readonly terms: ConversionDashboard["popular_search_terms"] }) {
  const clicked = terms.flatMap(({ search_term: term, average_click_position: position }) =>
    position === null ? [] : [{ term, position }],
  );
  const lowest = Math.max(1, ...clicked.map(({ position }) => position));
  return (
    <section className="card stack">
      <h2>{text.positions}</h2>
      <p className="hint">{clicked.length === 0 ? text.positionsNone : text.positionsHint}</p>
      {clicked.length > 0 && (
        <table className="plain-table" aria-label={text.positions}>
          <thead>
            <tr>
              <th scope="col">{text.term}</th>
              <th scope="col" className="bar-column">
                <span className="hidden">{text.positions}</span>
              </th>
              <th scope="col" className="number">
                {text.position}
              </th>
            </tr>
          </thead>
          <tbody>
            {clicked.map(({ term, position }) => (
              <tr key={term}>
                <td dir="auto">{term}</td>
                <td>
                  <div className="position-bar" style={{ width: `${(position / lowest) * 100}%` }} />
                </td>
                <td className="number">{position.toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
