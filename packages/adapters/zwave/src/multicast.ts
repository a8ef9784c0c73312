import type { CastAnswer, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { ZWaveNode } from "zwave-js";
import { faultOf } from "./fault.ts";
import { asNumber } from "./facts.ts";
import { isLongRange, type Members } from "./member.ts";
import { ordersOf, type Setting, settingOf } from "./orders.ts";
import type { Radio } from "./radio.ts";
import { libraryStatus } from "./reach.ts";

/** The library's SecurityClass of S0, which knows no multicast. */
const s0 = 7;
/** A SupervisionStatus. */
const success = 0xff;

interface Reached {
  readonly native: NativeId;
  readonly node: ZWaveNode;
  readonly settings: readonly Setting[];
}

/** A method of the library's CC APIs that sends a value, and keeps nothing of it. */
interface ValueSetter {
  readonly setValue?: (
    id: Pick<Setting["id"], "property" | "propertyKey">,
    value: unknown,
    options: Setting["options"],
  ) => Promise<{ readonly status: number } | undefined>;
}

/**
 * Tells several devices the same with one frame. It names its receivers, so that groups need no members on the air. The
 * devices of a frame have the same security class; those with S0, that sleep, or that listen only now and then get none.
 * A frame to many is not acknowledged: the library follows a frame of S2 up with a supervised one to each. Others are
 * answered as missed, so that the hub tells each of them singly, and the outcome is what the device said.
 */
export class Multicast {
  readonly #radio: Radio;
  readonly #members: Members;

  constructor(radio: Radio, members: Members) {
    this.#radio = radio;
    this.#members = members;
  }

  async cast(
    _group: string,
    natives: readonly NativeId[],
    command: DeviceCommand,
    answered: CastAnswer,
    signal: AbortSignal,
  ): Promise<void> {
    this.#radio.controller();
    const alike = new Map<string, Reached[]>();
    for (const native of natives) {
      const reached = this.#reached(native, command);
      if (reached === undefined) {
        answered(native, singly("the device hears no frames to many"));
        continue;
      }
      const key = keyOf(reached);
      alike.set(key, [...(alike.get(key) ?? []), reached]);
    }
    for (const reached of alike.values()) {
      const isAccepted = reached.length > 1 && (await this.#tell(reached, signal));
      for (const { native } of reached)
        answered(native, isAccepted ? undefined : singly("the device has not said that it has done it"));
    }
  }

  /** Returns a device that hears multicasts, and what it shall set; undefined for others. */
  #reached(native: NativeId, command: DeviceCommand): Reached | undefined {
    const member = this.#members.withUnit(native);
    const unit = member?.units.get(native)?.unit;
    if (command.type !== "set" || member === undefined || unit === undefined) return undefined;
    const node = this.#radio.nodeOf(member.native);
    if (node === undefined || !hears(node)) return undefined;
    const orders = ordersOf(member, unit, command.attributes);
    if (orders.length === 0) return undefined;
    return { native, node, settings: orders.map((order) => settingOf(node, unit, order)) };
  }

  /** Returns whether all of them have said that they have done it. */
  async #tell(reached: readonly Reached[], signal: AbortSignal): Promise<boolean> {
    const ids = [...new Set(reached.map(({ node }) => node.id))];
    const group = this.#radio.controller().getMulticastGroup(ids);
    let isAccepted = true;
    for (const { id, value, options } of reached[0]?.settings ?? []) {
      const apis = group.getEndpointOrThrow(id.endpoint).commandClasses as unknown as Record<
        number,
        ValueSetter
      >;
      const api = apis[asNumber(id.commandClass)];
      const { property, propertyKey } = id;
      const at = { property, ...(propertyKey !== undefined && { propertyKey }) };
      try {
        const said = await this.#radio.whileUp(Promise.resolve(api?.setValue?.(at, value, options)), signal);
        isAccepted &&= said?.status === success;
      } catch (error) {
        const fault = faultOf(error);
        if (fault.code === "cancelled" || fault.code === "stopped") throw fault;
        isAccepted = false;
      }
    }
    return isAccepted;
  }
}

function hears(node: ZWaveNode): boolean {
  const [status, security]: (number | undefined)[] = [node.status, node.getHighestSecurityClass()];
  return (
    node.ready &&
    node.isListening === true &&
    status === libraryStatus.alive &&
    security !== undefined &&
    security !== s0
  );
}

/** Devices with the same key take the same frame. Long Range has keys, and a channel, of its own. */
function keyOf({ node, settings }: Reached): string {
  return JSON.stringify([isLongRange(node.id), node.getHighestSecurityClass(), settings]);
}

function singly(message: string): AdapterError {
  return new AdapterError("refused", message);
}
