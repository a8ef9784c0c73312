import { isSerialPath, misfitOf, refuseSetting } from "@ledge/port";
import { lazyValidator } from "@ledge/model";
import Type from "typebox";

const strict = { additionalProperties: false } as const;

/**
 * The protocols of sticks: zstack for TI, ember for Silicon Labs, deconz for ConBee, zboss for Nordic,
 * zigate.
 */
export const stickKinds = ["zstack", "ember", "deconz", "zboss", "zigate"] as const;
export type StickKind = (typeof stickKinds)[number];

const Radio = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 4096 }),
    stick: Type.Enum([...stickKinds]),
    baudRate: Type.Optional(Type.Integer({ minimum: 300, maximum: 4_000_000 })),
    rtscts: Type.Optional(Type.Boolean()),
  },
  strict,
);
const Settings = Type.Object(
  {
    radio: Type.Optional(Radio),
    channel: Type.Optional(Type.Integer({ minimum: 11, maximum: 26 })),
    images: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    definitions: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  },
  strict,
);
const validator = lazyValidator(Settings);

/** How to reach the stick: `path` is a serial port by its persistent name, or `tcp://host:port`. */
export type RadioSettings = Readonly<Type.Static<typeof Radio>>;

/**
 * `radio`: absent until a stick is chosen. `channel`: 11 to 26, for a new network; by default the quietest
 * usual one. `images`: the folder of firmware images for devices. `definitions`: the folder of
 * definitions of models.
 */
export interface ZigbeeSettings {
  readonly radio?: RadioSettings;
  readonly channel?: number;
  readonly images?: string;
  readonly definitions?: string;
}

/**
 * Validates the settings.
 * @param settings the adapter's part of a profile, parsed from JSON.
 * @throws AdapterError `settings`; the message starts with the path of the wrong field, such as `radio.path`.
 */
export function readSettings(settings: unknown): ZigbeeSettings {
  if (!validator.Check(settings)) {
    const { steps, reason } = misfitOf(validator, settings);
    return refuseSetting(steps.join("."), reason);
  }
  const { radio } = settings;
  if (radio && !isSerialPath(radio.path, ["tcp"]))
    refuseSetting("radio.path", "must be a serial port such as /dev/serial/by-id/x, or tcp://host:port");
  return settings;
}
