/** The package's door `findling/engine`. */
export * from "../library/index.js";
