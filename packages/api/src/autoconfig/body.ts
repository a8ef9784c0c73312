import {
  Id,
  limits,
  Name,
  notTaken,
  RuleConfigRequest,
  RuleTimerRequest,
  ScenePresetRequest,
  unchangedIfNull,
} from "@ledge/model";
import { type Problem, problemsOf } from "@ledge/link";
import Type from "typebox";
import { ProtocolCommand } from "../protocol-command.ts";
import { validatorOf } from "../validator.ts";

/** A name in the configuration for one of its own objects, or the id of one that the hub has. */
const Ref = Type.String({ minLength: 1, maxLength: limits.idChars });

/** MODBUS_DEVICE, a BASE_DEVICE (wire-facts 3); `port` names the line where there are several. */
const ModbusDevice = Type.Object({
  type: Type.Literal("MODBUS_DEVICE"),
  address: Type.Integer({ minimum: 1, maximum: 247 }),
  register: Type.Integer({ minimum: 0, maximum: 0xffff }),
  register_type: Type.Integer(),
  device_type: Type.String({ maxLength: limits.nameChars }),
  vendor_name: unchangedIfNull(Type.String({ maxLength: limits.nameChars })),
  model_name: unchangedIfNull(Type.String({ maxLength: limits.nameChars })),
  port: unchangedIfNull(Type.String({ maxLength: limits.nameChars })),
  /** A device that is at that place already is the one that is meant. */
  always_create: unchangedIfNull(Type.Literal(false)),
  controller_ref: notTaken,
  bacnetIds: unchangedIfNull(Type.Array(Type.Unknown(), { maxItems: 0 })),
});
export type ModbusDevice = Type.Static<typeof ModbusDevice>;

const DeviceMeta = Type.Object({
  type: Type.Literal("CMD_DEVICE_META"),
  /** Its key says which device. */
  id: unchangedIfNull(Type.Literal("")),
  name: unchangedIfNull(Name),
  room: unchangedIfNull(Type.Array(Ref, { maxItems: 1 })),
  zones: unchangedIfNull(Type.Array(Id, { maxItems: limits.deviceZones })),
  visible: unchangedIfNull(Type.Boolean()),
  locked: unchangedIfNull(Type.Boolean()),
  hotWater: unchangedIfNull(Type.Boolean()),
  awayThreshold: notTaken,
});

export type DeviceMeta = Type.Static<typeof DeviceMeta>;

/** DC_DEVICE: without `desc` its key is the id of a device that the hub has. */
const DcDevice = Type.Object({
  desc: unchangedIfNull(ModbusDevice),
  name: unchangedIfNull(Name),
  room: unchangedIfNull(Name),
  locked: unchangedIfNull(Type.Boolean()),
  visible: unchangedIfNull(Type.Boolean()),
  config_commands: unchangedIfNull(Type.Array(DeviceMeta, { maxItems: limits.autoConfigDeviceCommands })),
});
export type DcDevice = Type.Static<typeof DcDevice>;

/** DC_SCENE_REF: a factory scene, or one by its name. `presets` replace those that there are. */
const DcScene = Type.Object({
  factoryScene: unchangedIfNull(Type.Union([Type.Literal("HOME"), Type.Literal("AWAY")])),
  name: unchangedIfNull(Name),
  isOn: unchangedIfNull(Type.Boolean()),
  presets: unchangedIfNull(Type.Array(ScenePresetRequest, { maxItems: limits.scenePresets })),
  requiredIds: unchangedIfNull(Type.Array(Ref, { maxItems: limits.requiredScenes })),
});
export type DcScene = Type.Static<typeof DcScene>;

/** DC_RULE_CONFIG: left alone when the hub has one of that name and type. */
const DcRule = Type.Object({
  config: RuleConfigRequest,
  on_config: unchangedIfNull(
    Type.Object({
      scenes: unchangedIfNull(Type.Array(Ref, { maxItems: limits.ruleScenes })),
      timers: unchangedIfNull(Type.Array(RuleTimerRequest, { maxItems: limits.ruleTimers })),
    }),
  ),
});
export type DcRule = Type.Static<typeof DcRule>;

/** DC_AUTO_CONFIG (hub-api 2.10, wire-facts 3). */
export const DcAutoConfig = Type.Object({
  type: unchangedIfNull(Type.Literal("DC_AUTO_CONFIG")),
  name: Name,
  hubName: unchangedIfNull(Name),
  deviceNamePrefix: unchangedIfNull(Type.String({ maxLength: limits.nameChars })),
  generateBacnetId: unchangedIfNull(Type.Literal(false)),
  modbusTcpBase: unchangedIfNull(Type.Integer({ minimum: 0, maximum: 0xffff })),
  variables: unchangedIfNull(
    Type.Record(Type.String(), Type.String({ maxLength: limits.nameChars }), {
      maxProperties: limits.autoConfigVariables,
    }),
  ),
  protocols: unchangedIfNull(Type.Array(ProtocolCommand, { maxItems: limits.autoConfigDevices })),
  removedDevices: unchangedIfNull(Type.Array(Id, { maxItems: limits.autoConfigDevices })),
  rooms: unchangedIfNull(
    Type.Object({
      type: unchangedIfNull(Type.Literal("DC_ROOM_CONFIG")),
      names: unchangedIfNull(Type.Array(Name, { maxItems: limits.rooms })),
      clear: unchangedIfNull(Type.Boolean()),
    }),
  ),
  devices: unchangedIfNull(Type.Record(Type.String(), DcDevice, { maxProperties: limits.autoConfigDevices })),
  scenes: unchangedIfNull(Type.Record(Type.String(), DcScene, { maxProperties: limits.scenes })),
  rules: unchangedIfNull(Type.Array(DcRule, { maxItems: limits.rules })),
});
export type DcAutoConfig = Type.Static<typeof DcAutoConfig>;

const whole = validatorOf(DcAutoConfig);

/** English names of the rooms that `$NAME` stands for. */
const defaultRooms = [
  "Living room",
  "Kitchen",
  "Dining room",
  "Bedroom",
  "Bathroom",
  "Toilet",
  "Sauna",
  "Hall",
  "Office",
  "Utility room",
  "Storage",
  "Garage",
  "Terrace",
  "Garden",
] as const;

/**
 * A configuration with its variables put in and its rooms by their names.
 * @returns problems where a variable or a default room is unknown, or a text with its variables is none that may be.
 */
export function filledIn(config: DcAutoConfig): { readonly config: DcAutoConfig } | readonly Problem[] {
  const problems: Problem[] = [];
  const { variables, ...rest } = config;
  const values = new Map(Object.entries(variables ?? {}));
  const put = (text: string, field: string): string => {
    const full = text.replaceAll(/\$\{([^{}]*)\}/g, (_, name: string) => {
      const value = values.get(name);
      if (value === undefined) problems.push({ field, message: `no variable ${name}` });
      return value ?? "";
    });
    return isRoomField.test(field) ? roomName(full, field, problems) : full;
  };
  const filled = mapped(rest, put, "") as DcAutoConfig;
  if (problems.length === 0 && !whole().Check(filled)) problems.push(...problemsOf(whole(), filled));
  return problems.length === 0 ? { config: filled } : problems.slice(0, limits.problems);
}

const isRoomField = /^(?:rooms\.names\.\d+|devices\..*\.room(?:\.0)?)$/;

/** `$LIVING_ROOM` is the room that the hub calls by that name in English. */
function roomName(text: string, field: string, problems: Problem[]): string {
  if (!text.startsWith("$")) return text;
  const name = defaultRooms.find((room) => room.toUpperCase().replaceAll(" ", "_") === text.slice(1));
  if (name === undefined) problems.push({ field, message: `no default room ${text}` });
  return name ?? text;
}

/** A copy with every text in it, keys aside, replaced. */
function mapped(value: unknown, put: (text: string, field: string) => string, field: string): unknown {
  if (typeof value === "string") return put(value, field);
  if (typeof value !== "object" || value === null) return value;
  const below = (name: string): string => (field === "" ? name : `${field}.${name}`);
  if (Array.isArray(value)) return value.map((item, index) => mapped(item, put, below(String(index))));
  const entries = Object.entries(value).map(([name, item]) => [name, mapped(item, put, below(name))]);
  return Object.fromEntries(entries);
}
