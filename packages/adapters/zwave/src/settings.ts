import { isSerialPath, misfitOf, refuseSetting } from "@ledge/port";
import Type from "typebox";
import { Compile } from "typebox/compile";

const strict = { additionalProperties: false } as const;

/** 32 bytes in base 64. */
const keyPattern = "^[A-Za-z0-9+/]{43}=$";

const Radio = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 4096 }),
    stick: Type.Optional(Type.Literal("zwave")),
    key: Type.Optional(Type.String({ pattern: keyPattern })),
  },
  strict,
);
const Settings = Type.Object(
  {
    radio: Type.Optional(Radio),
    images: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  },
  strict,
);
const validator = Compile(Settings);

/**
 * `radio`: absent until a stick is chosen. Its `path` is a serial port by its persistent name, `tcp://host:port` or
 * `esphome://host:port`. Its `key` is that of the native API of ESPHome, as the device's configuration has it. `images`: the
 * folder of firmware images for devices.
 */
export type ZWaveSettings = Readonly<Type.Static<typeof Settings>>;

/**
 * Validates the settings.
 * @param settings the adapter's part of a profile, parsed from JSON.
 * @throws AdapterError `settings`; the message starts with the path of the wrong field, such as `radio.path`.
 */
export function readSettings(settings: unknown): ZWaveSettings {
  if (!validator.Check(settings)) {
    const { steps, reason } = misfitOf(validator, settings);
    return refuseSetting(steps.join("."), reason);
  }
  const { radio } = settings;
  if (radio && !isSerialPath(radio.path, ["tcp", "esphome"]))
    refuseSetting("radio.path", "must be a serial port such as /dev/serial/by-id/x, or tcp://host:port");
  if (radio?.key !== undefined && !radio.path.startsWith("esphome://"))
    refuseSetting("radio.key", "belongs to esphome://host:port alone");
  return settings;
}
