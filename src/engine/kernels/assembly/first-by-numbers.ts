// AssemblyScript. The first documents by a number that each has, ties by doc id, those without one last.

import { numberOf } from "./ranking";

import { pace } from "./pace";

/** By doc id, `width` bytes each; 0: none. */
let numbers: usize = 0;
let width: i32 = 0;
let isDescending: bool = false;
/** Documents in order, and what they are ordered by: room for `limit` values of 4 bytes each. */
let places: usize = 0;
let docs: usize = 0;
let limit: i32 = 0;
let length: i32 = 0;
/** Place of the last document, once there are as many as wanted: only those before it count. */
let last: u32 = 0;

function begin(address: usize, bytes: i32, descending: i32, k: i32, placeRoom: usize, docRoom: usize): void {
  numbers = address;
  width = bytes;
  isDescending = descending != 0;
  limit = k;
  places = placeRoom;
  docs = docRoom;
  length = 0;
  last = u32.MAX_VALUE;
}

/** Documents ascend from call to call. */
@inline
function offer(doc: i32): void {
  const number = numberOf(numbers, width, doc);
  const place = number == 0 ? u32.MAX_VALUE : isDescending ? u32.MAX_VALUE - 1 - number : number;
  if (place < last || length < limit) insert(place, doc);
}

function insert(place: u32, doc: i32): void {
  let hole = length < limit ? length++ : length - 1;
  for (; hole > 0 && load<u32>(places + (<usize>(hole - 1) << 2)) > place; hole--) {
    const at = <usize>hole << 2;
    store<u32>(places + at, load<u32>(places + at - 4));
    store<i32>(docs + at, load<i32>(docs + at - 4));
  }
  store<u32>(places + (<usize>hole << 2), place);
  store<i32>(docs + (<usize>hole << 2), doc);
  if (length == limit) last = load<u32>(places + (<usize>(length - 1) << 2));
}

/** Lists the first documents among the bits; returns how many there are. `k` is at least 1. */
export function firstByNumbers(
  address: usize,
  bytes: i32,
  descending: i32,
  k: i32,
  placeRoom: usize,
  docRoom: usize,
  bits: usize,
  words: i32,
): i32 {
  begin(address, bytes, descending, k, placeRoom, docRoom);
  for (let word = 0; word < words; word += 2) {
    for (let rest = load<u64>(bits + (<usize>word << 2)); rest != 0; rest &= rest - 1) {
      offer((word << 5) + <i32>ctz(rest));
    }
  }
  return length;
}

