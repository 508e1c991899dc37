import { FindlingError } from "../../../errors/index.js";

/** Where a ClickHouse server is and who asks. */
export interface ClickHouseAddress {
  /** `http://host:port`, without anything secret. */
  readonly origin: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

const FORM = "http://user:password@host:8123/database";

/** @throws FindlingError `invalid_configuration`; its message repeats nothing of the text */
export function parseClickHouseUrl(text: string): ClickHouseAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  const database = url?.pathname.slice(1) ?? "";
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    !/^[A-Za-z_][A-Za-z0-9_]*$/.test(database || "default")
  ) {
    throw new FindlingError("invalid_configuration", `measure_url must be of the form ${FORM}`);
  }
  return {
    origin: url.origin,
    username: decodeURIComponent(url.username) || "default",
    password: decodeURIComponent(url.password),
    database: database || "default",
  };
}
