export type IntegerType = "u64" | "i64";

/** Least and greatest value of each integer type. */
export const INTEGER_LIMITS: Readonly<
  Record<IntegerType, { readonly least: bigint; readonly greatest: bigint }>
> = {
  u64: { least: 0n, greatest: 18_446_744_073_709_551_615n },
  i64: { least: -9_223_372_036_854_775_808n, greatest: 9_223_372_036_854_775_807n },
};

/** The canonical form of an integer (`CanonicalValue`): a number within ±(2^53−1), beyond it a decimal string. */
export function canonicalInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
