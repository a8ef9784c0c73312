import { limits } from "@ledge/model";
import { AdapterError } from "@ledge/port";
import Type from "typebox";
import { Compile } from "typebox/compile";

/** An event of the script, `atMs` after the start in real time. */
const ScriptEntry = Type.Object(
  {
    atMs: Type.Number({ minimum: 0 }),
    /** A device; for `plug` and `unplug` also a radio (`air`, `wire`). */
    native: Type.String({ minLength: 1 }),
    /** Holds these attributes at these values; null releases one. */
    attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** `drop` loses the next command to the device. */
    action: Type.Optional(
      Type.Union([
        Type.Literal("press"),
        Type.Literal("leak"),
        Type.Literal("smoke"),
        Type.Literal("gas"),
        Type.Literal("open"),
        Type.Literal("close"),
        Type.Literal("walk"),
        Type.Literal("unplug"),
        Type.Literal("plug"),
        Type.Literal("drop"),
      ]),
    ),
  },
  { additionalProperties: false },
);
export type ScriptEntry = Type.Static<typeof ScriptEntry>;

const Settings = Type.Object(
  {
    /** The same seed makes the same home. */
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })),
    /** How long a device takes to answer a command. */
    latencyMs: Type.Optional(Type.Number({ minimum: 0, maximum: 60_000 })),
    /** The share of commands that are lost. */
    lossRate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** Simulated seconds per second. */
    speed: Type.Optional(Type.Number({ minimum: 0.01, maximum: 3600 })),
    /** The number of devices: fewer than the home has, or more, as in a building of many such homes. */
    devices: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.devices })),
    /** Whether lamps and meters keep their state over a restart of the adapter. */
    remember: Type.Optional(Type.Boolean()),
    /** Load: reports added to those of the home, spread over its thermometers and motion sensors. */
    reportsPerSecond: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000 })),
    script: Type.Optional(Type.Array(ScriptEntry, { maxItems: 100_000 })),
  },
  { additionalProperties: false },
);
export type SimSettings = Required<Type.Static<typeof Settings>>;

const validator = Compile(Settings);

/**
 * Validates the settings and fills in defaults; undefined and null count as empty.
 * @throws AdapterError `settings`, naming the field.
 */
export function readSettings(given: unknown, deviceCount: number): SimSettings {
  const settings = given ?? {};
  if (!validator.Check(settings)) {
    const [first] = validator.Errors(settings);
    throw new AdapterError("settings", explain(first));
  }
  const defaults = {
    seed: 1,
    latencyMs: 60,
    lossRate: 0,
    speed: 1,
    devices: deviceCount,
    remember: true,
    reportsPerSecond: 0,
    script: [],
  };
  return { ...defaults, ...settings };
}

function explain(error: { instancePath: string; message: string; params?: object } | undefined): string {
  const path = (error?.instancePath ?? "")
    .replaceAll(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".")
    .replace(/^\./, "");
  const extra = Object.values(error?.params ?? {})
    .flat()
    .join(", ");
  return `${path === "" ? "settings" : path}: ${error?.message ?? "wrong"}${extra ? ` (${extra})` : ""}`;
}
