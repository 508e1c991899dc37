/** Drawn on 24 × 24, as lines of the text's colour. */
const PATHS = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z",
  playground: "M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14zM16 16l4.500 4.500",
  documents: "M6 3h8l4 4v14H6zM14 3v5h4M9 12h6M9 16h6",
  index: "M4 6h16M4 12h16M4 18h16M8 4v4M16 10v4M10 16v4",
  federations:
    "M12 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM5 22a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM19 22a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 8v4M12 12l-6 4M12 12l6 4",
  summaries:
    "M4 5h16M4 10h16M4 15h9M16 20l1.200-2.800L20 16l-2.800-1.200L16 12l-1.200 2.800L12 16l2.800 1.200z",
  measure: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6M20 16V6",
  keys: "M14 10a4 4 0 1 0-4 4 4 4 0 0 0 4-4zM13 13l7 7M17 17l2-2",
  operations: "M4 5h16v5H4zM4 14h16v5H4zM8 7.500h.01M8 16.500h.01",
  api: "M8 7l-5 5 5 5M16 7l5 5-5 5M13.500 5l-3 14",
  close: "M6 6l12 12M18 6 6 18",
  plus: "M12 5v14M5 12h14",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12l5 5L20 7",
  alert: "M12 3 2 20h20zM12 10v4M12 17h.01",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500 19 19M5 19l1.500-1.500M17.500 6.500 19 5",
  moon: "M20 14a8 8 0 1 1-10-10 7 7 0 0 0 10 10z",
  leave: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  open: "M9 6l6 6-6 6",
  refresh: "M20 11a8 8 0 1 0-2 6M20 5v6h-6",
  upload: "M12 16V4M7 9l5-5 5 5M4 20h16",
  download: "M12 4v12M7 11l5 5 5-5M4 20h16",
  menu: "M4 6h16M4 12h16M4 18h16",
  compare: "M8 4H4v16h4M16 4h4v16h-4M12 2v20",
  save: "M6 3h12v18l-6-5-6 5z",
  busy: "M12 3a9 9 0 1 0 9 9",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
