export {
  type Configuration,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogFormat,
  type LogLevel,
  type SettingName,
} from "./configuration.js";
export { describeConfiguration, type SettingDescription } from "./describe-configuration.js";
export { type ConfigurationSources, loadConfiguration } from "./load-configuration.js";
export { SETTINGS, type Setting } from "./settings.js";
