import type { AdapterClock, AdapterHost, AnswerRequest, DeviceCommand, NativeId } from "@ledge/port";
import { AdapterError, Latch } from "@ledge/port";
import type { Driver, ZWaveNode } from "zwave-js";
import { Configurations } from "./configuration/configurations.ts";
import { settingClasses } from "./configuration/node-settings.ts";
import { Exclusion } from "./exclusion.ts";
import { HardReset } from "./hard-reset.ts";
import { asNumber, isWellCharged, type ValueId, valueOf } from "./facts.ts";
import { faultOf } from "./fault.ts";
import { Jam } from "./jam.ts";
import { Leaving } from "./leaving.ts";
import type { Images } from "./firmware/images.ts";
import { StickUpgrade } from "./firmware/stick-upgrade.ts";
import { Upgrades } from "./firmware/upgrades.ts";
import { commandClass } from "./map/command-class.ts";
import { attributesOf, isUnusable } from "./map/units.ts";
import { type KeptUnit, type Member, Members, nativeOf, networkOf, nodeIdOf } from "./member.ts";
import { Multicast } from "./multicast.ts";
import type { NetworkListener } from "./network.ts";
import { NvmBackups } from "./nvm-backups.ts";
import { NvmRestore } from "./nvm-restore.ts";
import { Orders } from "./orders.ts";
import { ZWavePairing } from "./pairing.ts";
import { Radio } from "./radio.ts";
import { Reach } from "./reach.ts";
import { RouteRebuild } from "./route-rebuild.ts";
import { SmartStart } from "./smart-start.ts";
import { Troubles } from "./troubles.ts";
import { keptUnitsOf } from "./unit-facts.ts";
import { Wakefulness } from "./wakefulness.ts";

/** The devices of the network: announces and reports those of the hub, and carries out commands. */
export class Devices implements NetworkListener {
  readonly radio = new Radio();
  readonly pairing: ZWavePairing;
  readonly exclusion: Exclusion;
  readonly smartStart: SmartStart;
  readonly nvm: NvmBackups;
  readonly restore: NvmRestore;
  readonly stickUpgrade: StickUpgrade;
  readonly rebuild: RouteRebuild;
  readonly hardReset: HardReset;
  readonly leaving: Leaving;
  readonly configurations: Configurations;
  readonly multicast: Multicast;
  readonly clock: AdapterClock;
  readonly #host: AdapterHost;
  readonly #members: Members;
  readonly #orders: Orders;
  readonly #reach: Reach;
  readonly #images: Images;
  readonly #upgrades: Upgrades;
  readonly #wakefulness: Wakefulness;
  readonly #followed = new WeakSet<ZWaveNode>();
  readonly #dropped = new Map<number, number>();
  readonly #opening = new Latch();
  readonly #troubles: Troubles;
  readonly #jam: Jam;
  #isStopped = false;

  /** @param images firmware for devices */
  constructor(host: AdapterHost, images: Images) {
    this.#host = host;
    this.#images = images;
    this.clock = host.clock;
    this.#members = new Members(host.store);
    this.#wakefulness = new Wakefulness(host.clock);
    this.#reach = new Reach((member, reachable) => this.#reportAll(member, { reachable }));
    this.#troubles = new Troubles(host);
    this.#jam = new Jam(host, this.#troubles);
    this.#orders = new Orders(this.radio, this.#reach, this.#wakefulness, this.#jam, (member) =>
      this.#reportNow(member),
    );
    this.#upgrades = new Upgrades({
      host,
      radio: this.radio,
      reach: this.#reach,
      images,
      wakefulness: this.#wakefulness,
      changed: (native) => this.#announceAgain(native),
    });
    this.exclusion = new Exclusion(host.clock, this.radio);
    this.smartStart = new SmartStart(host, this.radio);
    const devicesOf = (network: string) =>
      this.#members.of(network).map(({ native }) => [native, nodeIdOf(native)] as const);
    this.nvm = new NvmBackups(host, this.radio, (network) => devicesOf(network).length > 0);
    this.restore = new NvmRestore({ host, radio: this.radio, nvm: this.nvm, devicesOf });
    this.stickUpgrade = new StickUpgrade({
      host,
      radio: this.radio,
      nvm: this.nvm,
      images,
      away: (reason) => this.closed(reason),
    });
    this.rebuild = new RouteRebuild(this.radio);
    this.hardReset = new HardReset(host.clock, this.radio);
    this.leaving = new Leaving(host, this.radio);
    this.configurations = new Configurations({
      clock: host.clock,
      radio: this.radio,
      reach: this.#reach,
      wakefulness: this.#wakefulness,
      members: this.#members,
      describe: (node, member) => this.#describe(node, member),
    });
    this.multicast = new Multicast(this.radio, this.#members);
    this.pairing = new ZWavePairing({
      host,
      radio: this.radio,
      exclusion: this.exclusion,
      backUp: () => this.nvm.backUpIfDue(),
      isKept: (native) => this.#members.withUnit(native) !== undefined,
      unitsOf: (node) => this.#unitsOf(node),
      keep: (node, kept) => this.#keep(node, kept),
      announceAgain: (native) => this.#announceAgain(native),
    });
  }

  /** Announces every device that the hub has. They are unreachable until the network is up. */
  async load(): Promise<void> {
    await this.#images.scan();
    this.#members.load();
    this.smartStart.load();
    for (const member of this.#members.all()) {
      for (const kept of member.units.values()) this.#announce(kept);
      this.#reach.say(member, false);
      this.#upgrades.resume(member);
    }
  }

  /** Resolves when the network is up, when the stick cannot be opened, or after `atMostMs`. */
  whenOpen(atMostMs: number): Promise<void> {
    return this.#opening.wait(this.clock, atMostMs);
  }

  opened(driver: Driver, giveUp: (reason: string) => void): void {
    if (this.#isStopped) return;
    this.radio.opened(driver, giveUp);
    const { controller } = driver;
    // Before the nodes: one of them may be of the list.
    this.#logFailure(this.smartStart.opened(controller));
    for (const node of controller.nodes.values()) if (!node.isControllerNode) this.#follow(node);
    controller.on("node found", ({ id }) => this.pairing.joining(id));
    controller.on("node added", (node, result) => {
      this.nvm.changed();
      this.#logFailure(this.smartStart.joined(node));
      this.#follow(node);
      this.pairing.joined(node, result.lowSecurity === true ? { code: result.lowSecurityReason } : undefined);
    });
    controller.on("node removed", ({ id }) => this.#left(id));
    controller.on("inclusion failed", () => this.pairing.failed());
    controller.on("inclusion state changed", () => {
      this.pairing.settle();
      this.smartStart.settle(controller);
    });
    controller.on("status changed", (status) => this.radio.driver === driver && this.#jam.is(status));
    this.exclusion.follow(controller);
    this.rebuild.follow(controller);
    this.leaving.follow(controller);
    this.pairing.settle();
    this.#logFailure(this.restore.opened());
    this.#logFailure(this.leaving.opened(controller));
    this.#logFailure(this.stickUpgrade.opened(driver, giveUp));
    this.#lookForSwap();
    for (const member of this.#members.all()) {
      if (this.radio.nodeOf(member.native) === undefined)
        this.#host.log("warn", "a device is no longer in the network", { native: member.native });
    }
    this.#opening.open();
  }

  closed(reason: string): void {
    this.radio.closed(new AdapterError("unreachable", `the Z-Wave network is not up: ${reason}`));
    this.pairing.closed();
    this.exclusion.closed();
    this.rebuild.closed();
    this.leaving.closed();
    this.#jam.closed();
    this.#troubles.set("swapped", false);
    this.#upgrades.closed();
    for (const member of this.#members.all()) this.#reach.say(member, false);
  }

  failed(): void {
    this.#opening.open();
  }

  stop(): void {
    this.#isStopped = true;
    this.radio.closed(new AdapterError("stopped", "the adapter has stopped"));
    this.pairing.stop();
    this.#jam.stop();
    this.configurations.stop();
    this.#wakefulness.stop();
    this.exclusion.closed();
    this.hardReset.stop();
    this.leaving.stop();
    this.restore.stop();
    this.stickUpgrade.stop();
    this.smartStart.stop();
    this.#upgrades.stop();
    this.#opening.open();
  }

  /** Returns how many values of a node the hub could not use since the start, such as a temperature of 3000 °C. */
  droppedOf({ id }: ZWaveNode): number {
    return this.#dropped.get(id) ?? 0;
  }

  /** @throws AdapterError */
  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const member = this.#members.withUnit(native);
    const kept = member?.units.get(native);
    if (member === undefined || kept === undefined)
      throw new AdapterError("refused", `no device has the address ${native}`);
    await this.#orders.carryOut(member, kept.unit, command, signal);
  }

  /** START_UPGRADE {native}: installs the newest image for a device. */
  readonly startUpgrade: AnswerRequest = async ({ native }, signal) =>
    await this.#upgrades.start(this.#upgradable(native), signal);

  /** CANCEL_UPGRADE {native}: gives up an upgrade that waits for the device to wake up. */
  readonly cancelUpgrade: AnswerRequest = async ({ native }) =>
    await this.#upgrades.cancel(this.#upgradable(native));

  #upgradable(native: unknown): Member {
    const member = this.#members.get(String(native));
    if (member === undefined) throw new AdapterError("unsupported", `${String(native)} takes no firmware`);
    return member;
  }

  /**
   * Removes a unit that the hub has deleted. Its node stays in the network until somebody excludes it; one that is
   * dead is removed from it at once.
   */
  async forget(native: NativeId): Promise<void> {
    const member = this.#members.withUnit(native);
    if (member === undefined || !(await this.#members.drop(member, native))) return;
    await this.#upgrades.forget(member.native);
    this.#lookForSwap();
    const node = this.radio.nodeOf(member.native);
    if (node === undefined || !this.#reach.isDead(node)) return;
    await this.radio.driver?.controller.removeFailedNode(node.id).catch((error: unknown) => {
      this.#host.log("info", "a dead node was not removed", { native, reason: faultOf(error).message });
    });
  }

  #nativeOf({ id }: ZWaveNode): NativeId {
    return nativeOf(this.radio.homeId, id);
  }

  #unitsOf(node: ZWaveNode): readonly KeptUnit[] {
    return keptUnitsOf(node, this.#nativeOf(node), this.radio.controller());
  }

  #follow(node: ZWaveNode): void {
    if (this.#followed.has(node)) return;
    this.#followed.add(node);
    const { driver } = this.radio;
    const isCurrent = (): boolean => !this.#isStopped && this.radio.driver === driver;
    const said = (id: ValueId, value: unknown): void => {
      if (isCurrent()) this.#said(node, id, value);
    };
    node.on("value added", (_node, args) => said(args, args.newValue));
    node.on("value updated", (_node, args) => said(args, args.newValue));
    node.on("value notification", (_node, args) => said(args, args.value));
    node.on("notification", (endpoint, of, told) => {
      const isLow = asNumber(of) === commandClass.battery && "urgency" in told;
      if (isLow && isCurrent()) this.#saidLow(node, endpoint.index);
    });
    node.on("ready", () => isCurrent() && this.#ready(node));
    for (const event of ["dead", "alive", "sleep"] as const)
      node.on(event, () => isCurrent() && this.#reached(node));
    node.on("wake up", () => isCurrent() && this.#awoke(node));
    node.on("interview failed", (_node, { isFinal }) => {
      if (isFinal && isCurrent()) this.pairing.unknown(node);
    });
    if (node.ready) this.#ready(node);
    else this.#reached(node);
  }

  #ready(node: ZWaveNode): void {
    const native = this.#nativeOf(node);
    const member = this.#members.get(native);
    if (member !== undefined) this.#logFailure(this.#learn(node, member));
    this.pairing.ready(node);
    this.#logFailure(this.#keepIfEntered(node));
  }

  /** A device of the list that joins by itself waits for no scan. */
  async #keepIfEntered(node: ZWaveNode): Promise<void> {
    if (!this.smartStart.isToKeep(node) || this.#isStopped) return;
    for (const kept of this.#unitsOf(node)) await this.#keep(node, kept);
    await this.smartStart.kept(node);
  }

  /** What a device does of itself has nobody who waits for it and could hear that it failed. */
  #logFailure(done: Promise<void>): void {
    done.catch((error: unknown) => {
      this.#host.log("warn", "what a device did was not stored", { reason: faultOf(error).message });
    });
  }

  /** Announces what an interview has changed, and reports all values. */
  async #learn(node: ZWaveNode, member: Member): Promise<void> {
    await this.#upgrades.ready(node, member.native);
    await this.#describe(node, member);
    this.#reached(node);
    this.#reportNow(member);
    if (!this.#reach.isAsleep(node, member)) await this.#upgrades.awoke(node, member.native);
  }

  /** Announces what has changed of its description, unless the node is not in the network any more. */
  async #describe(node: ZWaveNode, member: Member): Promise<void> {
    if (this.radio.nodeOf(member.native) !== node) return;
    for (const kept of this.#unitsOf(node)) {
      const before = member.units.get(kept.unit.native);
      if (before === undefined || JSON.stringify(before) === JSON.stringify(kept)) continue;
      await this.#members.keep(member.native, kept);
      this.#announce(kept);
    }
  }

  async #keep(node: ZWaveNode, kept: KeptUnit): Promise<void> {
    const member = await this.#members.keep(this.#nativeOf(node), kept);
    this.#lookForSwap();
    if (kept.unit.native === member.native) await this.#upgrades.ready(node, member.native);
    this.#announce(kept);
    this.#reach.say(member, this.#reach.isReachable(node) ?? false);
    this.#reportNow(member);
  }

  /** A stick that has none of the hub's devices is another. */
  #lookForSwap(): void {
    if (this.radio.driver === undefined || this.#isStopped) return;
    const [isEmpty, hasSome] = [
      this.#members.all().length === 0,
      this.#members.of(networkOf(this.radio.homeId)).length > 0,
    ];
    this.#troubles.set("swapped", !isEmpty && !hasSome);
  }

  #announceAgain(native: NativeId): void {
    const kept = this.#members.withUnit(native)?.units.get(native);
    if (kept) this.#announce(kept);
  }

  #announce({ unit: { native }, description }: KeptUnit): void {
    const isUpgraded = description.capabilities.includes("UPGRADE");
    const upgrade = isUpgraded && { upgrade: this.#upgrades.reportOf(native) };
    if (!this.#isStopped) this.#host.announce({ ...description, ...upgrade });
  }

  #reached(node: ZWaveNode): void {
    this.pairing.reached(node);
    const member = this.#members.get(this.#nativeOf(node));
    const reachable = this.#reach.isReachable(node);
    if (member !== undefined && reachable !== undefined) this.#reach.say(member, reachable);
  }

  /** The hub sends what waits for a device when it reports, so this report says nothing new. */
  #awoke(node: ZWaveNode): void {
    this.#reached(node);
    const member = this.#members.get(this.#nativeOf(node));
    if (member === undefined) return;
    this.#wakefulness.awoke(node, member);
    this.#reportAll(member, { reachable: true });
    this.#logFailure(this.#upgrades.awoke(node, member.native));
  }

  #left(id: number): void {
    const native = nativeOf(this.radio.homeId, id);
    const member = this.#members.get(native);
    if (member !== undefined) this.#reach.say(member, false);
    this.nvm.changed();
    this.#logFailure(this.smartStart.left(native));
    this.pairing.left(native);
  }

  #said(node: ZWaveNode, id: ValueId, value: unknown): void {
    const member = this.#members.get(this.#nativeOf(node));
    if (member === undefined) return;
    const said = valueOf(node, id, value);
    if (settingClasses.has(said.commandClass) && node.ready) this.configurations.changed(node, member);
    if (isUnusable(said)) this.#dropped.set(node.id, this.droppedOf(node) + 1);
    const more = isWellCharged(node, said) ? { batteryLow: false } : {};
    for (const { unit } of member.units.values()) {
      if (unit.endpoints.includes(said.endpoint))
        this.#report(member, unit.native, { ...attributesOf(said, unit), ...more });
    }
  }

  /** A device of the first version says with a level of its own that its battery is low. */
  #saidLow(node: ZWaveNode, endpoint: number): void {
    const member = this.#members.get(this.#nativeOf(node));
    for (const { unit } of member?.units.values() ?? []) {
      if (member && unit.endpoints.includes(endpoint))
        this.#report(member, unit.native, { batteryLow: true });
    }
  }

  /** Reports all that the library knows of a member. Presses are not repeated: they are no state. */
  #reportNow(member: Member): void {
    const node = this.radio.nodeOf(member.native);
    if (node === undefined) return;
    for (const { unit } of member.units.values()) {
      const attributes = node
        .getDefinedValueIDs()
        .filter(({ endpoint = 0 }) => unit.endpoints.includes(endpoint))
        .map((id) => attributesOf(valueOf(node, id, node.getValue(id)), unit))
        .filter((each) => !("button" in each));
      const reachable = this.#reach.isReachable(node);
      const all = Object.assign({}, ...attributes) as Record<string, unknown>;
      this.#report(member, unit.native, { ...all, ...(reachable !== undefined && { reachable }) });
    }
  }

  #reportAll(member: Member, attributes: Readonly<Record<string, unknown>>): void {
    for (const native of member.units.keys()) this.#report(member, native, attributes);
  }

  #report(member: Member, native: NativeId, attributes: Readonly<Record<string, unknown>>): void {
    if (this.#isStopped || Object.keys(attributes).length === 0) return;
    member.values.set(native, { ...member.values.get(native), ...attributes });
    this.#host.report({ native, attributes });
  }
}
