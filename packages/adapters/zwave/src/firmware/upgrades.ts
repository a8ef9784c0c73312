import { limits, type UpgradeReport } from "@ledge/model";
import {
  AdapterError,
  type AdapterHost,
  type FirmwareProgress,
  type NativeId,
  upgradeReport,
} from "@ledge/port";
import type { FirmwareUpdateProgress, ZWaveNode } from "zwave-js";
import { asCommandClass } from "../facts.ts";
import { faultOf } from "../fault.ts";
import { commandClass } from "../map/command-class.ts";
import type { Member } from "../member.ts";
import type { Radio } from "../radio.ts";
import type { Reach } from "../reach.ts";
import type { Wakefulness } from "../wakefulness.ts";
import type { FirmwarePart, Images } from "./images.ts";
import { compareVersions, type ListedUpgrade } from "./listed.ts";
import { type NodeNotes, nodeNotes } from "./notes.ts";
import { UpgradeQueue } from "./queue.ts";

/** How long a device may take to say what it runs after it has taken an image, ms. */
const verifyMs = 600_000;
/** How often progress is told, ms. */
const tellMs = 2000;

/** What a device says at the end of an upgrade that failed, by FirmwareUpdateStatus (SDS13782). */
const failures: Readonly<Record<number, string>> = {
  [-1]: "the device no longer asked for the image, or did not say that it has it",
  0: "the device found the image damaged",
  1: "the image did not reach the device",
  2: "the device says that the image is of another manufacturer",
  3: "the device says that the image is for another firmware",
  4: "the device has no such part",
  5: "the device does not understand the image",
  6: "the device does not understand the format of the image",
  7: "the device has no room for the image",
  8: "the device says that the image is for other hardware",
};

/** What a requested upgrade waits for. */
const waiting = "the device sleeps: it begins when the device wakes up";

/** What the library says of a device that did not answer before it asked for the image, or at its end. */
const unanswered: ReadonlySet<number> = new Set([-1, 1]);

interface Course {
  readonly version: string;
  readonly began: number;
  pctComplete: number;
  toldAt: number;
  /** Whether the device has asked for the image. */
  isBegun: boolean;
  cancel: () => void;
  /** Lets the device sleep again. */
  readonly release: () => void;
}

/** The library remembers here how far a node is, until its process or the stick ends. */
interface Resumable {
  _previousFirmwareCRC: number | undefined;
}

/** Options of `Upgrades`. */
export interface UpgradesOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly reach: Reach;
  readonly images: Images;
  readonly wakefulness: Wakefulness;
  /** Called when the report of a node has changed. */
  readonly changed: (native: NativeId) => void;
}

/** Returns whether a node takes new firmware over the air. */
export function isUpgradable(node: ZWaveNode): boolean {
  return node.supportsCC(asCommandClass(commandClass.firmwareUpdate));
}

/** The firmware of nodes: what they run, which images fit, and upgrades. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #courses = new Map<NativeId, Course>();
  readonly #notes: NodeNotes;
  readonly #queue: UpgradeQueue;

  constructor(options: UpgradesOptions) {
    const { host, radio, changed } = options;
    this.#options = options;
    this.#notes = nodeNotes(host.store, changed);
    this.#queue = new UpgradeQueue({ host, notes: this.#notes, isUp: () => radio.driver !== undefined });
  }

  /** Returns the report of a node, by the native id of its first unit. */
  reportOf(native: NativeId): UpgradeReport {
    const { host, images } = this.#options;
    const { running, lastUpgrade, failure, queued } = this.#notes.of(native);
    const course = this.#courses.get(native);
    const isCurrent = failure?.version === (running?.version ?? null);
    return upgradeReport({
      fwVersion: running?.version ?? null,
      swVersion: null,
      newest: running && images.newestFor(running)?.version,
      lastUpgrade,
      // A queued one may still turn out not to begin.
      installing: course && queued === undefined ? progressOf(course, host.clock.now()) : undefined,
      waitsFor: queued && waiting,
      failure: isCurrent ? failure?.message : undefined,
    });
  }

  /**
   * Starts an upgrade. Resolves when the device has begun to fetch the image, or when the request of one that can sleep is
   * durable: it may fall asleep before it has begun.
   * @throws AdapterError what the device says when it refuses
   */
  async start(member: Member, signal: AbortSignal): Promise<true> {
    const { radio, reach, images } = this.#options;
    const { native } = member;
    const node = radio.nodeOf(native);
    radio.controller();
    if (node === undefined) throw new AdapterError("unreachable", "the device is not in the network");
    if (!isUpgradable(node))
      throw new AdapterError("unsupported", "the device takes no firmware over the air");
    if (reach.isReachable(node) === false)
      throw new AdapterError("unreachable", "the device does not answer");
    const isAsleep = reach.isAsleep(node, member);
    const waits = isAsleep || node.canSleep === true;
    this.#assertFree(native, waits);
    await images.scan();
    const image = this.#imageFor(native);
    if (image === undefined) throw new AdapterError("refused", "there is nothing to install");
    const parts = await this.#read(image);
    // Another request may have started one meanwhile.
    this.#assertFree(native, waits);
    if (waits) await this.#queue.add(native);
    else await radio.whileUp(this.#begin(node, native, image.version, parts), signal);
    if (waits && !isAsleep) this.awoke(node, native).catch((error: unknown) => this.#unstored(error));
    return true;
  }

  /** Gives up an upgrade that waits. @throws AdapterError `refused` when none waits, or it has just begun */
  async cancel({ native }: Member): Promise<true> {
    if (this.#courses.has(native)) throw new AdapterError("refused", "the device is awake, and it has begun");
    await this.#queue.cancel(native);
    return true;
  }

  /** The adapter has started: stored requests end in their time. */
  resume({ native }: Member): void {
    this.#queue.resume(native);
  }

  stop(): void {
    this.#queue.stop();
    this.closed();
  }

  /** A device is awake: begins the upgrade that waits for it. */
  async awoke(node: ZWaveNode, native: NativeId): Promise<void> {
    const { images, radio, wakefulness } = this.#options;
    if (!node.ready || !this.#queue.has(native) || this.#courses.has(native)) return;
    if (this.#courses.size >= limits.upgradesAtOnce) return;
    const release = wakefulness.hold(node);
    try {
      await images.scan();
      const image = this.#imageFor(native);
      if (image === undefined) return await this.#queue.cancel(native);
      const parts = await this.#read(image);
      // It may have been given up, begun, or have lost its place meanwhile.
      if (!this.#queue.has(native) || this.#courses.has(native)) return;
      if (this.#courses.size >= limits.upgradesAtOnce) return;
      await radio.whileUp(this.#begin(node, native, image.version, parts));
    } catch (error) {
      await this.#queue.notBegun(native, error);
    } finally {
      release();
    }
  }

  #imageFor(native: NativeId): ListedUpgrade | undefined {
    const { running } = this.#notes.of(native);
    return running && this.#options.images.newestFor(running);
  }

  /** @throws AdapterError */
  async #read(image: ListedUpgrade): Promise<FirmwarePart[]> {
    const { host, images } = this.#options;
    return await images.read(image).catch((error: Error) => {
      host.log("error", "a firmware image is damaged", { reason: error.message });
      throw new AdapterError("refused", `the image is damaged: ${error.message}`);
    });
  }

  /** Resolves when a device has begun to fetch an image, and rejects when it refuses. */
  async #begin(node: ZWaveNode, native: NativeId, version: string, parts: FirmwarePart[]): Promise<void> {
    const { host, wakefulness } = this.#options;
    const now = host.clock.now();
    const course: Course = {
      version,
      began: now,
      pctComplete: 0,
      toldAt: now,
      isBegun: false,
      cancel: () => {},
      release: node.canSleep ? wakefulness.hold(node) : () => {},
    };
    this.#courses.set(native, course);
    const begun = Promise.withResolvers<void>();
    void this.#install(node, native, parts, course, begun);
    await begun.promise;
  }

  /** Lets a device fetch an image; the reports say how that goes. @param begun settles when it has begun, or has refused */
  async #install(
    node: ZWaveNode,
    native: NativeId,
    parts: FirmwarePart[],
    course: Course,
    begun: Pick<PromiseWithResolvers<void>, "resolve" | "reject">,
  ): Promise<void> {
    const { host, changed } = this.#options;
    const begin = (partial: number | undefined): void => {
      const isFirst = !course.isBegun;
      course.isBegun = true;
      if (!this.#fetches(native, partial) && isFirst) changed(native);
      begun.resolve();
    };
    const progressed = (
      _node: ZWaveNode,
      { progress, currentFile }: Pick<FirmwareUpdateProgress, "progress" | "currentFile">,
    ): void => {
      course.pctComplete = Math.min(Math.floor(progress), 99);
      begin(parts[currentFile - 1]?.checksum);
      if (host.clock.now() - course.toldAt < tellMs) return;
      course.toldAt = host.clock.now();
      changed(native);
    };
    node.on("firmware update progress", progressed);
    try {
      this.#continue(node, native, parts);
      const { success, status } = await node.updateFirmware(parts, { resume: true });
      const code = !course.isBegun && unanswered.has(status) ? "unreachable" : "refused";
      if (!success) throw new AdapterError(code, failures[status] ?? "the upgrade failed");
      course.pctComplete = 100;
      course.cancel = host.clock.after(verifyMs, () =>
        this.#fail(native, "the device does not say what it runs"),
      );
      begin(undefined);
    } catch (error) {
      const fault = faultOf(error);
      if (course.isBegun) this.#fail(native, fault.message);
      else if (this.#courses.get(native) === course) this.#end(native);
      begun.reject(fault);
    } finally {
      node.off("firmware update progress", progressed);
    }
  }

  /** Lets a device go on where it was cut, if it has a part of one of these files. */
  #continue(node: ZWaveNode, native: NativeId, parts: readonly FirmwarePart[]): void {
    const { partial } = this.#notes.of(native);
    if (!parts.some(({ checksum }) => checksum === partial)) return;
    (node as unknown as Resumable)._previousFirmwareCRC = partial;
  }

  /**
   * A device fetches a file: its upgrade no longer waits, and may go on with this file after a cut.
   * @returns whether there was something to store
   */
  #fetches(native: NativeId, partial: number | undefined): boolean {
    const { queued, failure: _, partial: before, ...note } = this.#notes.of(native);
    if (queued === undefined && (partial === undefined || partial === before)) return false;
    this.#queue.forget(native);
    const fetched = { ...note, ...(partial !== undefined && { partial }) };
    this.#notes.put(native, fetched).catch((error: unknown) => this.#unstored(error));
    return true;
  }

  /** A node has said what it is, such as after an upgrade. */
  async ready(node: ZWaveNode, native: NativeId): Promise<void> {
    if (!isUpgradable(node)) return;
    const { manufacturerId, productType, productId, firmwareVersion } = node;
    if (manufacturerId === undefined || productType === undefined || productId === undefined) return;
    if (firmwareVersion === undefined) return;
    const running = { manufacturerId, productType, productId, version: firmwareVersion };
    await this.#options.images.scan();
    const course = this.#courses.get(native);
    if (course?.pctComplete !== 100)
      return await this.#notes.put(native, { ...this.#notes.of(native), running });
    if (compareVersions(firmwareVersion, course.version) !== 0)
      return this.#fail(native, `the device runs ${firmwareVersion} afterwards`);
    this.#end(native);
    await this.#notes.put(native, { running, lastUpgrade: this.#options.host.clock.now() });
  }

  /** The network is gone, and every upgrade with it. */
  closed(): void {
    for (const [native, { isBegun }] of this.#courses) {
      if (isBegun) this.#fail(native, "it was broken off: the stick was gone");
      else this.#end(native);
    }
  }

  /** The device is no longer one of the hub. */
  async forget(native: NativeId): Promise<void> {
    this.#end(native);
    this.#queue.forget(native);
    await this.#notes.erase(native);
  }

  /** @param waits it takes no place from others until it begins @throws AdapterError `busy` */
  #assertFree(native: NativeId, waits: boolean): void {
    if (this.#courses.has(native)) throw new AdapterError("busy", "an upgrade is under way");
    if (this.#queue.has(native)) throw new AdapterError("busy", "an upgrade waits for the device");
    if (!waits && this.#courses.size >= limits.upgradesAtOnce)
      throw new AdapterError("busy", `${limits.upgradesAtOnce} upgrades are already under way`);
  }

  #fail(native: NativeId, message: string): void {
    if (!this.#courses.has(native)) return;
    this.#end(native);
    const { host } = this.#options;
    host.log("warn", "an upgrade failed", { native, reason: message });
    this.#notes.fail(native, message).catch((error: unknown) => this.#unstored(error));
  }

  #end(native: NativeId): void {
    const course = this.#courses.get(native);
    course?.cancel();
    course?.release();
    this.#courses.delete(native);
  }

  #unstored(error: unknown): void {
    this.#options.host.log("warn", "an upgrade was not stored", { reason: faultOf(error).message });
  }
}

function progressOf({ version, began, pctComplete }: Course, now: number): FirmwareProgress {
  return { version, pctComplete, spentMs: now - began, done: pctComplete, left: 100 - pctComplete };
}
