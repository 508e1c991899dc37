import { FindlingError } from "../errors/index.js";

/** The answer to a request whose body would take more memory than others leave. */
export function noRoomForBody(): FindlingError {
  return new FindlingError(
    "rate_limited",
    "the server has as many large requests at hand as it takes at once; send this one again in a moment",
  );
}
