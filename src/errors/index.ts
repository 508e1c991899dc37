export { ERROR_CODES, type ErrorCode } from "./error-codes.js";
export {
  CorruptionError,
  type ErrorItem,
  FindlingError,
} from "./findling-error.js";
export {
  loadOptional,
  missingText,
  OPTIONAL_PACKAGES,
  type OptionalPackage,
} from "./optional-packages.js";
