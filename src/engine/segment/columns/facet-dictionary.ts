import { FindlingError } from "../../../errors/index.js";
import { GrowableU32 } from "../../bytes/growable-u32.js";
import type { SlicedWork } from "../sliced-work.js";
import type { ColumnDictionary } from "./column-dictionary.js";
import { newAncestorEnds } from "./facet-tree.js";
import type { ValueInterner } from "./value-interner.js";

/** Paths that are gone through between two pauses; a power of two. */
const PATHS_PER_STEP = 4096;

const BYTES_MAX = 0xffff_ffff;

/** A facet column's dictionary, and where in it the paths are that documents have. */
export interface FacetDictionary {
  readonly dictionary: ColumnDictionary;
  /** By id of a path. */
  readonly ordinals: Uint32Array;
}

/**
 * Paths with all those above them, which are only put in here: while documents are collected, memory is taken for the
 * paths alone that they have.
 *
 * @param ids of all paths, in the order of these
 */
export function* facetDictionary(paths: ValueInterner, ids: Uint32Array): SlicedWork<FacetDictionary> {
  const offsets = new GrowableU32();
  offsets.push(0);
  const ordinals = new Uint32Array(ids.length);
  let length = 0;
  let previous: Uint8Array = NO_PATH;
  for (let i = 0; i < ids.length; i++) {
    const path = paths.bytesOf(ids[i]!);
    // An ancestor that the path before isn't under comes between the two.
    for (const end of newAncestorEnds(path, previous)) offsets.push((length += end));
    ordinals[ids[i]!] = offsets.length - 1;
    offsets.push((length += path.length));
    previous = path;
    if ((i & (PATHS_PER_STEP - 1)) === PATHS_PER_STEP - 1) yield;
  }
  if (length > BYTES_MAX) {
    throw new FindlingError(
      "internal",
      "a column would pass 4 GiB in one segment; flush and merge into smaller segments",
    );
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  previous = NO_PATH;
  for (let i = 0; i < ids.length; i++) {
    const path = paths.bytesOf(ids[i]!);
    for (const end of newAncestorEnds(path, previous)) {
      bytes.set(path.subarray(0, end), at);
      at += end;
    }
    bytes.set(path, at);
    at += path.length;
    previous = path;
    if ((i & (PATHS_PER_STEP - 1)) === PATHS_PER_STEP - 1) yield;
  }
  return { dictionary: { bytes, offsets: offsets.toSection() }, ordinals };
}

const NO_PATH = new Uint8Array(0);
