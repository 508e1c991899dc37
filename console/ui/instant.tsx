import { formatAgo, formatInstant, formatUtc } from "./format.js";

/** A moment, how long ago it was, and in UTC where it is pointed at. */
export function Instant({
  at,
  isExact = false,
}: {
  readonly at: string | number;
  readonly isExact?: boolean;
}) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={formatUtc(at)}>
      {isExact ? formatInstant(at) : formatAgo(at)}
    </time>
  );
}
