import type { AdapterClock, ClientCommand } from "@ledge/port";
import { AdapterError, CommandRate } from "@ledge/port";
import { reservedPriority } from "../map/hold.ts";
import type { Address } from "../network/address.ts";
import { hostOf } from "../network/address.ts";
import type { ServerAnswer, ServerError, ServerRequest } from "../network/responder.ts";
import { failure } from "./failure.ts";
import type { ServerObject, Written } from "./object.ts";
import { attributeValue, properties, wantedNumber } from "./object.ts";
import type { Readable } from "./reading.ts";
import { readOne } from "./reading.ts";

/** Takes what clients have written. */
export interface CommandingOwner {
  /** Resolves when the hub has accepted the command. @throws AdapterError */
  command(command: ClientCommand): Promise<void>;
  /** An object that is a device of its own has a new value. */
  written(object: ServerObject, value: boolean | number): void;
}

/** What clients write: priorities of objects, and commands of the hub's devices that follow from them. */
export class Commanding {
  readonly #owner: CommandingOwner;
  readonly #rate: CommandRate;

  constructor(owner: CommandingOwner, clock: AdapterClock) {
    this.#owner = owner;
    this.#rate = new CommandRate(clock);
  }

  /** Takes a WriteProperty. */
  async write(
    request: Extract<ServerRequest, { type: "write" }>,
    home: Readable,
    from: Address,
  ): Promise<ServerAnswer> {
    const { object: id, property, values, priority } = request;
    const refused = (error: ServerError): ServerAnswer => ({ type: "error", ...error });
    const known = readOne(home, id, { id: property.id, index: undefined });
    if ("errorCode" in known) return refused(known);
    const object = home.find(id);
    if (object === undefined || property.id !== properties.presentValue || !object.commandable)
      return refused(failure.writeAccessDenied);
    if (property.index !== undefined) return refused(failure.notAnArray);
    if (priority === reservedPriority) return refused(failure.writeAccessDenied);
    const wanted = wantedNumber(object, values);
    if (typeof wanted === "string") return refused(failure[wanted]);
    const before = ruling(object);
    const slot = object.priorities.get(priority);
    if (wanted === null) object.priorities.delete(priority);
    else object.priorities.set(priority, { number: wanted, client: from });
    try {
      await this.#obey(object, before, wanted, priority, from);
      return { type: "done" };
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      // What the hub refuses stands in no slot.
      if (slot === undefined) object.priorities.delete(priority);
      else object.priorities.set(priority, slot);
      return refused(error.code === "refused" ? failure.valueOutOfRange : failure.deviceBusy);
    }
  }

  /** Passes on what rules the object now, if that is what the client has written or let go. */
  async #obey(
    object: ServerObject,
    before: Ruling | undefined,
    wanted: number | null,
    priority: number,
    client: Address,
  ): Promise<void> {
    const now = ruling(object);
    const { device, attribute } = object;
    if (now === undefined) {
      if (before !== undefined && device !== null)
        await this.#owner.command({ client, device, attributes: null });
      return;
    }
    const isSame = before?.number === now.number && before.priority === now.priority;
    if (isSame && (wanted === null || now.priority !== priority)) return;
    const value = attributeValue(object, now.number);
    // Written again: the client insists, as somebody may have used the device meanwhile.
    if (isSame && before.client === client && object.reachable && object.value === value) return;
    if (device !== null) {
      if (wanted !== null && !this.#rate.take(hostOf(client)))
        throw new AdapterError("busy", "too many commands of this client");
      return await this.#owner.command({ client, device, attributes: { [attribute]: value } });
    }
    this.#owner.written(object, value);
  }
}

interface Ruling extends Written {
  readonly priority: number;
}

/** Returns the command of the highest priority. */
function ruling({ priorities }: ServerObject): Ruling | undefined {
  for (let priority = 1; priority <= 16; priority++) {
    const written = priorities.get(priority);
    if (written !== undefined) return { priority, ...written };
  }
  return undefined;
}
