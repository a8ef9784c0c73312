import { limits } from "@ledge/model";
import type { AdapterHost, ClientCommand, DeviceCommand } from "@ledge/port";
import { AdapterError, refuseSetting } from "@ledge/port";
import { deviceType, objectIdOf, type ObjectType, objectTypeOf } from "../map/object-type.ts";
import type { Address } from "../network/address.ts";
import type { Network } from "../network/network.ts";
import type { ServerAnswer, ServerHandler, ServerRequest } from "../network/responder.ts";
import type { ObjectId } from "../network/value.ts";
import { Commanding } from "./commanding.ts";
import type { DeviceFacts, ServerIdentity } from "./device-object.ts";
import { noSegmentation, objectListOf, vendorId } from "./device-object.ts";
import type { Exposed, ServedDevice, ServedEntry } from "./exposed.ts";
import { exposedBy } from "./exposed.ts";
import { failure } from "./failure.ts";
import type { StoredLocal } from "./local.ts";
import { localDescription, localExposed, localNative, localTypes } from "./local.ts";
import { Numbering } from "./numbering.ts";
import { iHave } from "./i-have.ts";
import type { ServerObject } from "./object.ts";
import type { Readable } from "./reading.ts";
import { anyDevice, isDevice, readMany, readOne } from "./reading.ts";
import { Subscriptions } from "./subscriptions.ts";
import { localTime } from "./value.ts";

/** The settings of the hub's server (BACNET_SETTINGS, hub-api 2.10) and what else it says of the hub. */
export interface ServerSettings extends ServerIdentity {
  /** The UDP port. */
  readonly port: number;
  /** Whether the hub broadcasts that it is there; otherwise it tells who asks. */
  readonly broadcast: boolean;
}

/** What the server needs of its adapter. */
export interface ServerOwner {
  readonly host: AdapterHost;
  readonly network: Network;
  readonly timeoutMs: number;
  readonly retries: number;
  /** Resolves when the hub has accepted the command. @throws AdapterError */
  command(command: ClientCommand): Promise<void>;
}

const localsKey = "server/locals";

/** The hub as a BACnet device: its devices' attributes are objects, which clients read, follow and command. */
export class Server implements ServerHandler {
  readonly #owner: ServerOwner;
  readonly #subscriptions: Subscriptions;
  readonly #numbering: Numbering;
  readonly #commanding: Commanding;
  /** By `<type> <instance>`, in the order in which they were added. */
  readonly #objects = new Map<string, ServerObject>();
  readonly #names = new Map<string, ServerObject>();
  readonly #byDevice = new Map<string, Map<string, ServerObject>>();
  readonly #locals = new Map<string, StoredLocal>();
  #settings: ServerSettings | undefined;
  #revision = 1;

  constructor(owner: ServerOwner) {
    this.#owner = owner;
    this.#subscriptions = new Subscriptions(owner.network, owner.host.clock);
    this.#numbering = new Numbering(owner.host);
    const { host } = owner;
    this.#commanding = new Commanding(
      {
        command: (command) => owner.command(command),
        written: (object, value) => {
          this.#update(object, value, true);
          this.#reportLocal(localNative(object.type, object.instance), object);
        },
      },
      host.clock,
    );
    const stored = owner.host.store.get(localsKey);
    for (const local of Array.isArray(stored) ? (stored as StoredLocal[]) : []) this.#addLocal(local);
  }

  get isOn(): boolean {
    return this.#settings !== undefined;
  }

  /** Turns the server on, with other settings, or off. */
  configure(settings: ServerSettings | undefined): void {
    const before = this.#settings;
    this.#settings = settings;
    const { network } = this.#owner;
    if (settings === undefined) {
      network.serve(undefined);
      this.#subscriptions.clear();
      for (const { priorities } of this.#objects.values()) priorities.clear();
      return;
    }
    network.serve(this, (low = 0, high = anyDevice) => settings.deviceId >= low && settings.deviceId <= high);
    if (JSON.stringify(before) === JSON.stringify(settings)) return;
    this.#revision += 1;
    this.announce();
  }

  /** Says that the hub is there, once the socket is open. */
  announce(): void {
    if (this.#settings?.broadcast === true && this.#owner.network.isOpen) this.#iAm(undefined);
  }

  #iAm(to: Address | undefined): void {
    const { deviceId } = this.#settings ?? {};
    if (deviceId !== undefined) this.#owner.network.iAm(deviceId, noSegmentation, vendorId, to);
  }

  /** Takes what has changed of the hub's devices. @param full these are all. */
  take(devices: readonly ServedEntry[], full: boolean): void {
    const known = new Set(devices.map(([id]) => id));
    if (full) for (const id of this.#byDevice.keys()) if (!known.has(id)) this.#removeDevice(id);
    for (const [id, device] of devices) {
      if (device === null) this.#removeDevice(id);
      else if (device === "hidden") this.#hideDevice(id);
      else this.#takeDevice(device);
    }
  }

  #takeDevice(device: ServedDevice): void {
    const exposed = exposedBy(device);
    const objects = this.#byDevice.get(device.id) ?? new Map<string, ServerObject>();
    this.#byDevice.set(device.id, objects);
    for (const [name, object] of objects)
      if (!exposed.some((each) => each.attribute === name && each.type === object.type)) {
        objects.delete(name);
        this.#remove(object);
      }
    for (const each of exposed) {
      const object = objects.get(each.attribute) ?? this.#addFor(device, each);
      objects.set(each.attribute, object);
      const name = `${device.name} ${each.attribute}`;
      if (object.description !== name) this.#rename(object, name);
      const value = device.state[each.attribute];
      const isKnown = typeof value === "number" || typeof value === "boolean";
      this.#update(object, isKnown ? value : null, device.state["reachable"] !== false);
    }
  }

  #update(object: ServerObject, value: boolean | number | null, reachable: boolean): void {
    if (object.value === value && object.reachable === reachable) return;
    object.value = value;
    object.reachable = reachable;
    if (this.#settings !== undefined) this.#subscriptions.changed(this.#settings.deviceId, object);
  }

  #addFor({ id }: ServedDevice, exposed: Exposed): ServerObject {
    return this.#add(exposed, this.#numbering.of(id, exposed.attribute, exposed.type), id);
  }

  #add(exposed: Exposed, instance: number, device: string | null): ServerObject {
    const object: ServerObject = {
      ...exposed,
      instance,
      device,
      name: "",
      description: "",
      value: null,
      reachable: true,
      priorities: new Map(),
    };
    this.#objects.set(keyOf(exposed.type, instance), object);
    this.#revision += 1;
    return object;
  }

  #rename(object: ServerObject, wanted: string): void {
    if (this.#names.get(object.name) === object) this.#names.delete(object.name);
    const name = wanted.slice(0, 120);
    // Two devices may have one name, but no two objects.
    const isTaken = this.#names.has(name);
    const unique = isTaken ? `${name} (${object.type} ${object.instance})` : name;
    Object.assign(object, { name: unique, description: wanted });
    this.#names.set(unique, object);
    this.#revision += 1;
  }

  #removeDevice(id: string): void {
    this.#hideDevice(id);
    this.#numbering.forget(id);
  }

  /** Its objects go, and their numbers wait for it. */
  #hideDevice(id: string): void {
    for (const object of this.#byDevice.get(id)?.values() ?? []) this.#remove(object);
    this.#byDevice.delete(id);
  }

  #remove(object: ServerObject): void {
    this.#objects.delete(keyOf(object.type, object.instance));
    if (this.#names.get(object.name) === object) this.#names.delete(object.name);
    this.#subscriptions.gone(object);
    this.#revision += 1;
  }

  /** Makes an object to which clients write, and which is a device of the hub. */
  async createLocal(type: string): Promise<void> {
    const known = Object.hasOwn(localTypes, type) ? localTypes[type] : undefined;
    if (known === undefined)
      return refuseSetting("id", `must be one of ${Object.keys(localTypes).join(", ")}`);
    const instance = this.#numbering.next(known.objectType);
    const local: StoredLocal = { native: localNative(known.objectType, instance), type, instance };
    try {
      await this.#owner.host.store.put(localsKey, [...this.#locals.values(), local]);
    } catch (cause) {
      throw new AdapterError("refused", `not stored: ${(cause as Error).message}`, { cause });
    }
    return this.#addLocal(local);
  }

  #addLocal(local: StoredLocal): void {
    const type = localTypes[local.type];
    if (type === undefined) return;
    const description = localDescription(local, type);
    const object = this.#add(localExposed(type), local.instance, null);
    this.#locals.set(local.native, local);
    this.#rename(object, description.name.slice(0, limits.nameChars));
    this.#owner.host.announce(description);
    this.#owner.host.report({ native: local.native, attributes: { reachable: true } });
  }

  isLocal(native: string): boolean {
    return this.#locals.has(native);
  }

  async forgetLocal(native: string): Promise<void> {
    const object = this.#localObject(native);
    this.#locals.delete(native);
    if (object !== undefined) this.#remove(object);
    await this.#owner.host.store.put(localsKey, [...this.#locals.values()]);
  }

  #localObject(native: string): ServerObject | undefined {
    const local = this.#locals.get(native);
    const type = local && localTypes[local.type];
    return type && local && this.#objects.get(keyOf(type.objectType, local.instance));
  }

  /** The hub shows what its clients have written, and may write a signal itself. @throws AdapterError */
  sendLocal(native: string, command: DeviceCommand): void {
    const object = this.#localObject(native);
    if (object === undefined) throw new AdapterError("refused", `no device ${native}`);
    if (command.type === "refresh") return this.#reportLocal(native, object);
    const value = command.type === "set" ? command.attributes[object.attribute] : undefined;
    if (typeof value !== "boolean") throw new AdapterError("unsupported", "BACnet clients write this value");
    this.#update(object, value, true);
    return this.#reportLocal(native, object);
  }

  #reportLocal(native: string, { attribute, value }: ServerObject): void {
    const known = value === null ? {} : { [attribute]: value };
    this.#owner.host.report({ native, attributes: { reachable: true, ...known } });
  }

  whoIs(low: number | undefined, high: number | undefined, from: Address): void {
    const { deviceId, broadcast } = this.#settings ?? {};
    if (deviceId === undefined || deviceId < (low ?? 0) || deviceId > (high ?? anyDevice)) return;
    this.#iAm(broadcast === true ? undefined : from);
  }

  whoHas({ object: id, name }: { readonly object?: ObjectId; readonly name?: string }, from: Address): void {
    const { deviceId, deviceName } = this.#settings ?? {};
    if (deviceId === undefined || deviceName === undefined) return;
    const answer = (found: ObjectId, of: string): void =>
      this.#owner.network.sendApdu(iHave(deviceId, found, of), from);
    if (name === deviceName || (id?.type === deviceType && id.instance === deviceId))
      return answer({ type: deviceType, instance: deviceId }, deviceName);
    const object = id === undefined ? this.#names.get(name ?? "") : this.#find(id);
    if (object !== undefined) answer(objectIdOf(object), object.name);
  }

  /** The hub keeps the time of its own sources, and says when a building's clock differs. */
  timeSynchronized(at: Date, isUtc: boolean, from: Address): void {
    const { host } = this.#owner;
    if (!isUtc) return;
    const differsS = Math.round((at.getTime() - host.clock.now()) / 1000);
    if (Math.abs(differsS) > 60)
      host.log("warn", "a BACnet device has another time than this hub", { from, differsS });
  }

  async asked(request: ServerRequest, from: Address, octets: number): Promise<ServerAnswer> {
    const home = this.#readable();
    if (home === undefined) return { type: "error", ...failure.unknownObject };
    switch (request.type) {
      case "read": {
        const value = readOne(home, request.object, request.property);
        return "errorCode" in value ? { type: "error", ...value } : { type: "values", values: value };
      }
      case "readMultiple": {
        const results = readMany(home, request.requests, octets);
        return results === undefined ? { type: "tooLong" } : { type: "results", results };
      }
      case "write":
        return await this.#commanding.write(request, home, from);
      case "subscribe":
        return this.#subscribe(request, from);
    }
  }

  #find({ type, instance }: ObjectId): ServerObject | undefined {
    const name = objectTypeOf(type);
    return name && this.#objects.get(keyOf(name, instance));
  }

  #readable(): Readable | undefined {
    const identity = this.#settings;
    if (identity === undefined) return undefined;
    const { host, timeoutMs, retries } = this.#owner;
    const facts: DeviceFacts = {
      identity,
      objectList: once(() => objectListOf(identity.deviceId, this.#objects.values())),
      revision: this.#revision,
      subscriptions: once(() => this.#subscriptions.active()),
      local: once(() => localTime(host.clock.now(), identity.timeZone)),
      timeoutMs,
      retries,
    };
    return { facts, find: (id) => this.#find(id) };
  }

  #subscribe(request: Extract<ServerRequest, { type: "subscribe" }>, to: Address): ServerAnswer {
    const { process, object: id, confirmed, lifetime } = request;
    const object = this.#find(id);
    if (object === undefined || this.#settings === undefined)
      return {
        type: "error",
        ...(isDevice(id, this.#settings?.deviceId)
          ? failure.optionalFunctionalityNotSupported
          : failure.unknownObject),
      };
    if (lifetime === undefined) this.#subscriptions.remove({ to, process }, object);
    else if (
      !this.#subscriptions.add(this.#settings.deviceId, { to, process }, object, { confirmed, lifetime })
    )
      return { type: "error", ...failure.subscriptionFailed };
    return { type: "done" };
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

const keyOf = (type: ObjectType, instance: number): string => `${type} ${instance}`;
