// AssemblyScript. The best k documents of a segment. A few are kept in order, each new one moving those behind
// it by vectors, which mispredicts no branch; more are a binary heap with the worst on top.

/** Hits that are few, and a page of them; multiples of 4. */
const FEW: i32 = 32;
const PAGE: i32 = 12;
/** A document behind all others. */
const NO_DOC: i32 = 0x7fff_ffff;

/** Scores of which a hit must have more. Rises as hits are found. */
export let threshold: f32 = 0;

let scores: usize = 0;
let docs: usize = 0;
let limit: i32 = 0;
let length: i32 = 0;
let isFew: bool = false;
/** Bytes before the last vector of few hits. */
let lastVector: usize = 0;
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
 * @param hitScores, hitDocs room for `k` values of 4 bytes each, and 32 at least unless `k` is negative
 * @param k negative: all documents are taken as they come, as many as there are
 * @param least only scores above it count
 */
export function beginHits(hitScores: usize, hitDocs: usize, k: i32, least: f32): void {
  scores = hitScores;
  docs = hitDocs;
  limit = k;
  length = 0;
  threshold = least;
  isFew = k > 0 && k <= FEW;
  if (!isFew) return;
  lastVector = k <= PAGE ? (<usize>PAGE << 2) - 16 : (<usize>FEW << 2) - 16;
  for (let at: usize = 0; at <= lastVector; at += 16) {
    v128.store(hitScores + at, f32x4.splat(-Infinity));
    v128.store(hitDocs + at, i32x4.splat(NO_DOC));
  }
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
  if (isFew) {
    insert(score, doc);
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
  if (isFew && !decays) {
    const isTied = length == limit && undecayed == threshold && undecayed == scoreAt(limit - 1);
    if (undecayed > threshold || isTied) insert(undecayed, doc);
    return;
  }
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

/**
 * Puts a hit where it belongs among few. Each place takes what it has, what the place before it has, or the new
 * one; of equal scores the first document is the better.
 */
function insert(score: f32, doc: i32): void {
  const own = f32x4.splat(score);
  const ownDoc = i32x4.splat(doc);
  if (length < limit) length++;
  let at = lastVector;
  let hitScores = v128.load(scores + at);
  let hitDocs = v128.load(docs + at);
  let isBehind = isBetter(own, ownDoc, hitScores, hitDocs);
  for (; at != 0; at -= 16) {
    const scoresBefore = v128.load(scores + at - 16);
    const docsBefore = v128.load(docs + at - 16);
    const isBehindBefore = isBetter(own, ownDoc, scoresBefore, docsBefore);
    const isMoved = v128.shuffle<i32>(isBehindBefore, isBehind, 3, 4, 5, 6);
    const movedScores = v128.bitselect(v128.shuffle<i32>(scoresBefore, hitScores, 3, 4, 5, 6), own, isMoved);
    const movedDocs = v128.bitselect(v128.shuffle<i32>(docsBefore, hitDocs, 3, 4, 5, 6), ownDoc, isMoved);
    v128.store(scores + at, v128.bitselect(movedScores, hitScores, isBehind));
    v128.store(docs + at, v128.bitselect(movedDocs, hitDocs, isBehind));
    hitScores = scoresBefore;
    hitDocs = docsBefore;
    isBehind = isBehindBefore;
  }
  const isMoved = v128.shuffle<i32>(i32x4.splat(0), isBehind, 3, 4, 5, 6);
  const movedScores = v128.bitselect(v128.shuffle<i32>(hitScores, hitScores, 0, 0, 1, 2), own, isMoved);
  const movedDocs = v128.bitselect(v128.shuffle<i32>(hitDocs, hitDocs, 0, 0, 1, 2), ownDoc, isMoved);
  v128.store(scores, v128.bitselect(movedScores, hitScores, isBehind));
  v128.store(docs, v128.bitselect(movedDocs, hitDocs, isBehind));
  threshold = max(threshold, scoreAt(limit - 1));
}

/** Lane by lane whether a document comes before those that are kept. */
function isBetter(score: v128, doc: v128, keptScores: v128, keptDocs: v128): v128 {
  return v128.or(f32x4.gt(score, keptScores), v128.and(f32x4.eq(score, keptScores), i32x4.lt_s(doc, keptDocs)));
}

/** Puts the hits in order, best first, and returns how many there are. */
export function endHits(): i32 {
  if (limit < 0 || isFew) return length;
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
