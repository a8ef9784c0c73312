import type { Command, ConfiguredKind, Reader } from "@ledge/model";
import { hasFeature, limits, SetModbusTcpMappings } from "@ledge/model";
import { problemsOf } from "@ledge/link";
import type Type from "typebox";
import { validatorOf } from "../validator.ts";
import type { Problem } from "../refused.ts";
import type { DcAutoConfig, DcDevice, DeviceMeta, DcRule, DcScene, ModbusDevice } from "./body.ts";

/** The hub's objects that names in the configuration stand for. A device is undefined until it is paired. */
export interface Refs {
  readonly devices: Map<string, string | undefined>;
  readonly scenes: Map<string, string>;
}

/** One object of a configuration. What there is to do follows from the home as the steps before have left it. */
export interface Step {
  readonly object: "hub" | "room" | "protocol" | "device" | "scene" | "rule";
  readonly name: string;
  /** Kinds of which it may create an object. */
  readonly creates: readonly ConfiguredKind[];
  /** What an adapter is asked to do before. */
  readonly request?: { readonly type: string; readonly commands: readonly object[] };
  /** Pairs a device before, unless there is one at that place. */
  readonly pairs?: Pairing;
  commands(read: Reader, refs: Refs): readonly AnyCommand[];
  /** The id of what the first command was about. */
  learn?(id: string, refs: Refs): void;
}

export interface Pairing {
  /** What the configuration calls the device; undefined where it has no further use for it. */
  readonly ref: string | undefined;
  readonly command: PairModbus;
}

/** PAIR_MODBUS (wire-facts 2.1), as far as the hub looks into it. */
export interface PairModbus {
  readonly type: "PAIR_MODBUS";
  readonly address: unknown;
  readonly register: unknown;
  readonly registerType: unknown;
  readonly port?: unknown;
  readonly [field: string]: unknown;
}

type AnyCommand = Command & Readonly<Record<string, unknown>>;

/** The steps of a configuration, or what is wrong with it as a whole. */
export function stepsOf(config: DcAutoConfig, hubId: string): readonly Step[] | readonly Problem[] {
  const problems: Problem[] = [];
  const { hubName, removedDevices, rooms, protocols, devices, scenes, rules } = config;
  const steps: Step[] = [];
  if (hubName)
    steps.push(simple("hub", hubName, [], () => [{ type: "RENAME_HUB", id: hubId, name: hubName }]));
  for (const id of removedDevices ?? []) steps.push(removal(id));
  const named = new Set([...(rooms?.names ?? []), ...Object.values(devices ?? {}).flatMap(roomsOf)]);
  if (rooms?.clear) steps.push(clearing(named));
  for (const name of named) steps.push(roomStep(name));
  for (const command of protocols ?? [])
    if (command.type !== mappingCommand) steps.push(protocolStep(command));
  for (const [ref, device] of Object.entries(devices ?? {}))
    steps.push(deviceStep(ref, device, config, problems));
  // They name devices, which are there only now.
  for (const [index, command] of (protocols ?? []).entries())
    if (command.type === mappingCommand)
      steps.push(mappingStep(command, `protocols.${index}`, config, problems));
  steps.push(...sceneSteps(scenes ?? {}, problems));
  for (const rule of rules ?? []) steps.push(ruleStep(rule));
  return problems.length > 0 ? problems.slice(0, limits.problems) : steps;
}

function simple(
  object: Step["object"],
  name: string,
  creates: Step["creates"],
  commands: Step["commands"],
): Step {
  return { object, name, creates, commands };
}

function removal(id: string): Step {
  return simple("device", id, [], (read) =>
    read.get("device", id) === undefined ? [] : [{ type: "REMOVE_DEVICE", id }],
  );
}

/** Removes the rooms that are not named: those that are stay what they are, whoever refers to them. */
function clearing(kept: ReadonlySet<string>): Step {
  return simple("room", "*", [], (read) =>
    [...read.all("room")]
      .filter(([id, { name }]) => !kept.has(name) && !kept.has(id))
      .map(([id]) => ({ type: "REMOVE_ROOM", id })),
  );
}

function roomStep(name: string): Step {
  return simple("room", name, ["room"], (read) =>
    (read.get("room", name) ?? roomNamed(name, read)) === undefined ? [{ type: "CMD_ROOM", name }] : [],
  );
}

/** Of several rooms of a name the one that comes first. */
function roomNamed(name: string, read: Reader): string | undefined {
  const found = [...read.all("room")].filter(([, room]) => room.name === name);
  return found.toSorted(([a, one], [b, other]) => one.order - other.order || (a < b ? -1 : 1))[0]?.[0];
}

function protocolStep(command: { readonly type: string; readonly [field: string]: unknown }): Step {
  const { type } = command;
  const step = simple("protocol", type, [], () => []);
  if (type === "PAIR_MODBUS") return { ...step, pairs: { ref: undefined, command: command as PairModbus } };
  return { ...step, request: { type, commands: [command] } };
}

/** The rooms that a device is to be in, by their names, or by the ids of those that the hub has. */
function roomsOf({ room, config_commands: commands }: DcDevice): string[] {
  return [...(room ? [room] : []), ...(commands ?? []).flatMap((command) => command.room ?? [])];
}

function deviceStep(ref: string, wanted: DcDevice, config: DcAutoConfig, problems: Problem[]): Step {
  const { desc, name, room, visible, locked, config_commands: commands = [] } = wanted;
  const { deviceNamePrefix, modbusTcpBase } = config;
  const shown = name ? `${deviceNamePrefix ?? ""}${name}` : undefined;
  const field = `devices.${ref}`;
  if ((shown?.length ?? 0) > limits.nameChars)
    problems.push({ field: `${field}.name`, message: `with its prefix is longer than ${limits.nameChars}` });
  const metas = [
    { name: shown, room: room ? [room] : undefined, visible, locked },
    ...(commands ?? []).map(judged),
  ];
  const step = simple("device", shown ?? ref, [], (read, { devices }) => {
    const id = devices.has(ref) ? devices.get(ref) : ref;
    if (id === undefined) return [];
    const told: AnyCommand[] = metas.map((meta) => {
      const rooms = meta.room?.map((each) => roomNamed(each, read) ?? each);
      return { ...meta, type: "CMD_DEVICE_META", id, ...(rooms && { room: rooms }) };
    });
    const isShown = typeof modbusTcpBase === "number" && hasFeature("MODBUS_TCP_SERVER", read);
    return desc && isShown ? [...told, shownAt(id, desc, modbusTcpBase)] : told;
  });
  if (!desc) return step;
  const register = desc.register + (modbusTcpBase ?? 0);
  if (register > 0xffff)
    problems.push({ field: `${field}.desc.register`, message: "with modbusTcpBase is above 65535" });
  if (shown === undefined) problems.push({ field: `${field}.name`, message: "is missing" });
  return { ...step, pairs: { ref, command: pairCommand({ ...desc, register }, shown ?? ref) } };
}

/** The command by which the hub's own Modbus TCP server shows a device at the register that it has. */
function shownAt(
  deviceId: string,
  { device_type: type, address, register, register_type }: ModbusDevice,
  base: number,
): AnyCommand {
  const shown = type === "MULTI_SENSOR" ? "temperature" : "isOn";
  // A number that stands for a model is no table.
  const registerType =
    register_type >= 1 && register_type <= 4 ? register_type : type === "MULTI_SENSOR" ? 4 : 1;
  const mapping = { deviceId, attribute: shown, registerType, register: register + base, unit: address };
  return { type: mappingCommand, add: true, mappings: [mapping] };
}

const mappingCommand = "SET_MODBUS_TCP_MAPPINGS";
const mappings = validatorOf(SetModbusTcpMappings);

/**
 * Mappings of the hub's Modbus TCP server, whose devices may be named by their keys.
 * @param place where the command stands in the configuration
 */
function mappingStep(
  command: { readonly type: string; readonly [field: string]: unknown },
  place: string,
  { modbusTcpBase }: DcAutoConfig,
  problems: Problem[],
): Step {
  const check = mappings();
  if (!check.Check(command)) {
    problems.push(
      ...problemsOf(check, command).map((each) => ({ ...each, field: `${place}.${each.field}` })),
    );
    return simple("protocol", mappingCommand, [], () => []);
  }
  const { mappings: wanted, add } = command as Type.Static<typeof SetModbusTcpMappings>;
  const base = modbusTcpBase ?? 0;
  for (const [index, { register }] of wanted.entries())
    if (register + base > 0xffff)
      problems.push({
        field: `${place}.mappings.${index}.register`,
        message: "with modbusTcpBase is above 65535",
      });
  return simple("protocol", mappingCommand, [], (_read, { devices }) => {
    const placed = wanted.flatMap((mapping) => {
      const deviceId = devices.has(mapping.deviceId) ? devices.get(mapping.deviceId) : mapping.deviceId;
      return deviceId === undefined ? [] : [{ ...mapping, deviceId, register: mapping.register + base }];
    });
    return placed.length === 0 && wanted.length > 0
      ? []
      : [{ type: mappingCommand, mappings: placed, add: add ?? null }];
  });
}

/** What of a command its schema has judged. */
function judged({
  name = null,
  room = null,
  zones = null,
  visible = null,
  locked = null,
  hotWater = null,
}: DeviceMeta): Omit<DeviceMeta, "type" | "id" | "awayThreshold"> {
  return { name, room, zones, visible, locked, hotWater };
}

function pairCommand(device: ModbusDevice, name: string): PairModbus {
  const { address, register, register_type: registerType, device_type: deviceType, port } = device;
  const maker = { manufacturer: device.vendor_name || null, model: device.model_name || null };
  const fixed = { readDeviceIdSupported: false, registerRequired: true };
  const place = { address, register, registerType, ...(port && { port }) };
  return { type: "PAIR_MODBUS", name, deviceType, ...maker, ...place, ...fixed };
}

/** Each scene after those that it requires. */
function sceneSteps(scenes: Readonly<Record<string, DcScene>>, problems: Problem[]): Step[] {
  const steps: Step[] = [];
  const placed = new Set<string>();
  const place = (ref: string, wanted: DcScene, above: readonly string[]): void => {
    if (placed.has(ref)) return;
    if (above.includes(ref)) {
      problems.push({ field: `scenes.${ref}.requiredIds`, message: "requires itself in the end" });
      return;
    }
    for (const required of wanted.requiredIds ?? []) {
      const other = Object.hasOwn(scenes, required) ? scenes[required] : undefined;
      if (other !== undefined) place(required, other, [...above, ref]);
    }
    if (!wanted.factoryScene && !wanted.name)
      problems.push({ field: `scenes.${ref}.name`, message: "is missing" });
    placed.add(ref);
    steps.push(sceneStep(ref, wanted));
  };
  for (const [ref, wanted] of Object.entries(scenes)) place(ref, wanted, []);
  return steps;
}

function sceneStep(ref: string, wanted: DcScene): Step {
  const { factoryScene, name, isOn, presets, requiredIds } = wanted;
  const step = simple("scene", name ?? factoryScene ?? ref, ["scene"], (read, refs) => {
    const known = [...read.all("scene")].find(([, scene]) =>
      factoryScene ? scene.icon === factoryScene : scene.icon === null && scene.name === name,
    );
    const fields: Record<string, unknown> = { type: "CMD_SCENE", id: known?.[0] ?? null, isOn };
    // A factory scene that is not there is not made: CMD_SCENE refuses it for want of a name.
    if (known === undefined && !factoryScene) fields["name"] = name;
    if (presets) fields["presets"] = presetsOf(presets, refs);
    if (requiredIds) fields["requiredIds"] = requiredIds.map((id) => refs.scenes.get(id) ?? id);
    return [fields as AnyCommand];
  });
  return { ...step, learn: (id, refs) => void refs.scenes.set(ref, id) };
}

/** By id, or by place. Targets that are not paired yet are left out, and presets that have no other. */
function presetsOf(presets: NonNullable<DcScene["presets"]>, { devices }: Refs): Record<string, object> {
  const entries = presets.flatMap((preset, index) => {
    const targetIds = preset.targetIds.flatMap((ref) => (devices.has(ref) ? (devices.get(ref) ?? []) : ref));
    return targetIds.length === 0
      ? []
      : [[preset.id ?? String(index + 1), { ...preset, targetIds }] as const];
  });
  return Object.fromEntries(entries);
}

function ruleStep({ config, on_config: on }: DcRule): Step {
  const { name, configType } = config;
  return simple("rule", name, ["rule"], (read, refs) => {
    for (const [, rule] of read.all("rule"))
      if (rule.config.name === name && rule.config.configType === configType) return [];
    const resolved = (ref: string): string[] => {
      if (refs.devices.has(ref)) return [refs.devices.get(ref) ?? []].flat();
      return [refs.scenes.get(ref) ?? ref];
    };
    const filled = (fields: Readonly<Record<string, readonly string[]>>): object =>
      Object.fromEntries(Object.entries(fields).map(([field, refsOf]) => [field, refsOf.flatMap(resolved)]));
    const { inputs, outputs } = config;
    const scenes = on?.scenes?.map((ref) => refs.scenes.get(ref) ?? ref);
    return [
      {
        type: "SET_RULE",
        config: { ...config, id: null, inputs: filled(inputs), outputs: filled(outputs) },
        on: { ...on, ...(scenes && { scenes }) },
      },
    ];
  });
}
