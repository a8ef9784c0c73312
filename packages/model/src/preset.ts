import Type from "typebox";
import type { Reader, Rejection, World } from "./decider.ts";
import { idsOf, isRejection, reject } from "./decider.ts";
import type { DomainEvent } from "./event.ts";
import type { Device } from "./device-object.ts";
import { settableAttributes } from "./device-state.ts";
import { limits } from "./limits.ts";
import { Id, unchangedIfNull } from "./schema.ts";

const State = Type.Record(Type.String(), Type.Unknown());

/** PRESET (hub-api 2.5): a state for devices of one type. */
export const Preset = Type.Object({
  type: Type.Literal("PRESET"),
  id: Id,
  targetIds: Type.Array(Id),
  state: State,
});
export type Preset = Type.Static<typeof Preset>;

/** Presets by id. */
export type Presets = Readonly<Record<string, Preset>>;

const requested = {
  id: unchangedIfNull(Id),
  targetIds: Type.Array(Id, { minItems: 1, maxItems: limits.sceneTargets }),
  state: State,
};
/** A single PRESET, as clients send it. */
export const PresetRequest = Type.Object({ type: Type.Literal("PRESET"), ...requested });
/** A preset of a scene, where its type is optional. */
export const ScenePresetRequest = Type.Object({
  type: unchangedIfNull(Type.Literal("PRESET")),
  ...requested,
});

type Requested = Pick<Preset, "targetIds" | "state">;

/**
 * Returns a preset to store: each target once, and the part of the state that at least one target can be set
 * to, as clients send whole states back. Refused when a target is unknown, when the targets have several
 * types, or when none of them can do it.
 */
export function presetOf(id: string, wanted: Requested, world: Pick<World, "get">): Preset | Rejection {
  const targetIds = [...new Set(wanted.targetIds)];
  const devices: Device[] = [];
  for (const target of targetIds) {
    const device = world.get("device", target);
    if (device === undefined) return reject("invalid", `no device ${target}`, "targetIds");
    devices.push(device);
  }
  const types = new Set(devices.map(({ type }) => type));
  if (types.size > 1) {
    return reject(
      "invalid",
      `a preset is for devices of one type, not ${[...types].join(", ")}`,
      "targetIds",
    );
  }
  const decisions = devices.map((device) => settableAttributes(device, wanted.state));
  const settable = decisions.filter((decision) => !isRejection(decision));
  if (settable.length === 0)
    return decisions.find(isRejection) ?? reject("invalid", "no targets", "targetIds");
  const state = Object.assign({ type: devices[0]?.state["type"] }, ...settable) as Preset["state"];
  return { type: "PRESET", id, targetIds, state };
}

/** Returns the presets of a scene to store, by the client's keys. */
export function presetsOf(
  wanted: Readonly<Record<string, Requested>>,
  world: Pick<World, "get">,
): Presets | Rejection {
  const presets: Record<string, Preset> = {};
  const entries = Object.entries(wanted);
  if (entries.length > limits.scenePresets) {
    return reject("invalid", `a scene has at most ${limits.scenePresets} presets`, "presets");
  }
  let targets = 0;
  for (const [id, requestedPreset] of entries) {
    if (id === "" || id.length > 128)
      return reject("invalid", "a preset's id has 1 to 128 characters", "presets");
    const preset = presetOf(id, requestedPreset, world);
    if (isRejection(preset)) return { ...preset, field: `presets.${id}.${preset.field ?? ""}` };
    targets += preset.targetIds.length;
    presets[id] = preset;
  }
  if (targets > limits.sceneTargets) {
    return reject("invalid", `a scene's presets have at most ${limits.sceneTargets} targets`, "presets");
  }
  return presets;
}

/** Returns presets without the devices to leave out, and without presets that have no target left. */
export function presetsWithout(presets: Presets, isOut: (device: string) => boolean): Presets {
  const kept = Object.values(presets).flatMap((preset) => {
    const targetIds = preset.targetIds.filter((target) => !isOut(target));
    if (targetIds.length === 0) return [];
    return [targetIds.length === preset.targetIds.length ? preset : { ...preset, targetIds }];
  });
  return Object.fromEntries(kept.map((preset) => [preset.id, preset]));
}

/** Returns presets as guests see them: without hidden devices. */
export function presetsForGuests(presets: Presets, read: Pick<Reader, "get">): Presets {
  return presetsWithout(presets, (device) => read.get("device", device)?.visible === false);
}

/** Returns the scenes whose presets change for guests with an event. */
export function scenesShowing({ type, id }: DomainEvent, read: Reader, forGuests: boolean): string[] {
  if (type !== "DeviceVisibilitySet" || !forGuests) return [];
  return idsOf("scene", read).filter((scene) =>
    targetsOf(read.get("scene", scene)?.presets ?? {}).includes(id),
  );
}

/** Returns the target devices of presets; a device may come twice. */
export function targetsOf(presets: Presets): string[] {
  return Object.values(presets).flatMap(({ targetIds }) => targetIds);
}

/**
 * Returns what presets ask of each device, in the order of ids; when two name the same attribute, the later
 * counts.
 */
export function requestsOf(presets: Presets): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const requests = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { targetIds, state } of Object.values(presets)) {
    for (const target of targetIds) requests.set(target, { ...requests.get(target), ...state });
  }
  return new Map([...requests].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
