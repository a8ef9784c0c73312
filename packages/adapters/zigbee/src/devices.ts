import type { AdapterHost, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError, Latch } from "@ledge/port";
import type { Controller, Events, Models } from "zigbee-herdsman";
import { Erasures } from "./erasures.ts";
import { admit, follow } from "./follow.ts";
import { Groups } from "./groupcast/groups.ts";
import { endTimers, insideOf } from "./library-inside.ts";
import { InterviewReads } from "./interview-reads.ts";
import { factsToRead, unreadOptions } from "./map/index.ts";
import type { MaintenanceTable } from "./maintenance/index.ts";
import { availabilityCommands, bindingCommands, networkCommands, Touchlink } from "./maintenance/index.ts";
import { Adopted } from "./migration/adopted.ts";
import { CoordinatorBackup } from "./migration/coordinator-backup.ts";
import { Import } from "./migration/import.ts";
import type { NetworkListener } from "./network/network.ts";
import { factsOf, isMains } from "./node.ts";
import { Node } from "./nodes.ts";
import { ZigbeePairing } from "./pairing.ts";
import type { DevicesOptions, Parts } from "./parts.ts";
import { partsOf } from "./parts.ts";
import { messageOf } from "./reports.ts";
import { Timeouts } from "./timeouts.ts";
import { Upkeep } from "./upkeep.ts";
import type { StickWindow } from "./window.ts";

/** How long a stick may take to start before its devices become unreachable. */
const startGraceMs = 30_000;

/** The devices of one network: connects what they report to what the hub knows and commands. */
export class Devices implements NetworkListener {
  readonly pairing: ZigbeePairing;
  readonly upkeep: Upkeep;
  readonly groups: Groups;
  readonly import: Import;
  readonly backup: CoordinatorBackup;
  /** Protocol commands of clients. */
  readonly commands: MaintenanceTable;
  readonly #host: AdapterHost;
  readonly #parts: Parts;
  readonly #window: StickWindow;
  readonly #erasures: Erasures;
  readonly #adopted: Adopted;
  readonly #timeouts: Timeouts;
  readonly #interviewReads = new InterviewReads();
  /** Called when the hub has all devices of an adopted network. */
  #adoptionEnded: () => void = () => {};
  #isStopped = false;
  /** Whether every attempt to open the stick since the start has failed. */
  #hasFailed = false;
  /** Open when the network is up and its devices are known, or when the stick cannot be opened. */
  readonly #opening = new Latch();

  constructor(host: AdapterHost, options: DevicesOptions) {
    this.#host = host;
    const parts = partsOf(host, options);
    const { availability, descriptions } = parts;
    this.#parts = parts;
    this.#window = options.window;
    this.#erasures = new Erasures({ host, store: (ieee) => this.#store(ieee) });
    this.upkeep = new Upkeep(parts);
    const isReachable = (ieee: string): boolean => availability.isReachable(ieee);
    this.groups = new Groups({ ...parts, host, isReachable, broadcastMs: options.broadcastMs });
    this.#adopted = new Adopted(host.store);
    this.import = new Import({
      ...parts,
      host,
      network: options.network,
      adopted: this.#adopted,
      whenKept: (atMostMs) => this.#whenKept(atMostMs),
    });
    this.backup = new CoordinatorBackup({ ...parts, host, network: options.network });
    this.pairing = new ZigbeePairing({
      ...parts,
      host,
      describe: (node, native) => descriptions.of(node, native),
      getToKnow: async (device) => {
        const node = await this.#getToKnow(device);
        await options.network().membersChanged();
        return node;
      },
      announce: (node) => descriptions.announce(node),
      kept: (node, native) => this.#kept(node, native),
      returned: (node) => this.#returned(node),
      dismiss: (ieee) => this.#dismiss(ieee),
    });
    this.#timeouts = new Timeouts(host.store);
    this.commands = {
      ...availabilityCommands({ ...parts, timeouts: this.#timeouts, changed: () => this.#watchAnew() }),
      ...bindingCommands(parts),
      ...networkCommands({
        ...parts,
        pairing: this.pairing,
        audit: this.groups.audit,
        kind: () => options.network().kind,
      }),
      ...new Touchlink(parts.radio, host.clock).commands,
    };
  }

  /** Announces every device that the hub has. They are unreachable until the network is up. */
  load(): void {
    this.#parts.nodes.load();
    for (const node of this.#parts.nodes.members()) {
      this.#parts.descriptions.announce(node);
      this.#parts.orders.resume(node);
      this.#parts.availability.watch(node.ieee, { isMains: isMains(node.facts), silentMs: 0 });
    }
    this.#parts.availability.radioDown(startGraceMs);
  }

  /**
   * Resolves when the network is up and its devices are known, when the stick cannot be opened, or after
   * `atMostMs`.
   */
  whenOpen(atMostMs: number): Promise<void> {
    return this.#opening.wait(this.#host.clock, atMostMs);
  }

  opened(controller: Controller): void {
    if (this.#isStopped) return;
    const { adapter } = insideOf(controller);
    if (adapter) {
      this.#parts.refusals.follow(adapter);
      // Around the refusals: a device may refuse what it is asked together, and not what it is asked alone.
      this.#interviewReads.follow(controller, adapter);
    }
    this.#window.reset();
    this.#parts.radio.opened(controller);
    this.#parts.addresses.follow(controller, adapter);
    const isCurrent = (): boolean => this.#parts.radio.isOf(controller);
    void this.#parts.upgrades.look();
    const known = this.#takeUp(isCurrent).catch((error: unknown) => {
      this.#host.log("error", "could not load the network's devices", { reason: (error as Error).message });
    });
    follow(controller, this.#host.log, isCurrent, {
      heard: (device) => this.#heard(device),
      said: (arrival) => {
        if (this.#parts.addresses.isInDoubt(arrival.device.ieeeAddr)) return;
        const isKnown = this.#parts.nodes.get(arrival.device.ieeeAddr)?.units.length;
        if (isKnown) return this.#said(arrival);
        // A message means nothing until its sender is known.
        return known.then(() => (isCurrent() ? this.#said(arrival) : undefined));
      },
      joined: (device) => this.#joined(device),
      rejoined: (device) => this.#rejoined(device),
      interviewed: (device, isDone) => this.pairing.interviewed(device, isDone),
      announced: (device) => this.#announcedItself(device),
      left: (ieee) => this.#left(ieee),
      heardFrom: (address) => this.#parts.departures.heardFrom(address, this.pairing.isOpen),
      stranger: async (ieee, address) => {
        // The library missed its joining, or the user wants the device back.
        if (this.pairing.isOpen) admit(controller, ieee, address);
        else await this.#parts.departures.stranger(ieee, address);
      },
    });
  }

  failed(): void {
    if (!this.#hasFailed && !this.#parts.radio.isUp) this.#parts.availability.radioDown();
    this.#hasFailed = true;
    this.#opening.open();
  }

  reachabilityIgnored(isIgnored: boolean): void {
    this.#parts.availability.ignore(isIgnored);
  }

  closed(reason: string): void {
    if (this.#isStopped) return;
    this.#end(new AdapterError("unreachable", `the Zigbee network is not up: ${reason}`));
    this.#parts.availability.radioDown();
  }

  stop(): void {
    this.#isStopped = true;
    this.#end(new AdapterError("stopped", "the adapter has stopped"));
    this.#parts.orders.stop();
    this.#parts.reports.stop();
    this.#parts.availability.stop();
    this.#erasures.stop();
    this.#opening.open();
  }

  /** @throws AdapterError */
  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const { node, unit } = this.#parts.nodes.kept(native);
    await this.#parts.orders.carryOut(node, unit, command, signal);
  }

  /** Removes a unit that the hub has deleted. With its last unit the node leaves the network. */
  async forget(native: NativeId): Promise<void> {
    const node = this.#parts.nodes.members().find(({ kept }) => kept.has(native));
    if (node === undefined) return;
    this.#parts.reports.forget(native);
    this.#parts.orders.forget(native);
    this.#parts.nodes.drop(node, native);
    // Before the erasure: while the node is stored, the hub sees it after a crash and removes it again.
    if (!node.isMember) await this.#dismiss(node.ieee);
    await this.#erasures.of(node.ieee);
  }

  /** Updates the stored data of a device to what the hub has of it. */
  async #store(ieee: string): Promise<void> {
    const { nodes, departures, upgrades } = this.#parts;
    await departures.store();
    const node = nodes.get(ieee);
    if (node?.isMember === true) return await nodes.store(node);
    for (const owner of [nodes, upgrades, this.groups]) await owner.erase(ieee);
  }

  async #dismiss(ieee: string): Promise<void> {
    this.#parts.availability.forget(ieee);
    this.#parts.setUp.forget(ieee);
    this.#parts.settingReads.forget(ieee);
    this.#parts.polls.forget(ieee);
    this.#parts.upgrades.forget(ieee);
    this.#parts.sending.forget(ieee);
    this.#parts.addresses.forget(ieee);
    this.pairing.left(ieee);
    this.groups.forget(ieee);
    this.#parts.nodes.forget(ieee);
    await this.#parts.departures.dismiss(ieee);
  }

  #end(reason: AdapterError): void {
    const { controller } = this.#parts.radio;
    if (controller) endTimers(controller);
    this.#parts.radio.closed(reason);
    this.#parts.addresses.clear();
    this.#parts.chores.clear();
    this.#parts.setUp.stop();
    this.#parts.settingReads.stop();
    this.#parts.polls.stop();
    this.#parts.upgrades.stop();
    this.pairing.stop();
    this.#parts.nodes.rest();
  }

  /** The network is up: learns the current state of the hub's devices and reads what may have changed. */
  async #takeUp(isCurrent: () => boolean): Promise<void> {
    await this.#adopt();
    for (const node of this.#parts.nodes.members()) {
      const device = this.#parts.radio.device(node.ieee);
      if (device) await this.#know(node, device);
      if (!isCurrent()) return;
      this.#parts.descriptions.announceNews(node);
      if (device) this.#watch(node, device, this.#silenceOf(node, device));
      else this.#missing(node);
    }
    this.#parts.availability.radioUp();
    for (const node of this.#parts.nodes.members()) {
      if (this.#parts.radio.device(node.ieee) === undefined) continue;
      this.#parts.upgrades.resume(node);
      if (!node.isSetUp) this.#parts.setUp.begin(node);
      else {
        this.#parts.orders.readAnew(node);
        this.#parts.settingReads.begin(node);
        this.#parts.polls.begin(node);
      }
    }
    this.#opening.open();
    this.groups.opened();
    await this.#parts.departures.catchUp();
  }

  /** Resolves with true when the hub has all devices of an adopted network; with false after `atMostMs`. */
  #whenKept(atMostMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#host.clock.after(atMostMs, () => resolve(false));
      this.#adoptionEnded = () => {
        cancel();
        resolve(true);
      };
      void this.#adoptNow();
    });
  }

  /** Without a change of network, such as in a second import. */
  async #adoptNow(): Promise<void> {
    for (const [node, native] of await this.#adopt()) this.#kept(node, native);
  }

  /**
   * Keeps the devices of an adopted network, as far as the network that is up has them.
   * @returns the units that the hub did not have before
   */
  async #adopt(): Promise<readonly (readonly [Node, NativeId])[]> {
    const { nodes, radio, departures } = this.#parts;
    const waiting = this.#adopted.devices;
    const added: (readonly [Node, NativeId])[] = [];
    const missing = waiting.filter(({ ieee }) => radio.device(ieee) === undefined);
    for (const { ieee, name } of waiting) {
      const device = radio.device(ieee);
      if (device === undefined) continue;
      const node = await nodes.know(device);
      node.name = name;
      await departures.welcome(ieee);
      for (const { native } of node.units) {
        await nodes.keep(node, native, null);
        added.push([node, native]);
      }
    }
    if (waiting.length > missing.length) await this.#adopted.set(missing);
    if (missing.length === 0 && radio.isUp) this.#adoptionEnded();
    return added;
  }

  /** Learns what a device is. A device that cannot be understood does not hold up the others. */
  async #know({ ieee }: Node, device: Models.Device): Promise<void> {
    try {
      await this.#parts.nodes.know(device);
    } catch (error) {
      this.#host.log("error", "could not understand a device", {
        native: ieee,
        reason: (error as Error).message,
      });
    }
  }

  /** A sleeping device cannot be asked, so silence while the stick was away does not count. */
  #silenceOf({ ieee, facts }: Node, { lastSeen = 0 }: Models.Device): number {
    if (!isMains(facts)) return this.#parts.availability.silenceOf(ieee);
    return Math.max(this.#host.clock.now() - lastSeen, 0);
  }

  #missing(node: Node): void {
    this.#parts.availability.watch(node.ieee, { isMains: isMains(node.facts), silentMs: Infinity });
    this.#host.log("warn", "a device is no longer in the network", { native: node.ieee });
  }

  #watch(node: Node, { checkinInterval }: Models.Device, silentMs: number): void {
    const { ieee, facts } = node;
    // A switch that lives from its presses says nothing else.
    const checkInMs = facts.type === "GreenPower" ? Infinity : checkinInterval && checkinInterval * 1000;
    const allowedMs = this.#timeouts.silenceMsOf(node);
    this.#parts.availability.watch(ieee, {
      isMains: isMains(facts),
      silentMs,
      ...(checkInMs !== undefined && { checkInMs }),
      ...(allowedMs !== undefined && { allowedMs }),
    });
  }

  /** Watches all devices anew, after their timeouts were changed. */
  #watchAnew(): void {
    for (const node of this.#parts.nodes.members()) {
      const device = this.#parts.radio.device(node.ieee);
      if (device) this.#watch(node, device, this.#parts.availability.silenceOf(node.ieee));
    }
  }

  #heard({ ieeeAddr }: Models.Device): void {
    this.#parts.availability.heard(ieeeAddr);
    this.#parts.hearing.heard(ieeeAddr);
  }

  async #said(arrival: Events.MessagePayload): Promise<void> {
    const node = this.#parts.nodes.get(arrival.device.ieeeAddr);
    if (node === undefined) return;
    this.#parts.reports.take(node, arrival);
    this.#parts.orders.readAfter(node, messageOf(arrival));
    // Settings may have changed at the device.
    if (node.keptUnits.some(({ capabilities }) => capabilities.includes("CONFIGURABLE")))
      this.#parts.descriptions.announceNews(node);
    await this.#parts.upgrades.take(node, arrival);
  }

  async #joined(device: Models.Device): Promise<void> {
    const { ieeeAddr: ieee } = device;
    this.pairing.joined(device);
    if (this.pairing.isOpen) await this.#parts.departures.welcome(ieee);
    else if (this.#parts.departures.isForgotten(ieee)) await this.#dismiss(ieee);
  }

  /** A device of the library's table has joined again. In an open window it may have been reset. */
  #rejoined({ ieeeAddr }: Models.Device): void {
    const node = this.#parts.nodes.get(ieeeAddr);
    if (node?.isMember === true && this.pairing.isOpen) this.#returned(node);
  }

  /** Lamps announce themselves when they get power, in whatever state they are set to start in. */
  async #announcedItself({ ieeeAddr }: Models.Device): Promise<void> {
    const node = this.#parts.nodes.get(ieeeAddr);
    if (node?.isMember !== true) return;
    this.#parts.orders.readAnew(node);
    await node.model?.event("deviceAnnounce");
  }

  #left(ieee: string): void {
    const isMember = this.#parts.nodes.get(ieee)?.isMember === true;
    if (isMember) this.#host.log("warn", "a device has left the network", { native: ieee });
    this.#parts.availability.left(ieee);
    this.#parts.setUp.forget(ieee);
    this.#parts.settingReads.forget(ieee);
    this.#parts.polls.forget(ieee);
    this.pairing.left(ieee);
    this.#parts.nodes.forget(ieee);
  }

  #kept(node: Node, native: NativeId): void {
    const { ieee } = node;
    this.#parts.descriptions.announce(node);
    const device = this.#parts.radio.device(ieee);
    this.#parts.reports.report(node, native, { ...node.lastingOf(native), reachable: device !== undefined });
    if (device === undefined) return;
    this.#watch(node, device, 0);
    this.#parts.setUp.begin(node);
    this.groups.joined(node);
  }

  #returned(node: Node): void {
    const device = this.#parts.radio.device(node.ieee);
    if (device === undefined) return;
    this.#parts.descriptions.announce(node);
    this.#watch(node, device, 0);
    this.#parts.setUp.begin(node);
    this.groups.joined(node);
  }

  /** Reads the values that tell which clusters a device really has. */
  async #getToKnow(device: Models.Device): Promise<Node> {
    const { nodes, sending } = this.#parts;
    const stranger = new Node(factsOf(device));
    for (const read of factsToRead(stranger.facts)) await sending.once(stranger, read).catch(() => undefined);
    const node = await nodes.know(device);
    for (const read of unreadOptions(node.units)) await sending.once(node, read).catch(() => undefined);
    nodes.lookAgain(node, device);
    await node.model?.event("deviceJoined");
    return node;
  }
}
