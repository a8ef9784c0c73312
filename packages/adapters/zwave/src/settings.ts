import { AdapterError } from "@ledge/port";
import Type from "typebox";
import { Compile } from "typebox/compile";

const strict = { additionalProperties: false } as const;

const Radio = Type.Object(
  { path: Type.String({ minLength: 1, maxLength: 4096 }), stick: Type.Optional(Type.Literal("zwave")) },
  strict,
);
const Settings = Type.Object({ radio: Type.Optional(Radio) }, strict);
const validator = Compile(Settings);

/**
 * `radio`: absent until a stick is chosen. Its `path` is a serial port by its persistent name, `tcp://host:port` or
 * `esphome://host:port`.
 */
export type ZWaveSettings = Readonly<Type.Static<typeof Settings>>;

/**
 * Validates the settings.
 * @param settings the adapter's part of a profile, parsed from JSON.
 * @throws AdapterError `settings`; the message starts with the path of the wrong field, such as `radio.path`.
 */
export function readSettings(settings: unknown): ZWaveSettings {
  if (!validator.Check(settings)) throw misfit(settings);
  const path = settings.radio?.path;
  if (path !== undefined && !isPath(path))
    throw refusal("radio.path", "must be a serial port such as /dev/serial/by-id/x, or tcp://host:port");
  return settings;
}

function misfit(settings: unknown): AdapterError {
  const errors = validator.Errors(settings);
  const error = errors.find(({ keyword }) => keyword === "required" || keyword === "additionalProperties");
  if (error?.keyword === "required")
    return refusal(pathOf(error.instancePath, error.params.requiredProperties[0]), "is missing");
  if (error?.keyword === "additionalProperties")
    return refusal(pathOf(error.instancePath, error.params.additionalProperties[0]), "is unknown");
  const [first] = errors;
  return refusal(pathOf(first?.instancePath ?? ""), first?.message ?? "is invalid");
}

function pathOf(instancePath: string, last: string | undefined = ""): string {
  const steps = [...instancePath.split("/"), last].filter((step) => step !== "");
  return steps.length === 0 ? "settings" : steps.join(".");
}

function isPath(path: string): boolean {
  if (path.startsWith("/")) return !path.includes("\0");
  const url = /^(?:tcp|esphome):\/\//.test(path) ? URL.parse(path) : null;
  const isBare = url !== null && ["", "/"].includes(url.pathname) && url.search === "" && url.username === "";
  return isBare && url.hostname !== "" && url.port !== "" && url.port !== "0";
}

function refusal(path: string, reason: string): AdapterError {
  return new AdapterError("settings", `${path}: ${reason}`);
}
