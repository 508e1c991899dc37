import { FindlingError } from "../../errors/index.js";

/** @param path the place in the schema, such as `fields.title.type` */
export function invalidSchema(path: string, message: string): FindlingError {
  return new FindlingError("invalid_schema", message, { items: [{ path, message }] });
}
