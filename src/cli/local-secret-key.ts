/** What a server of this environment encrypts secrets with; undefined if it has a file for that, or blank. */
export function localSecretKey(): string | undefined {
  const key = process.env["FINDLING_SECRET_KEY"]?.trim();
  return key === "" ? undefined : key;
}
