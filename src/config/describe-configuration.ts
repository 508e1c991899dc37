import type { Configuration } from "./configuration.js";
import { SETTINGS } from "./settings.js";

export interface SettingDescription {
  /** Member of the configuration file. */
  readonly name: string;
  readonly environmentName: string;
  readonly description: string;
  /** As it would be written in the environment; secrets masked, "" if not set. */
  readonly value: string;
  readonly isDefault: boolean;
}

/** Every setting as it stands, in the order of the documentation; safe to print. */
export function describeConfiguration(configuration: Configuration): readonly SettingDescription[] {
  return SETTINGS.map((setting) => {
    const value = configuration[setting.name];
    return {
      name: setting.fileName,
      environmentName: setting.environmentName,
      description: setting.description,
      value: setting.isSecret && value !== undefined ? "********" : written(value),
      isDefault: JSON.stringify(value) === JSON.stringify(setting.default),
    };
  });
}

function written(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "boolean") return value ? "on" : "off";
  return Array.isArray(value) ? value.join(",") : String(value);
}
