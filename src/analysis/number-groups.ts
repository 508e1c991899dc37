/** Digits of a number that may be written in thousands. */
const THOUSANDS = /^\d{4,12}$/;
const ISBN = /^(?:97[89])?\d{9}[\dx]$/;

/** Digits of a book number's group and publisher, at most; what is left of nine is the title. */
const GROUP_MAX = 5;
const PUBLISHER_MIN = 2;
const PUBLISHER_MAX = 7;

/** First digits of a book number's group by its length: from, up to (the International ISBN Agency's ranges). */
const GROUPS: readonly (readonly [from: number, to: number])[] = [
  [0, 5],
  [60, 60],
  [65, 65],
  [7, 7],
  [80, 94],
  [600, 649],
  [950, 989],
  [9900, 9989],
  [99_900, 99_999],
];

/**
 * The parts of a number that is written with signs between them as often as without: in thousands (`10000` for "10,000"), or
 * a book number (`9783161484100` for "978-3-16-148410-0"), of which only registers tell where publisher and title meet, so
 * that all cuts may be. Nothing for other words.
 *
 * @param word normalized
 */
export function numberGroups(word: string): (readonly string[])[] {
  const groups: (readonly string[])[] = [];
  if (THOUSANDS.test(word)) groups.push(word.split(/(?=(?:\d{3})+$)/));
  if (ISBN.test(word) && isBookNumber(word)) groups.push(...bookNumberParts(word));
  return groups;
}

function bookNumberParts(word: string): (readonly string[])[] {
  const prefix = word.length === 13 ? [word.slice(0, 3)] : [];
  const digits = word.slice(-10, -1);
  const group = Array.from({ length: GROUP_MAX }, (_, i) => digits.slice(0, i + 1)).find(isGroup);
  if (group === undefined) return [];
  const rest = digits.slice(group.length);
  const parts: (readonly string[])[] = [];
  for (let length = PUBLISHER_MIN; length <= PUBLISHER_MAX && length < rest.length; length++)
    parts.push([...prefix, group, rest.slice(0, length), rest.slice(length), word.slice(-1)]);
  return parts;
}

function isGroup(digits: string): boolean {
  return GROUPS.some(
    ([from, to]) => digits.length === String(to).length && Number(digits) >= from && Number(digits) <= to,
  );
}

/** Whether the last digit is right: of thirteen modulo 10, of ten modulo 11 with x for ten. */
function isBookNumber(word: string): boolean {
  const isLong = word.length === 13;
  let sum = 0;
  for (let i = 0; i < word.length; i++) {
    const digit = word.charAt(i) === "x" ? 10 : Number(word.charAt(i));
    sum += digit * (isLong ? 1 + 2 * (i % 2) : word.length - i);
  }
  return isLong ? word.at(-1) !== "x" && sum % 10 === 0 : sum % 11 === 0;
}
