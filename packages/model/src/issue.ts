import Type from "typebox";
import type { Rejection, World } from "./decider.ts";
import { isRejection } from "./decider.ts";
import type { AttributeValues } from "./device-state.ts";
import { settableAttributes } from "./device-state.ts";
import type { Device } from "./device-object.ts";
import { extraOf } from "./extra.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";

/** What a device can be told besides its attributes; only `refresh` is idempotent. */
export type DeviceAction = "identify" | "refresh" | "snapshot";

/** A command is under way to a device. */
export const CommandIssued = telemetry(
  defineEvent("CommandIssued", 1, {
    device: Type.String(),
    attributes: Type.Record(Type.String(), Type.Unknown()),
    absolute: Type.Boolean(),
    group: Type.Union([Type.String(), Type.Null()]),
    scene: Type.Optional(Type.String()),
    action: Type.Optional(Type.String()),
  }),
);
export type CommandIssued = EventOf<typeof CommandIssued>;

/**
 * Issues a command to a device: one `CommandIssued`, or a rejection when the device cannot do it.
 * @param group the group through which the device gets it as a member, or null
 * @param scene the scene whose presets ask for it
 */
export function issue(
  target: Device,
  requested: Readonly<Record<string, unknown>>,
  group: string | null,
  world: Pick<World, "newId">,
  scene?: string,
): readonly CommandIssued[] | Rejection {
  const attributes = settableAttributes(target, requested);
  if (isRejection(attributes)) return attributes;
  const absolute = !isImpulse(target, attributes);
  const id = world.newId();
  const of = scene === undefined ? {} : { scene };
  return [{ type: "CommandIssued", id, device: target.id, attributes, absolute, group, ...of }];
}

/** Issues an action; it is an impulse unless it only makes the device report. */
export function issueAction(
  { id: device }: Device,
  action: DeviceAction,
  world: Pick<World, "newId">,
): readonly CommandIssued[] {
  const absolute = action === "refresh";
  return [
    { type: "CommandIssued", id: world.newId(), device, attributes: {}, absolute, group: null, action },
  ];
}

/**
 * Returns whether a command is an impulse: a siren would sound again, a player would skip another title, a
 * lamp would blink again, a door would open again.
 */
export function isImpulse(target: Device, wanted: Readonly<AttributeValues>): boolean {
  const isAlarm = target.type === "ALARM_DEVICE" || target.capabilities.values.includes("GENERATE_ALERT");
  const { state } = target;
  const isMomentary =
    state["extras"] !== undefined && Object.keys(wanted).some((name) => extraOf(state, name)?.momentary);
  return (
    isMomentary ||
    "sirenOn" in wanted ||
    "effect" in wanted ||
    "avtData" in wanted ||
    wanted["locked"] === false ||
    isAlarm
  );
}
