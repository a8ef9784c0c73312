import type { AdapterHost, FoundDevice, NativeId, Pairing } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { ZWaveNode } from "zwave-js";
import type { Exclusion } from "./exclusion.ts";
import { asCommandClass } from "./facts.ts";
import type { InclusionState, InclusionStatus } from "./inclusion-state.ts";
import { type JoinFailure, joinFailureOf } from "./join-failure.ts";
import { KeyExchange, type Question } from "./key-exchange.ts";
import { type KeptUnit, nativeOf } from "./member.ts";
import type { Radio } from "./radio.ts";
import { libraryStatus } from "./reach.ts";
import { type SecurityClassName, securityNameOf } from "./security-class.ts";

/** How long until a failed inclusion is tried again while the window is open, ms. */
const againMs = 5000;

/** The command class Security 2. */
const security2 = 0x9f;

/** The library's InclusionStrategy. */
export const strategy = { default: 0, insecure: 2, s0: 3 } as const;
export type Strategy = keyof typeof strategy;
/** Those for a replacement, of which nobody knows beforehand what it can do. */
const replacing = { default: 4, insecure: 2, s0: 3 } as const satisfies Record<Strategy, number>;
/** How long the stick waits for the device that takes the place of another, ms. */
const replacedWithinMs = 120_000;

/** Options of `ZWavePairing`. */
export interface PairingOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly exclusion: Exclusion;
  /** Saves the network before it changes. Never rejects. */
  readonly backUp: () => Promise<void>;
  /** Whether the hub has a unit. */
  readonly isKept: (native: NativeId) => boolean;
  readonly unitsOf: (node: ZWaveNode) => readonly KeptUnit[];
  readonly keep: (node: ZWaveNode, kept: KeptUnit) => Promise<void>;
  readonly announceAgain: (native: NativeId) => void;
}

/** What a client asks of an inclusion. */
export interface InclusionWish {
  /** The security that a device gets. */
  readonly how: Strategy;
  /** The keys of S2 and S0 that it may get; undefined: all that it asks for. */
  readonly allowed: readonly SecurityClassName[] | undefined;
  /** Whether the client is asked which of the keys it gets. */
  readonly isAsked: boolean;
}

/** What a scan wishes of which nobody has said anything. */
const usualWish: InclusionWish = { how: "default", allowed: undefined, isAsked: false };

/** Lets devices join the network, and hands those to the hub that it keeps. */
export class ZWavePairing implements Pairing {
  readonly keys: KeyExchange;
  readonly #options: PairingOptions;
  /** Found units that are neither kept nor discarded. */
  readonly #offered = new Set<NativeId>();
  #isOpen = false;
  #isIncluding = false;
  #isReplacing = false;
  #cancelReplacing = (): void => {};
  /** What a client has asked of the open window. */
  #wish = usualWish;
  #status: InclusionStatus = "IDLE";
  #nodeId: number | null = null;
  /** The node that is joining. */
  #joining: NativeId | undefined;
  /** Why the last device that joined has not got its keys. */
  #failure: JoinFailure | undefined;
  /** Nodes that the hub cannot use, and the texts that say what to do. */
  readonly #unknown = new WeakMap<ZWaveNode, string>();
  #closesAt = 0;
  #cancelClose = (): void => {};
  #cancelAgain = (): void => {};

  constructor(options: PairingOptions) {
    this.#options = options;
    this.keys = new KeyExchange(options.host.clock, () => this.#showJoining());
  }

  /** How the last inclusion went, and the node that joined. */
  get state(): InclusionState {
    const reason = this.#failure && { reason: this.#failure.reason };
    const isEarly = this.#status === "RUNNING" && this.#options.radio.driver === undefined;
    return { status: this.#status, nodeId: this.#nodeId, ...reason, ...(isEarly && { waitsFor: "NETWORK" }) };
  }

  /** While the network is not up the window waits for it: devices can join as soon as it is. */
  async open(windowMs: number): Promise<void> {
    const { host } = this.#options;
    this.#closesAt = Math.max(this.#isOpen ? this.#closesAt : 0, host.clock.now() + windowMs);
    this.#cancelClose();
    this.#cancelClose = host.clock.after(this.#closesAt - host.clock.now(), () => void this.close());
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#wish = usualWish;
    this.#allow();
    this.#begin();
    for (const node of this.#nodes()) this.#offer(node);
    await this.#include();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#cancelClose();
    this.keys.refuse("late");
    await this.#stopIncluding("TIMEOUT");
  }

  async keep(native: NativeId): Promise<void> {
    if (this.#options.isKept(native)) {
      this.#options.announceAgain(native);
      return;
    }
    const node = this.#options.radio.nodeOf(native);
    const unit =
      node?.ready === true ? this.#unitsOf(node).find((each) => each.unit.native === native) : undefined;
    if (node === undefined || unit === undefined)
      throw new AdapterError("refused", `no device with the address ${native} was found`);
    this.#offered.delete(native);
    await this.#options.keep(node, unit);
  }

  async discard(native: NativeId): Promise<void> {
    this.#offered.delete(native);
  }

  /** Lets devices join as a client asks, as soon as the network is up. */
  async start(wish: InclusionWish): Promise<void> {
    this.#begin();
    if (!this.#isOpen) {
      this.#status = "NOT_PAIRING";
      return;
    }
    const isOther = this.#wish.how !== wish.how;
    this.#wish = wish;
    this.#allow();
    if (isOther) await this.#stopIncluding("CANCEL");
    this.#status = "RUNNING";
    await this.#include();
  }

  /**
   * Lets the next device that seeks a network take the place of a failed node, also without a scan. Resolves when the stick
   * waits for it; `state` says the rest.
   * @param how its security; undefined: as the node had it
   * @throws AdapterError
   */
  async replace(node: ZWaveNode, how: Strategy | undefined): Promise<void> {
    const { radio, host } = this.#options;
    const controller = radio.controller();
    if (this.#isIncluding) await this.#stopIncluding("CANCEL");
    this.#begin();
    this.#isReplacing = true;
    this.#allow();
    const options = { strategy: replacing[how ?? securityOf(node)], userCallbacks: this.keys.callbacks };
    // The library says nothing when it refuses to begin.
    const hasBegun = await radio.whileUp(controller.replaceFailedNode(node.id, options)).catch((error) => {
      this.#endReplacing();
      this.#status = "ERROR";
      throw error;
    });
    if (!hasBegun) {
      this.#endReplacing();
      this.#status = "ERROR";
      throw new AdapterError("busy", "the stick is busy");
    }
    this.#cancelReplacing = host.clock.after(replacedWithinMs, () => void this.#stopIncluding("TIMEOUT"));
  }

  #endReplacing(): void {
    this.#isReplacing = false;
    this.#cancelReplacing();
    this.#allow();
  }

  /** A replacement gets what it asks for, whatever a client asks of the window. */
  #allow(): void {
    const { allowed, isAsked } = this.#isReplacing ? usualWish : this.#wish;
    this.keys.allow(allowed, isAsked);
  }

  async cancel(): Promise<void> {
    this.keys.refuse("refused");
    await this.#stopIncluding("CANCEL");
  }

  /** The stick has found a device that joins. */
  joining(id: number): void {
    // From now on the exchange of keys has limits of its own.
    this.#cancelReplacing();
    this.#joining = nativeOf(this.#options.radio.homeId, id);
    this.keys.begin();
    this.#showJoining();
  }

  /**
   * A node has joined; it is not interviewed yet.
   * @param failure the library's reason, when it has not got the keys that it should have
   */
  joined(node: ZWaveNode, failure: { readonly code: number | undefined } | undefined): void {
    this.#joining = undefined;
    this.#endReplacing();
    this.#nodeId = node.id;
    this.#failure = failure && joinFailureOf(failure.code, this.keys.unanswered);
    this.#status = this.#failure?.status ?? "SUCCESS";
    if (this.#failure) {
      this.#options.host.log("warn", "a device has joined without the keys that it should have", {
        node: node.id,
        reason: this.#failure.reason,
      });
    }
    if (node.failedS2Bootstrapping) this.unknown(node, this.#failure?.help);
    else this.#offer(node);
  }

  /** An inclusion has failed; the device that was joining has to begin anew. */
  failed(): void {
    this.#endReplacing();
    const native = this.#joining;
    this.#joining = undefined;
    if (native !== undefined) this.left(native);
    if (this.#status === "RUNNING") this.#status = "ERROR";
  }

  /** A node could not be interviewed, or has not got its keys. */
  unknown(node: ZWaveNode, help = "pairing.failed"): void {
    this.#unknown.set(node, help);
    this.goOn();
    const native = nativeOf(this.#options.radio.homeId, node.id);
    if (!this.#isOpen || this.#options.isKept(native)) return;
    const isSilent = progressOf(node).status === "CONNECTED";
    const how = isSilent ? progressOf(node) : ({ status: "CONNECTED", actionRequired: true, help } as const);
    this.#find({ native, description: null, ...how });
  }

  ready(node: ZWaveNode): void {
    this.#unknown.delete(node);
    this.goOn();
    this.#offer(node);
  }

  /** A node that has not been interviewed has fallen asleep, died, or answered. */
  reached(node: ZWaveNode): void {
    this.goOn();
    if (!node.ready && this.#offered.has(nativeOf(this.#options.radio.homeId, node.id))) this.#offer(node);
  }

  /** A node has left. One of the list that gets no keys is thrown out before it has joined. */
  left(native: NativeId): void {
    if (native === this.#joining) {
      this.failed();
      this.goOn();
      return;
    }
    for (const offered of this.#offered) {
      if (offered !== native && !offered.startsWith(`${native}/`)) continue;
      this.#offered.delete(offered);
      this.#options.host.lost(offered);
    }
  }

  /** What the stick does has changed. */
  settle(): void {
    this.#isIncluding = false;
    this.goOn();
  }

  /** Lets further devices join while the window is open. */
  goOn(): void {
    if (!this.#isOpen || this.#isIncluding || this.#status === "CANCEL" || this.#status === "NOT_PAIRING")
      return;
    this.#cancelAgain();
    this.#cancelAgain = this.#options.host.clock.after(0, () => void this.#include());
  }

  /** The network is not up any more; the window stays open for when it is back. */
  closed(): void {
    this.#isIncluding = false;
    this.#cancelAgain();
    this.keys.refuse("late");
    this.failed();
  }

  stop(): void {
    this.#isOpen = false;
    this.#endReplacing();
    this.#cancelClose();
    this.#cancelAgain();
    this.keys.refuse("late");
  }

  #nodes(): readonly ZWaveNode[] {
    const { driver } = this.#options.radio;
    return driver ? [...driver.controller.nodes.values()].filter((node) => !node.isControllerNode) : [];
  }

  #unitsOf(node: ZWaveNode): readonly KeptUnit[] {
    return this.#options.unitsOf(node);
  }

  /** The library interviews no node while it includes another, so it includes when none waits for that. */
  #isBeingInterviewed(node: ZWaveNode): boolean {
    const status: number = node.status;
    const isSilent = status === libraryStatus.asleep || status === libraryStatus.dead;
    return !node.ready && !isSilent && this.#troubleOf(node) === undefined;
  }

  async #include(): Promise<void> {
    const { radio, host, exclusion } = this.#options;
    const { driver } = radio;
    if (!this.#isOpen || driver === undefined || exclusion.isRunning || this.#isIncluding) return;
    if (this.#isReplacing) return;
    if (this.#joining !== undefined || this.#nodes().some((node) => this.#isBeingInterviewed(node))) return;
    if (!radio.isResting) return;
    this.#isIncluding = true;
    if (this.#nodeId === null) this.#status = "RUNNING";
    await this.#options.backUp();
    // Meanwhile somebody may have ended the scan, or begun something else.
    const isOver = !this.#isOpen || this.#isReplacing || exclusion.isRunning || this.#status === "CANCEL";
    if (isOver || radio.driver !== driver) {
      this.#isIncluding = false;
      return;
    }
    const options = { strategy: strategy[this.#wish.how], userCallbacks: this.keys.callbacks };
    const hasBegun = await driver.controller.beginInclusion(options).catch(() => false);
    if (hasBegun) return;
    this.#isIncluding = false;
    this.#cancelAgain();
    this.#cancelAgain = host.clock.after(againMs, () => void this.#include());
  }

  async #stopIncluding(status: InclusionStatus): Promise<void> {
    this.#cancelAgain();
    this.#endReplacing();
    if (this.#status === "RUNNING" || status === "CANCEL") this.#status = status;
    // False, when it ended by itself meanwhile.
    await this.#options.radio.driver?.controller.stopInclusion().catch(() => false);
  }

  /** Offers the units of a node that the hub does not have. */
  #offer(node: ZWaveNode): void {
    if (!this.#isOpen) return;
    const native = nativeOf(this.#options.radio.homeId, node.id);
    const trouble = this.#troubleOf(node);
    if (trouble !== undefined) {
      this.unknown(node, trouble);
      return;
    }
    if (!node.ready) {
      if (!this.#options.isKept(native)) this.#find({ native, description: null, ...progressOf(node) });
      return;
    }
    const units = this.#unitsOf(node);
    if (units.length === 0) this.unknown(node);
    for (const { unit, description } of units) {
      if (this.#options.isKept(unit.native)) continue;
      const help = lacksKeys(node) ? "pairing.zwave-no-keys" : null;
      const how = { status: "COMPLETE", actionRequired: false, help } as const;
      this.#find({ native: unit.native, description, ...how });
    }
  }

  #find(found: FoundDevice): void {
    this.#offered.add(found.native);
    this.#options.host.found(found);
  }

  #showJoining(): void {
    const native = this.#joining;
    if (native === undefined || !this.#isOpen) return;
    const { question } = this.keys;
    const about = question === undefined ? { help: "pairing.wait" } : asking(question);
    const actionRequired = question !== undefined;
    this.#find({ native, description: null, status: "CONNECTING", actionRequired, ...about });
  }

  #begin(): void {
    this.#status = "RUNNING";
    this.#nodeId = null;
    this.#failure = undefined;
  }

  /** What keeps the hub from a node, as a text for people; undefined when nothing does. */
  #troubleOf(node: ZWaveNode): string | undefined {
    return this.#unknown.get(node) ?? (node.failedS2Bootstrapping ? "pairing.zwave-no-keys" : undefined);
  }
}

/** Returns what a scan says of a node that has joined and is not interviewed yet. */
function progressOf({ id, status }: ZWaveNode): Omit<FoundDevice, "native" | "description"> {
  const now: number = status;
  if (now === libraryStatus.dead) {
    const helpValues = { node: String(id) };
    return { status: "CONNECTED", actionRequired: true, help: "pairing.zwave-silent", helpValues };
  }
  if (now === libraryStatus.asleep)
    return { status: "CONNECTED", actionRequired: true, help: "pairing.press-button" };
  return { status: "CONNECTING", actionRequired: false, help: "pairing.wait" };
}

/** Returns whether a node could have keys of S2 and has none, for instance because its join was cut short. */
function lacksKeys(node: ZWaveNode): boolean {
  const key = node.getHighestSecurityClass();
  return node.supportsCC(asCommandClass(security2)) && key !== undefined && securityNameOf(key) === undefined;
}

function securityOf(node: ZWaveNode): Strategy {
  const key = node.getHighestSecurityClass();
  const name = key === undefined ? undefined : securityNameOf(key);
  return name === undefined ? "insecure" : name === "S0_Legacy" ? "s0" : "default";
}

function asking(question: Question): Pick<FoundDevice, "help" | "helpValues"> {
  return question.asks === "pin"
    ? { help: "pairing.zwave-pin", helpValues: { dsk: question.dsk } }
    : { help: "pairing.zwave-keys", helpValues: { keys: question.keys.join(", ") } };
}
