import type { MeasureEventDraft } from "../../../client/index.js";
import type { RandomSource } from "./random-source.js";
import { mistyped, type SampleTerm, type SampleTerms } from "./sample-terms.js";
import type { SampleVisitor } from "./sample-visitors.js";

export interface SampleSession {
  readonly id: string;
  readonly index: string;
  readonly visitor: SampleVisitor;
  /** Milliseconds since the Unix epoch. */
  readonly start: number;
}

/** The application that the sample's events say they come from; by it they are known again. */
export const SAMPLE_APPLICATION = "findling-demo";

const SEARCHES_MEAN = 1.6;
const SEARCHES_MAX = 9;
const THINKING_MS = 25_000;
const KEYSTROKES_MS = 450;
const READING_MS = 6_000;

const MISS = 0.05;
const TYPO = 0.09;
/** Who sees results while typing, and so sends a search for each pause. */
const TYPED_LIVE = 0.3;
/** The first result is clicked by so many of those who look at it, each further one by this share of that. */
const CLICK_FIRST = 0.34;
const CLICK_DECAY = 0.62;
const CLICK_ON_PHONE = 0.8;
/** Who clicks one result also clicks another. */
const CLICK_AGAIN = 0.15;

/** What one visit does: searches, some typed live or wrongly, and clicks, more likely further up. */
export function* sessionEvents(
  session: SampleSession,
  terms: SampleTerms,
  random: RandomSource,
): Generator<MeasureEventDraft> {
  let time = session.start;
  yield event(session, time, "sdk_initialized", {});
  const searches = Math.min(SEARCHES_MAX, 1 + random.poisson(SEARCHES_MEAN));
  for (let i = 0; i < searches; i++) {
    time += 1_000 + random.exponential(THINKING_MS);
    const term = random.chance(MISS) ? terms.drawMiss(random) : terms.draw(random);
    const text = random.chance(TYPO) ? mistyped(term.text, random) : term.text;
    if (random.chance(TYPED_LIVE)) {
      for (const prefix of pausesIn(text, random)) {
        yield search(session, time, prefix, term.count * (1 + text.length - prefix.length));
        time += 200 + random.exponential(KEYSTROKES_MS);
      }
    }
    yield search(session, time, text, term.count);
    for (const position of clickedPositions(term, session.visitor, random)) {
      time += 800 + random.exponential(READING_MS);
      yield event(session, time, "document_clicked", {
        search_term: text,
        external_document_id: term.results[position - 1]!,
        document_position: position,
        number_of_documents: term.count,
      });
    }
  }
}

function search(session: SampleSession, time: number, text: string, count: number): MeasureEventDraft {
  return event(session, time, "search_completed", {
    search_term: text,
    search_kind: "fuzzy",
    number_of_documents: count,
  });
}

/** What has been typed when the fingers rest. */
function pausesIn(text: string, random: RandomSource): readonly string[] {
  const lengths = Array.from({ length: Math.max(0, text.length - 3) }, (_, i) => i + 3);
  return lengths.filter(() => random.chance(0.45)).map((length) => text.slice(0, length));
}

/** Positions from 1, in the order of clicking. */
function clickedPositions(term: SampleTerm, visitor: SampleVisitor, random: RandomSource): readonly number[] {
  const clicked: number[] = [];
  let probability = CLICK_FIRST * (visitor.isOnPhone ? CLICK_ON_PHONE : 1);
  for (let position = 1; position <= term.results.length; position++, probability *= CLICK_DECAY) {
    if (!random.chance(probability)) continue;
    clicked.push(position);
    if (!random.chance(CLICK_AGAIN)) break;
  }
  return clicked;
}

function event(
  session: SampleSession,
  time: number,
  name: string,
  properties: Partial<MeasureEventDraft["properties"]>,
): MeasureEventDraft {
  return {
    event_name: name,
    received_at: Math.floor(time) / 1000,
    properties: {
      searchcraft_index_names: [session.index],
      searchcraft_application_id: SAMPLE_APPLICATION,
      session_id: session.id,
      ...properties,
    },
    user: session.visitor.user,
  };
}
