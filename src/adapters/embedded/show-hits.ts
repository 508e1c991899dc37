import type { Analyzer } from "../../analysis/analyzer.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { bytesOfJson, parsedDocument, textOfJson } from "../../contract/document-json.js";
import { pickJsonMembers } from "../../contract/json-members.js";
import type { EngineSchema, Searcher } from "../../engine/server-door.js";
import type { BackendHit } from "../../ports/search-backend.js";
import { Highlighter } from "../../query/highlight/highlighter.js";
import type { SearchPlan } from "../../query/search-plan.js";
import type { SearchAdmission } from "./search-patience.js";

/** What a byte of a document costs whose members are picked, and of one in which something is highlighted. */
const PICKED_MICROSECONDS = 0.01;
const HIGHLIGHTED_MICROSECONDS = 0.04;

/** A member of a search whose hits are shown as its plan says. */
export interface ShownMember {
  readonly searcher: Pick<Searcher, "schema">;
  readonly plan: Pick<SearchPlan, "ast" | "hitParts">;
}

/**
 * The hits with their documents cut down to the fields that the plan names, and with highlights.
 *
 * @param memberOf whose a hit is
 * @throws TooDear if the admission says so; FindlingError `search_timeout`
 */
export function showHits<Hit extends BackendHit>(
  hits: readonly Hit[],
  memberOf: (hit: Hit) => ShownMember,
  admission: SearchAdmission,
): readonly Hit[] {
  let microseconds = 0;
  for (const hit of hits) {
    const { hitParts } = memberOf(hit).plan;
    if (hitParts !== undefined) microseconds += costOf(hit, hitParts);
  }
  if (microseconds === 0) return hits;
  admission.admit(microseconds);
  const views = new Map<ShownMember, HitView>();
  return hits.map((hit) => {
    const member = memberOf(hit);
    if (member.plan.hitParts === undefined) return hit;
    let view = views.get(member);
    if (view === undefined) views.set(member, (view = new HitView(member, member.plan.hitParts, admission)));
    admission.interrupt.check();
    return view.show(hit);
  });
}

function costOf({ docJson }: BackendHit, { fields, highlight }: NonNullable<SearchPlan["hitParts"]>): number {
  const picked = fields === undefined ? 0 : PICKED_MICROSECONDS;
  return docJson.length * (picked + (highlight === undefined ? 0 : HIGHLIGHTED_MICROSECONDS));
}

/** How one member's hits on one page are shown. */
class HitView {
  readonly #fields: ReadonlySet<string> | null;
  readonly #highlighter: Highlighter | null;

  constructor(
    { searcher, plan }: ShownMember,
    { fields, highlight }: NonNullable<SearchPlan["hitParts"]>,
    { interrupt }: SearchAdmission,
  ) {
    this.#fields = fields === undefined ? null : new Set(fields);
    this.#highlighter =
      highlight === undefined
        ? null
        : new Highlighter(plan.ast, analyzerOf(searcher.schema), highlight, interrupt);
  }

  show<Hit extends BackendHit>(hit: Hit): Hit {
    const { docJson } = hit;
    return {
      ...hit,
      ...(this.#fields === null
        ? {}
        : { docJson: bytesOfJson(pickJsonMembers(textOfJson(docJson), this.#fields)) }),
      ...(this.#highlighter === null
        ? {}
        : {
            highlightsJson: bytesOfJson(JSON.stringify(this.#highlighter.highlight(parsedDocument(docJson)))),
          }),
    };
  }
}

function analyzerOf({ analyzer: settings }: EngineSchema): Analyzer {
  let analyzer = ANALYZERS.get(settings);
  if (analyzer === undefined) {
    analyzer = createAnalyzer(settings);
    ANALYZERS.set(settings, analyzer);
  }
  return analyzer;
}

/** What analyzers remember of words serves the searches that follow. */
const ANALYZERS = new WeakMap<EngineSchema["analyzer"], Analyzer>();
