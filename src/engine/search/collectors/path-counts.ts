import type { CountRoom } from "../../kernels/count-room.js";

/** What one segment has at or under its paths. */
export interface PathCounts {
  /** The paths that have any, in any order: as many as `length`, from `ordinalsStart` on. */
  readonly ordinals: Int32Array | readonly number[];
  readonly ordinalsStart: number;
  readonly length: number;
  /** Documents by ordinal. */
  readonly counts: Int32Array;
  /** What has all this in kernel memory; null if it isn't there. */
  readonly room: CountRoom | null;
}
