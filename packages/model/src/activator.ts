import Type from "typebox";
import type { Decider, Decision, Reader, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import type { EventOf, Origin } from "./event.ts";
import { defineEvent, isOfPerson } from "./event.ts";
import { type CommandIssued, issue } from "./issue.ts";
import type { Device } from "./device-object.ts";
import type { DriveClass, Wanting } from "./output.ts";
import { holdAgainst } from "./output.ts";
import { Preset, presetOf, presetsForGuests, requestsOf, scenesShowing } from "./preset.ts";
import { Id } from "./schema.ts";

/** ACTIVATOR (hub-api 2.2): presets, and when they were last applied. */
export const Activator = Type.Object({
  type: Type.Literal("ACTIVATOR"),
  id: Id,
  name: Type.String(),
  presets: Type.Record(Type.String(), Preset),
  activatedAt: Type.Union([Type.Integer(), Type.Null()]),
  timestamp: Type.Integer(),
});

/** The result for one device when presets are applied: its command, or why it got none. */
const Member = Type.Union([Type.Object({ command: Type.String() }), Type.Object({ skipped: Type.String() })]);
type Member =
  | { readonly command: string; readonly failed?: { readonly code: string; readonly message: string } }
  | { readonly skipped: string };

/** The state of an activator. Its id is that of its scene, which has the name and the presets. */
export interface ActivatorState {
  readonly id: string;
  readonly activatedAt: number | null;
  /** The results of the last time, by device. */
  readonly members: Readonly<Record<string, Member>>;
}

declare module "./states.ts" {
  interface States {
    activator: ActivatorState;
  }
}

export type ActivatorCommand =
  /** Leaves out devices that a stronger class than `class` holds; default: MANUAL. */
  | { type: "ACTIVATE"; id: string; class?: DriveClass }
  /** PUT /devices/preset: presets that are not stored. */
  | { type: "APPLY_PRESET"; targetIds: string[]; state: Readonly<Record<string, unknown>> };

const ActivatorAdded = defineEvent("ActivatorAdded", 1, {});
const PresetsApplied = defineEvent("PresetsApplied", 1, { members: Type.Record(Type.String(), Member) });
const PresetFailed = defineEvent("PresetFailed", 1, {
  device: Type.String(),
  command: Type.String(),
  code: Type.String(),
  message: Type.String(),
});
const ActivatorRemoved = defineEvent("ActivatorRemoved", 1, {});

export type ActivatorEvent =
  | EventOf<typeof ActivatorAdded>
  | EventOf<typeof PresetsApplied>
  | EventOf<typeof PresetFailed>
  | EventOf<typeof ActivatorRemoved>;

/**
 * Returns the command by which a scene applies its presets; when a person turned it on, only safety is
 * stronger.
 */
export function activation(scene: string, by: Origin): Extract<ActivatorCommand, { type: "ACTIVATE" }> {
  return { type: "ACTIVATE", id: scene, class: isOfPerson(by) ? "MANUAL" : "SCENE" };
}

/** One for each scene with presets; it exists as long as the scene has any. */
export const activator: Decider<ActivatorState, ActivatorCommand, ActivatorEvent> = {
  kind: "activator",
  commands: ["ACTIVATE", "APPLY_PRESET"],
  events: [ActivatorAdded, PresetsApplied, PresetFailed, ActivatorRemoved],
  delta: {
    type: "ACTIVATOR_DELTA",
    hidesFromGuests: true,
    render: ({ id, activatedAt }, { read, timestamp, forGuests }) => {
      const { name = "", presets = {} } = read.get("scene", id) ?? {};
      const shown = forGuests ? presetsForGuests(presets, read) : presets;
      return { type: "ACTIVATOR", id, name, presets: shown, activatedAt, timestamp };
    },
    dependents: (event, read, forGuests) =>
      read.get("scene", event.id) === undefined ? scenesShowing(event, read, forGuests) : [event.id],
  },

  target: (command) => (command.type === "ACTIVATE" ? command.id : undefined),

  decide(command, state, world) {
    if (command.type === "APPLY_PRESET") return applyOnce(command, world);
    const scene = world.get("scene", command.id);
    if (state === undefined || scene === undefined)
      return reject("not-found", `no scene ${command.id}`, "id");
    const members: Record<string, Member> = {};
    const commands: CommandIssued[] = [];
    const by = { class: command.class ?? "MANUAL" };
    for (const [target, requested] of requestsOf(scene.presets)) {
      const issued = applied(world.get("device", target), requested, by, state.id, world);
      if ("skipped" in issued) {
        members[target] = issued;
        continue;
      }
      for (const { id } of issued) members[target] = { command: id };
      commands.push(...issued);
    }
    return [{ type: "PresetsApplied", id: state.id, members } satisfies ActivatorEvent, ...commands];
  },

  evolve(state, event, timestamp) {
    if (event.type === "ActivatorAdded") return { id: event.id, activatedAt: null, members: {} };
    if (state === undefined) return undefined;
    switch (event.type) {
      case "PresetsApplied":
        return { ...state, activatedAt: timestamp, members: event.members };
      case "PresetFailed": {
        const { device, command, code, message } = event;
        return { ...state, members: { ...state.members, [device]: { command, failed: { code, message } } } };
      }
      case "ActivatorRemoved":
        return undefined;
    }
  },
};

/** Returns the command for a scene's preset on a device, or why the device gets none. */
function applied(
  device: Device | undefined,
  requested: Readonly<Record<string, unknown>>,
  by: Wanting,
  scene: string,
  world: World,
): readonly CommandIssued[] | { readonly skipped: string } {
  if (device === undefined) return { skipped: "the device is gone" };
  const hold = holdAgainst(world.get("output", device.id), device, requested, by, world.now);
  if (hold !== undefined) {
    return { skipped: hold.class === "SAFETY" ? "it is held for safety" : "it was set by hand" };
  }
  const issued = issue(device, requested, null, world, scene);
  return isRejection(issued) ? { skipped: issued.message } : issued;
}

/** Commands each target that can show the preset; refuses a preset that no target can show. */
function applyOnce(
  wanted: Extract<ActivatorCommand, { type: "APPLY_PRESET" }>,
  world: World,
): Decision<ActivatorEvent> {
  const preset = presetOf("", wanted, world);
  if (isRejection(preset)) return preset;
  return [...requestsOf({ preset })].flatMap(([target, requested]) => {
    const device = world.get("device", target);
    const issued = device && issue(device, requested, null, world);
    return issued === undefined || isRejection(issued) ? [] : issued;
  });
}

/**
 * Returns the event that notes a failed command with the presets that it came from, unless these were applied
 * again.
 */
export function presetFailure(
  scene: string | undefined,
  { device, command, code, message }: Omit<EventOf<typeof PresetFailed>, "type" | "id">,
  read: Pick<Reader, "get">,
): ActivatorEvent[] {
  const member = scene === undefined ? undefined : read.get("activator", scene)?.members[device];
  if (scene === undefined || member === undefined || !("command" in member)) return [];
  return member.command === command
    ? [{ type: "PresetFailed", id: scene, device, command, code, message }]
    : [];
}

/** The result for a device, as the API shows it. */
export const MemberOutcome = Type.Object({
  status: Type.Union([
    Type.Literal("sent"),
    Type.Literal("confirmed"),
    Type.Literal("failed"),
    Type.Literal("timed out"),
    Type.Literal("skipped"),
  ]),
  reason: Type.Union([Type.String(), Type.Null()]),
});
export type MemberOutcome = Type.Static<typeof MemberOutcome>;

/** Returns the results of the last time that an activator applied its presets, by device. */
export function outcomesOf(
  { members }: ActivatorState,
  read: Pick<Reader, "get">,
): Record<string, MemberOutcome> {
  return Object.fromEntries(Object.entries(members).map(([id, member]) => [id, outcomeOf(member, read)]));
}

function outcomeOf(member: Member, read: Pick<Reader, "get">): MemberOutcome {
  if ("skipped" in member) return { status: "skipped", reason: member.skipped };
  const { command, failed } = member;
  if (failed !== undefined) {
    const isLate = failed.code === "timeout" || failed.code === "expired";
    return { status: isLate ? "timed out" : "failed", reason: failed.message };
  }
  // A command that has ended without a failure was carried out.
  return { status: read.get("command", command) === undefined ? "confirmed" : "sent", reason: null };
}
