import type { SearchProfile } from "../../src/client/index.js";
import { texts } from "../texts.js";
import { formatMs } from "../ui/format.js";

const text = texts.playground;

/** Where a search's time went, drawn. */
export function Phases({ profile }: { readonly profile: SearchProfile }) {
  const all = profile.phases.reduce((sum, { ms }) => sum + ms, 0) || 1;
  return (
    <div>
      <div className="phases" aria-hidden="true">
        {profile.phases.map(({ name, ms }, at) => (
          <div key={name} className={`phase-${at}`} style={{ width: `${(ms / all) * 100}%` }} />
        ))}
      </div>
      <ul className="phase-list" aria-label={text.phases}>
        {profile.phases.map(({ name, ms }, at) => (
          <li key={name}>
            <span className={`phase-dot phase-${at}`} />
            {text.phaseNames[name]} {formatMs(ms)}
          </li>
        ))}
      </ul>
    </div>
  );
}
