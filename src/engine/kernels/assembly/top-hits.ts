// AssemblyScript. The best k documents of a segment: a binary heap with the worst on top.

/** Scores of which a hit must have more. Rises as hits are found. */
export let threshold: f32 = 0;

let scores: usize = 0;
let docs: usize = 0;
let limit: i32 = 0;
let length: i32 = 0;
/** Whether scores are multiplied with their documents' factors. */
let decays: bool = false;

/** By what a document's score decays; TypeScript knows. */
@external("env", "decayFactor")
declare function decayFactor(doc: i32): f32;

/** From now on, until the lists of another search are prepared, scores decay or don't. */
export function setDecay(isDecaying: bool): void {
  decays = isDecaying;
}

export function isDecaying(): bool {
  return decays;
}

/**
 * @param hitScores, hitDocs room for `k` values of 4 bytes each
 * @param k negative: all documents are taken as they come, as many as there are
 * @param least only scores above it count
 */
export function beginHits(hitScores: usize, hitDocs: usize, k: i32, least: f32): void {
  scores = hitScores;
  docs = hitDocs;
  limit = k;
  length = 0;
  threshold = least;
}

/** Whether any are wanted, so that scores matter. */
export function wantsHits(): bool {
  return limit != 0;
}

/** Whether scores decay, and that of a document, at most `bound` before it does, to no more than a limit. */
export function decaysTo(limit: f32, doc: i32, bound: f32): bool {
  return decays && bound * decayFactor(doc) <= limit;
}

/**
 * Takes a document whose score before it decays is above the threshold. Documents with equal scores come
 * in ascending order.
 */
export function addHit(doc: i32, undecayed: f32): void {
  if (limit == 0) return;
  let score = undecayed;
  if (decays) {
    score *= decayFactor(doc);
    if (score <= threshold) return;
  }
  if (limit < 0) {
    set(length++, score, doc);
    return;
  }
  if (length < limit) {
    let hole = length++;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!isWorse(score, doc, scoreAt(parent), docAt(parent))) break;
      set(hole, scoreAt(parent), docAt(parent));
      hole = parent;
    }
    set(hole, score, doc);
    if (length == limit) threshold = max(threshold, scoreAt(0));
    return;
  }
  sink(score, doc, length);
  threshold = max(threshold, scoreAt(0));
}

/** Adds a document, which come in any order. Its score is at least the threshold. */
export function addHitAnytime(doc: i32, undecayed: f32): void {
  if (undecayed > threshold) {
    addHit(doc, undecayed);
    return;
  }
  // As good as the worst hit, which it displaces if it comes before it.
  if (decays || limit <= 0 || length < limit) return;
  if (undecayed != scoreAt(0) || undecayed != threshold || doc >= docAt(0)) return;
  sink(undecayed, doc, length);
  threshold = max(threshold, scoreAt(0));
}

/** Puts the hits in order, best first, and returns how many there are. */
export function endHits(): i32 {
  if (limit < 0) return length;
  for (let end = length - 1; end > 0; end--) {
    const score = scoreAt(end);
    const doc = docAt(end);
    set(end, scoreAt(0), docAt(0));
    sink(score, doc, end);
  }
  return length;
}

/** Places a hit from the top down in the heap of the first `end` places. */
function sink(score: f32, doc: i32, end: i32): void {
  let hole = 0;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= end) break;
    if (child + 1 < end && isWorse(scoreAt(child + 1), docAt(child + 1), scoreAt(child), docAt(child))) child++;
    if (!isWorse(scoreAt(child), docAt(child), score, doc)) break;
    set(hole, scoreAt(child), docAt(child));
    hole = child;
  }
  set(hole, score, doc);
}

function isWorse(score: f32, doc: i32, otherScore: f32, otherDoc: i32): bool {
  return score < otherScore || (score == otherScore && doc > otherDoc);
}

function scoreAt(place: i32): f32 {
  return load<f32>(scores + (<usize>place << 2));
}

function docAt(place: i32): i32 {
  return load<i32>(docs + (<usize>place << 2));
}

function set(place: i32, score: f32, doc: i32): void {
  store<f32>(scores + (<usize>place << 2), score);
  store<i32>(docs + (<usize>place << 2), doc);
}
