/** The data folder of a server on this machine: the one named, else the environment's, else the default. */
export function localDataDir(named: string | undefined): string {
  const fromEnvironment = process.env["FINDLING_DATA_DIR"]?.trim();
  return (
    named ?? (fromEnvironment === undefined || fromEnvironment === "" ? "./findling-data" : fromEnvironment)
  );
}
