/** How an index of the input is cut, and how much of it is deleted. */
export interface IndexLayout {
  /** Segments of equal slices of the input, in its order. */
  readonly segments: number;
  /** Share of the documents that are deleted after everything was merged; from 0, below 1. */
  readonly deleted: number;
}

/** Another layout of the same documents, whose time is compared with the same engine's clean, single segment. */
export interface LayoutVariant {
  /** Appended to the engine's name. */
  readonly suffix: string;
  readonly label: string;
  /** What its time may be at most, relative to the clean one. */
  readonly bar: number;
  readonly layout: IndexLayout;
}

export const CLEAN_LAYOUT: IndexLayout = { segments: 1, deleted: 0 };

const DELETED_BAR = 1.3;
const SEGMENTS_BAR = 1.6;

export function layoutVariants(wanted: {
  readonly segments?: number | undefined;
  readonly deleted?: number | undefined;
}): LayoutVariant[] {
  const { segments, deleted } = wanted;
  const variants: LayoutVariant[] = [];
  if (deleted !== undefined) {
    variants.push({
      suffix: `-deleted-${deleted}`,
      label: `${Math.round(deleted * 100)} % deleted`,
      bar: DELETED_BAR,
      layout: { segments: 1, deleted },
    });
  }
  if (segments !== undefined) {
    variants.push({
      suffix: `-segments-${segments}`,
      label: `${segments} segments`,
      bar: SEGMENTS_BAR,
      layout: { segments, deleted: 0 },
    });
  }
  return variants;
}
