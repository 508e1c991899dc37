// AssemblyScript. The best k documents of a segment. A few are kept as they come, and the worst one is found
// anew by comparing four at a time, which mispredicts no branch; more are a binary heap with the worst on top.

/** Hits that are few. */
const FEW: i32 = 32;

/** Scores of which a hit must have more. Rises as hits are found. */
export let threshold: f32 = 0;

let scores: usize = 0;
let docs: usize = 0;
let limit: i32 = 0;
let length: i32 = 0;
let isFew: bool = false;
/** Place of the worst hit, once as many are kept as are wanted. */
let worst: i32 = 0;
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
 * @param hitScores, hitDocs room for `k` values of 4 bytes each, and 64 at least unless `k` is negative
 * @param k negative: all documents are taken as they come, as many as there are
 * @param least only scores above it count
 */
export function beginHits(hitScores: usize, hitDocs: usize, k: i32, least: f32): void {
  scores = hitScores;
  docs = hitDocs;
  limit = k;
  length = 0;
  threshold = least;
  worst = 0;
  isFew = k > 0 && k <= FEW;
  // Whole vectors are compared, so what is behind the last place must not be the worst.
  if (isFew && (k & 3) != 0) v128.store(hitScores + (<usize>(k & ~3) << 2), f32x4.splat(Infinity));
}

/** From now on only scores above `least` count, if that is more than before. At least k documents must have such scores, or be tied with the k-th. */
export function raiseThreshold(least: f32): void {
  if (least > threshold) threshold = least;
}

/** Whether a document that scores at most `bound` before its score decays is out of the question. */
export function decaysBelow(doc: i32, bound: f32): bool {
  return decays && bound * decayFactor(doc) * <f32>1.000001 <= threshold;
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
    if (length < limit) {
      set(length++, score, doc);
      if (length == limit) findWorst();
      return;
    }
    set(worst, score, doc);
    findWorst();
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

/** The same for documents that come in any order. Their scores are at least the threshold. */
export function addHitAnytime(doc: i32, undecayed: f32): void {
  if (undecayed > threshold) {
    addHit(doc, undecayed);
    return;
  }
  // As good as the worst hit, which it displaces if it comes before it.
  if (decays || limit <= 0 || length < limit) return;
  if (undecayed != scoreAt(worst) || undecayed != threshold || doc >= docAt(worst)) return;
  if (isFew) {
    set(worst, undecayed, doc);
    findWorst();
    return;
  }
  sink(undecayed, doc, length);
  threshold = max(threshold, scoreAt(0));
}

/** Of few hits: the worst one's place, and its score as the threshold. */
function findWorst(): void {
  const first = scores;
  const end = limit;
  let least = v128.load(first);
  for (let place = 4; place < end; place += 4) {
    least = f32x4.pmin(least, v128.load(first + (<usize>place << 2)));
  }
  least = f32x4.pmin(least, v128.shuffle<i64>(least, least, 1, 0));
  least = f32x4.pmin(least, v128.shuffle<i32>(least, least, 1, 0, 3, 2));
  let places: u32 = <u32>i32x4.bitmask(f32x4.eq(v128.load(first), least));
  for (let place = 4; place < end; place += 4) {
    places |= <u32>i32x4.bitmask(f32x4.eq(v128.load(first + (<usize>place << 2)), least)) << place;
  }
  let last = <i32>ctz(places);
  // Of those with the same score the last document is the worst.
  for (places &= places - 1; places != 0; places &= places - 1) {
    const place = <i32>ctz(places);
    if (docAt(place) > docAt(last)) last = place;
  }
  worst = last;
  const score = f32x4.extract_lane(least, 0);
  if (score > threshold) threshold = score;
}

/** Puts the hits in order, best first, and returns how many there are. */
export function endHits(): i32 {
  if (limit < 0) return length;
  if (isFew) {
    orderFew();
    return length;
  }
  for (let end = length - 1; end > 0; end--) {
    const score = scoreAt(end);
    const doc = docAt(end);
    set(end, scoreAt(0), docAt(0));
    sink(score, doc, end);
  }
  return length;
}

/** Puts few hits in order: each goes to the place that is the number of better ones. */
function orderFew(): void {
  const count = length;
  const ownScores = scores;
  const ownDocs = docs;
  const orderedScores = ownScores + (<usize>FEW << 2);
  const orderedDocs = ownDocs + (<usize>FEW << 2);
  // What is behind the last place is no better than any.
  for (let place = count; place < max(12, count + 1); place += 4) {
    v128.store(ownScores + (<usize>place << 2), f32x4.splat(-Infinity));
  }
  const scores0 = v128.load(ownScores);
  const scores1 = v128.load(ownScores, 16);
  const scores2 = v128.load(ownScores, 32);
  let places = 0;
  for (let from = 0; from < count; from++) {
    const score = load<f32>(ownScores + (<usize>from << 2));
    const own = f32x4.splat(score);
    // A page is ten hits most of the time.
    let better = i32x4.add(f32x4.gt(scores0, own), f32x4.gt(scores1, own));
    better = i32x4.add(better, f32x4.gt(scores2, own));
    for (let other = 12; other < count; other += 4) {
      better = i32x4.add(better, f32x4.gt(v128.load(ownScores + (<usize>other << 2)), own));
    }
    better = i32x4.add(better, v128.shuffle<i64>(better, better, 1, 0));
    better = i32x4.add(better, v128.shuffle<i32>(better, better, 1, 0, 3, 2));
    const place = -i32x4.extract_lane(better, 0);
    places += place;
    store<f32>(orderedScores + (<usize>place << 2), score);
    store<i32>(orderedDocs + (<usize>place << 2), load<i32>(ownDocs + (<usize>from << 2)));
  }
  if (places != (count * (count - 1)) >>> 1) {
    orderTied();
    return;
  }
  // Vectors of four, as the instruction that copies memory calls into the host.
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    v128.store(ownScores + at, v128.load(orderedScores + at));
    v128.store(ownDocs + at, v128.load(orderedDocs + at));
  }
}

/** The same where some scores are equal: by insertion. */
function orderTied(): void {
  for (let from = 1; from < length; from++) {
    const score = scoreAt(from);
    const doc = docAt(from);
    let hole = from;
    for (; hole > 0 && isWorse(scoreAt(hole - 1), docAt(hole - 1), score, doc); hole--) {
      set(hole, scoreAt(hole - 1), docAt(hole - 1));
    }
    set(hole, score, doc);
  }
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
