import type { AdapterClock, AdapterHost, AdapterStore, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { ZWaveController, ZWaveNode } from "zwave-js";
import { isLongRange, nativeOf, nodeIdOf } from "./member.ts";
import type { Radio } from "./radio.ts";
import {
  securityClass,
  type SecurityClassName,
  securityClassNames,
  securityNamesOf,
  someSecurityNamesIn,
} from "./security-class.ts";

const listKey = "smartStart";

/** As many as the mesh has nodes. */
export const smartStartEntries = 232;
/** The longest text that is read as a QR code. */
const qrChars = 1000;
/** How a device joins: by the mesh or by Long Range; the library's Protocols. */
const protocol = { mesh: 0, longRange: 1 } as const;
type Protocol = keyof typeof protocol;
/** The library's ProvisioningEntryStatus and QRCodeVersion. */
const active = 0;
const inactive = 1;
const smartStartVersion = 1;
/** After which time a stick is asked again to listen for devices of the list, ms. */
const listenAgainMs = 30_000;

/** The keys that a device gets whose entry names none. */
const usualKeys = securityClassNames.filter((name) => name !== "S0_Legacy");

/** Long Range has these alone. */
const longRangeKeys: ReadonlySet<SecurityClassName> = new Set(["S2_Authenticated", "S2_AccessControl"]);

/** A device that joins by itself as soon as it has power. */
interface Entry {
  readonly dsk: string;
  readonly securityClasses: readonly SecurityClassName[];
  /** Whether its QR code says that it can join by Long Range; false for one that was entered by its key. */
  readonly longRange: boolean;
  /** How it joins if the stick can; absent in an entry from before there was a choice: by the mesh. */
  readonly protocol?: Protocol;
  /** It has left the network, and joins no more before somebody enters it again. */
  readonly isInactive?: boolean;
  /** The node that it became. */
  readonly native?: NativeId;
  /** Whether the hub got that node. A user may have deleted it since. */
  readonly isKept?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The devices that join by themselves (SDS13783, 3.6): their keys are entered before they have power. The list is in the
 * log; the library's is a copy.
 */
export class SmartStart {
  readonly #store: AdapterStore;
  readonly #clock: AdapterClock;
  readonly #radio: Radio;
  #entries: readonly Entry[] = [];
  #cancelListen = (): void => {};

  constructor({ store, clock }: Pick<AdapterHost, "store" | "clock">, radio: Radio) {
    this.#store = store;
    this.#clock = clock;
    this.#radio = radio;
  }

  load(): void {
    this.#entries = (this.#store.get(listKey) as readonly Entry[] | undefined) ?? [];
  }

  /** The stick does something else than before. One that would not listen is asked again later. */
  settle(controller: ZWaveController): void {
    this.#cancelListen();
    this.#cancelListen = this.#clock.after(listenAgainMs, () => {
      // Whenever the library gets a device, it asks the stick to listen if it does not yet.
      if (this.#radio.driver?.controller === controller)
        for (const entry of this.#entries) this.#provision(entry, controller);
    });
  }

  stop(): void {
    this.#cancelListen();
  }

  /** The network is up: the library gets the list. Resolves when the list is durable. */
  async opened(controller: ZWaveController): Promise<void> {
    const before = this.#entries;
    this.#entries = before.map((entry) => this.#inNetwork(entry, controller));
    const wanted = new Set(this.#entries.map(({ dsk }) => dsk));
    for (const { dsk } of controller.getProvisioningEntries())
      if (!wanted.has(dsk)) controller.unprovisionSmartStartNode(dsk);
    for (const entry of this.#entries) this.#provision(entry, controller);
    if (this.#entries.some((entry, index) => entry !== before[index])) await this.#put(this.#entries);
  }

  /** The node that a device was in another network is none here, and one may have joined that is not in the log. */
  #inNetwork(entry: Entry, controller: ZWaveController): Entry {
    const { native, isKept: _, ...free } = entry;
    const { homeId } = this.#radio;
    if (native !== undefined && native === nativeOf(homeId, nodeIdOf(native))) return entry;
    const node = [...controller.nodes.values()].find((each) => each.dsk && textOf(each.dsk) === entry.dsk);
    if (node) return joinedAs(free, nativeOf(homeId, node.id));
    return native === undefined ? entry : free;
  }

  /**
   * Enters a device. One that is entered again may join again.
   * @param fields `qr`: the text of the device's QR code; or `dsk`, and `securityClasses` if it gets only some keys;
   *   `protocol`: "mesh" or "longRange"
   * @throws AdapterError
   */
  async add(fields: Fields): Promise<object> {
    const found = fields["qr"] === undefined ? await entryOfDsk(fields) : await entryOfQr(fields["qr"]);
    const read = withProtocol(found, fields);
    const controller = this.#radio.driver?.controller;
    if (read.protocol === "longRange" && !this.#mayHaveLongRange)
      throw new AdapterError("unsupported", "protocol: this stick has no Long Range in its region");
    const before = this.#entries.find(({ dsk }) => dsk === read.dsk);
    if (before === undefined && this.#entries.length >= smartStartEntries)
      throw new AdapterError("refused", `the list has at most ${smartStartEntries} devices`);
    const isHere =
      before?.native !== undefined && before.isInactive !== true && this.#isInNetwork(before.native);
    const entry: Entry = isHere ? { ...before, ...read } : read;
    await this.#put([...this.#entries.filter(({ dsk }) => dsk !== read.dsk), entry]);
    if (controller) this.#provision(entry, controller);
    return this.#shown(entry);
  }

  /** Removes a device from the list, not from the network. @throws AdapterError */
  async remove(dsk: unknown): Promise<void> {
    if (!this.#entries.some((entry) => entry.dsk === dsk))
      throw new AdapterError("refused", "the list has no such device");
    await this.#put(this.#entries.filter((entry) => entry.dsk !== dsk));
    this.#radio.driver?.controller.unprovisionSmartStartNode(String(dsk));
  }

  list(): readonly object[] {
    return this.#entries.map((entry) => this.#shown(entry));
  }

  /** A node has joined, by itself or not. */
  async joined(node: ZWaveNode): Promise<void> {
    const entry = this.#entryOf(node);
    if (entry === undefined) return;
    await this.#replace(joinedAs(entry, nativeOf(this.#radio.homeId, node.id)));
  }

  /** Returns whether the hub is to have a node that nobody has chosen in a scan. */
  isToKeep(node: ZWaveNode): boolean {
    return this.#entryOfNode(node)?.isKept === false;
  }

  /** The hub has a node. It gets it once for each join. */
  async kept(node: ZWaveNode): Promise<void> {
    const entry = this.#entryOfNode(node);
    if (entry) await this.#replace({ ...entry, isKept: true });
  }

  /** A node has left. It would join again at once. */
  async left(native: NativeId): Promise<void> {
    const entry = this.#entries.find((each) => each.native === native);
    if (entry === undefined) return;
    const { native: _, isKept: __, ...rest } = entry;
    await this.#replace({ ...rest, isInactive: true });
  }

  /** While the network is not up nobody knows better. */
  #isInNetwork(native: NativeId): boolean {
    return this.#radio.driver === undefined || this.#radio.nodeOf(native) !== undefined;
  }

  #entryOfNode({ id }: ZWaveNode): Entry | undefined {
    const native = nativeOf(this.#radio.homeId, id);
    return this.#entries.find((each) => each.native === native);
  }

  #entryOf({ dsk }: ZWaveNode): Entry | undefined {
    const own = dsk && textOf(dsk);
    return this.#entries.find((entry) => entry.dsk === own);
  }

  #provision(entered: Entry, controller: ZWaveController): void {
    const { dsk, securityClasses, isInactive, native } = entered;
    try {
      const entry = {
        dsk,
        securityClasses: securityClasses.map((name) => securityClass[name]),
        // The library may have lost whose key a node has, and would wait for it.
        status: isInactive === true || native !== undefined ? inactive : active,
        protocol: protocol[this.#protocolOf(entered)],
      };
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
      controller.provisionSmartStartNode(entry);
    } catch {
      // The stick is too old for it; the list waits for another.
    }
  }

  /** Whether devices can join by Long Range; while the network is not up nobody knows better. */
  get #mayHaveLongRange(): boolean {
    const controller = this.#radio.driver?.controller;
    return controller === undefined || controller.supportsLongRange === true;
  }

  /** How a device has joined, or joins with the stick that is there: without Long Range everything is of the mesh. */
  #protocolOf({ native, protocol: chosen = "mesh" }: Entry): Protocol {
    if (native !== undefined) return isLongRange(nodeIdOf(native)) ? "longRange" : "mesh";
    return this.#mayHaveLongRange ? chosen : "mesh";
  }

  #shown(entry: Entry): object {
    const { dsk, securityClasses: allowed, longRange, isInactive, native } = entry;
    const how = this.#protocolOf(entry);
    const securityClasses = how === "mesh" ? allowed : allowed.filter((name) => longRangeKeys.has(name));
    const known = this.#radio.driver?.controller.getProvisioningEntry(dsk);
    const nodeId = native === undefined ? null : nodeIdOf(native);
    const status: number | undefined = known?.status;
    const isOff = isInactive === true || (nodeId === null && status === inactive);
    const state = isOff ? "INACTIVE" : nodeId === null ? "WAITING" : "JOINED";
    return {
      type: "ZWAVE_SMARTSTART",
      dsk,
      securityClasses,
      // A key says nothing of it: a device that has joined by Long Range can.
      longRange: longRange || (native !== undefined && how === "longRange"),
      protocol: how,
      status: state,
      nodeId,
    };
  }

  async #replace(entry: Entry): Promise<void> {
    await this.#put(this.#entries.map((each) => (each.dsk === entry.dsk ? entry : each)));
  }

  async #put(entries: readonly Entry[]): Promise<void> {
    this.#entries = entries;
    await this.#store.put(listKey, entries);
  }
}

function joinedAs(entry: Entry, native: NativeId): Entry {
  const { isInactive: _, ...rest } = entry;
  return { ...rest, native, isKept: false };
}

/** A device's key as people read it: eight groups of five digits. */
function textOf(dsk: Uint8Array): string {
  const view = new DataView(dsk.buffer, dsk.byteOffset, dsk.byteLength);
  const groups = Array.from({ length: dsk.byteLength / 2 }, (_, index) => view.getUint16(index * 2));
  return groups.map((group) => String(group).padStart(5, "0")).join("-");
}

/**
 * Returns an entry with the protocol that a client wishes. The library leaves the choice to people: Long Range reaches farther,
 * but nobody routes there.
 */
function withProtocol(entry: Entry, { qr, protocol: wish }: Fields): Entry {
  // It stands in the entry, or that of a device which is here would keep an earlier choice.
  if (wish === undefined || wish === null || wish === "mesh") return { ...entry, protocol: "mesh" };
  if (wish !== "longRange") throw new AdapterError("settings", "protocol: must be mesh or longRange");
  if (qr !== undefined && !entry.longRange)
    throw new AdapterError("settings", "protocol: the QR code says that the device has no Long Range");
  if (!entry.securityClasses.some((name) => longRangeKeys.has(name)))
    throw new AdapterError("settings", `protocol: Long Range needs one of ${[...longRangeKeys].join(", ")}`);
  return { ...entry, protocol: wish };
}

async function entryOfDsk({ dsk, securityClasses }: Fields): Promise<Entry> {
  const { isValidDSK } = await import("@zwave-js/core");
  if (typeof dsk !== "string" || !isValidDSK(dsk))
    throw new AdapterError("settings", "dsk: must be eight groups of five digits, 12345-12345-…");
  return { dsk, securityClasses: someSecurityNamesIn(securityClasses) ?? usualKeys, longRange: false };
}

async function entryOfQr(qr: unknown): Promise<Entry> {
  if (typeof qr !== "string" || qr.length > qrChars)
    throw new AdapterError("settings", `qr: must be a text of at most ${qrChars} characters`);
  const { parseQRCodeString } = await import("@zwave-js/core");
  const read = await parseQRCodeString(qr).catch((error: Error) => {
    throw new AdapterError("settings", `qr: ${error.message}`);
  });
  const version: number = read.version;
  if (version !== smartStartVersion)
    throw new AdapterError(
      "settings",
      "qr: is of a device that joins only in a scan; its PIN is in its text",
    );
  const securityClasses = securityNamesOf(read.securityClasses);
  const longRange = (read.supportedProtocols ?? []).some((each: number) => each === protocol.longRange);
  return { dsk: read.dsk, securityClasses, longRange };
}
