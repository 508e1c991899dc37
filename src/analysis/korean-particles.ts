/**
 * Korean writes particles onto nouns, one or several: `학교에서는` is `학교`, at, as for. What is left of a
 * word without them is what people search for.
 */

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** Syllables with the same initial and vowel: one without a final consonant, then those with each. */
const FINALS = 28;
/** The final ㄹ. */
const RIEUL = 8;

/** What a particle may stand behind: anything, a final consonant, or none. */
type Place = "any" | "consonant" | "vowel" | "vowel or ㄹ";

/** Particles, and what they may stand behind. */
const PARTICLES: ReadonlyMap<string, Place> = new Map([
  ...each(
    "any",
    "에 에서 에게 에게서 의 도 만 까지 부터 처럼 보다 마다 밖에 조차 마저 하고 한테 한테서 께 께서 들 입니다",
  ),
  ...each(
    "consonant",
    "은 이 을 과 으로 으로서 으로써 이나 이랑 이라도 이라고 이라는 이란 이며 이든 이든지 이에요 이다",
  ),
  ...each("vowel", "는 가 를 와 랑 라도 라고 라는 예요"),
  ...each("vowel or ㄹ", "로 로서 로써"),
]);

const PARTICLE_LENGTH_MAX = 3;
/** Particles in a row, the plural `들` among them. */
const PARTICLES_MAX = 3;

/**
 * What a word may be without its last particles, one more of them taken off each time, the longest that
 * fits; nothing for a word without one. A particle fits where the sound before it lets it stand.
 *
 * @param word normalized
 */
export function withoutParticles(word: string): string[] {
  const bases: string[] = [];
  let base = word;
  while (bases.length < PARTICLES_MAX) {
    const length = particleLength(base);
    if (length === 0) break;
    base = base.slice(0, base.length - length);
    bases.push(base);
  }
  return bases;
}

/** UTF-16 units of the particle that a word ends in; 0 without one. */
function particleLength(word: string): number {
  if (!isSyllable(word.charCodeAt(word.length - 1))) return 0;
  for (let length = Math.min(PARTICLE_LENGTH_MAX, word.length - 1); length > 0; length--) {
    const follows = PARTICLES.get(word.slice(-length));
    if (follows === undefined) continue;
    const before = word.charCodeAt(word.length - length - 1);
    // How letters and digits of other scripts are pronounced isn't known.
    if (follows === "any" || !isSyllable(before)) return length;
    const final = (before - FIRST_SYLLABLE) % FINALS;
    const fits =
      follows === "consonant" ? final !== 0 : final === 0 || (follows === "vowel or ㄹ" && final === RIEUL);
    if (fits) return length;
  }
  return 0;
}

function isSyllable(codePoint: number): boolean {
  return codePoint >= FIRST_SYLLABLE && codePoint <= LAST_SYLLABLE;
}

function each(place: Place, particles: string): [string, Place][] {
  return particles.split(" ").map((particle) => [particle, place]);
}
