export type { Configuration, SettingName } from "./configuration.js";
export { describeConfiguration } from "./describe-configuration.js";
export { type ConfigurationSources, loadConfiguration } from "./load-configuration.js";
export { bytesOf, memoryOfMachine } from "./memory-sizes.js";
export { serviceVariables } from "./service-variables.js";
export { SETTINGS } from "./settings.js";
