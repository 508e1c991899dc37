import { expect, test } from "vitest";
import type { BackendHit } from "../../ports/search-backend.js";
import { showHits } from "./show-hits.js";

const hitsOf = (bytes: number): BackendHit[] =>
  Array.from({ length: 8 }, (_, i) => ({ docJson: new Uint8Array(bytes), documentId: String(i), score: 1 }));

const shownOf = ({ docJson, documentId, score }: BackendHit) => ({
  docJson,
  document_id: documentId,
  score,
  source_index: "books",
});

test("short documents are shown at once", () => {
  const hits = hitsOf(1_000);
  expect(showHits(hits, shownOf)).toEqual(hits.map(shownOf));
});

test("long ones one in a turn of the event loop, where each takes long, and in order", async () => {
  const hits = hitsOf(100_000);
  let inThisTurn = 0;
  let mostInATurn = 0;
  let isDone = false;
  const countTurn = (): void => {
    inThisTurn = 0;
    if (!isDone) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const shown = await showHits(hits, (hit) => {
    mostInATurn = Math.max(mostInATurn, ++inThisTurn);
    for (const end = performance.now() + 3; performance.now() < end; );
    return shownOf(hit);
  });
  isDone = true;
  expect(shown.map(({ document_id: id }) => id)).toEqual(hits.map(({ documentId }) => documentId));
  expect(mostInATurn).toBe(1);
});
