import Type from "typebox";
import type { Binding, BindingEvent } from "./binding.ts";
import { attribute } from "./capability.ts";
import type { DomainEvent } from "./event.ts";
import type { Decision, Rejection, World } from "./decider.ts";
import { reject } from "./decider.ts";
import { isLocked } from "./device-access.ts";
import type { DeviceEvent } from "./device-events.ts";
import type { Device } from "./device-object.ts";
import { reportedChanges } from "./device-state.ts";
import { Id, optionalOrNull } from "./schema.ts";

/**
 * Replaces the hardware of a device by that of another device, which was just paired: the device keeps its id,
 * and with it rooms, groups, rules, scenes and history; the other one is removed. `force`: also when it is of
 * another class or can do less.
 */
export const CmdReplaceDevice = Type.Object({
  type: Type.Literal("CMD_REPLACE_DEVICE"),
  id: Id,
  by: Id,
  force: optionalOrNull(Type.Boolean()),
});
export type CmdReplaceDevice = Type.Static<typeof CmdReplaceDevice>;

/** Capabilities that no rule, scene or group needs. */
const incidental: ReadonlySet<string> = new Set(["CONFIGURABLE", "IDENTIFY", "UPGRADE"]);

/** Decides a replacement. `state`: the device that stays. */
export function decideReplacement(
  { by, force }: CmdReplaceDevice,
  state: Device,
  world: World,
): Decision<DeviceEvent> {
  const { id } = state;
  const other = world.get("device", by);
  if (other === undefined || by === id) return reject("not-found", `no other device ${by}`, "by");
  const [own, others] = [world.get("binding", id), world.get("binding", by)];
  if (own === undefined || others === undefined)
    return reject("invalid", "a device without an adapter cannot be replaced", own ? "by" : "id");
  if (isLocked(state) || isLocked(other))
    return reject("forbidden", "the device is locked", isLocked(state) ? "id" : "by");
  const misfit = force === true ? undefined : misfitOf(state, other);
  if (misfit !== undefined) return misfit;
  return [
    {
      type: "DeviceReplaced",
      id,
      by,
      protocol: others.protocol,
      native: others.native,
      former: own.native,
    } satisfies DeviceEvent,
    ...taken(state, other, world),
    { type: "DeviceRemoved", id: by, groups: other.groups } satisfies DeviceEvent,
    ...exchanged(own, others),
  ];
}

function misfitOf(state: Device, other: Device): Rejection | undefined {
  if (state.type !== other.type)
    return reject("invalid", `is a ${other.type}, and the device is a ${state.type}: use force`, "by");
  const has = new Set<string>(other.capabilities.values);
  const lacking = state.capabilities.values.filter((each) => !has.has(each) && !incidental.has(each));
  if (lacking.length === 0) return undefined;
  return reject("invalid", `has no ${lacking.join(", ")}: use force`, "by");
}

/** The state of the new hardware, as far as the device has these attributes. A press is not repeated. */
function taken(state: Device, other: Device, world: World): readonly DeviceEvent[] {
  const shown = other.state;
  const at = Number(shown["lastSeen"] ?? world.now);
  const said = Object.fromEntries(
    Object.entries(shown).filter(
      ([name]) => attribute(name) !== undefined && attribute(name)?.momentary !== true,
    ),
  );
  const attributes = reportedChanges(state, said, at);
  if (Object.keys(attributes).length === 0) return [];
  return [{ type: "DeviceReported", id: state.id, attributes, at }];
}

/**
 * The removed device keeps the binding of the old hardware, so that the adapter is told to forget that, also
 * when it announces it later.
 */
function exchanged(own: Binding, others: Binding): readonly DomainEvent[] {
  const bound = (id: string, { protocol, native, radio }: Binding): BindingEvent => {
    return { type: "DeviceBound", id, protocol, native, radio };
  };
  const unbound: BindingEvent = { type: "DeviceUnbound", id: others.id };
  return [bound(own.id, others), bound(others.id, own), unbound];
}
