/** Where `findling serve` keeps everything unless told otherwise. */
export const DEFAULT_DATA_DIR = "./findling-data";

/** The data folder of a server on this machine: the one named, else the environment's, else the default. */
export function localDataDir(named: string | undefined): string {
  const fromEnvironment = process.env["FINDLING_DATA_DIR"]?.trim();
  return (
    named ?? (fromEnvironment === undefined || fromEnvironment === "" ? DEFAULT_DATA_DIR : fromEnvironment)
  );
}
