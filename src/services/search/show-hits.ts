import type { SearchHit } from "../../contract/search.js";
import { TimeSlice } from "../../intake/time-slice.js";

/** Bytes of documents that are shown in one go: picking members takes milliseconds for each megabyte, marking more. */
const BYTES_AT_ONCE = 512 * 1024;

/** The hits as they are shown, one after the other; of long documents with others' requests in between, by a promise. */
export function showHits<Hit extends { readonly docJson: Uint8Array }>(
  hits: readonly Hit[],
  show: (hit: Hit) => SearchHit,
): SearchHit[] | Promise<SearchHit[]> {
  let bytes = 0;
  for (let place = 0; place < hits.length; place++) bytes += hits[place]!.docJson.length;
  return bytes <= BYTES_AT_ONCE ? hits.map((hit) => show(hit)) : showInTurns(hits, show);
}

async function showInTurns<Hit>(hits: readonly Hit[], show: (hit: Hit) => SearchHit): Promise<SearchHit[]> {
  const slice = new TimeSlice();
  const shown: SearchHit[] = [];
  for (const hit of hits) {
    if (slice.isOver) await slice.pause();
    shown.push(show(hit));
  }
  return shown;
}
