import { limits, type UpgradeReport } from "@ledge/model";
import {
  AdapterError,
  type AdapterHost,
  type FirmwareProgress,
  type NativeId,
  upgradeReport,
} from "@ledge/port";
import type { ZWaveNode } from "zwave-js";
import { asCommandClass } from "../facts.ts";
import { faultOf } from "../fault.ts";
import { commandClass } from "../map/command-class.ts";
import type { Member } from "../member.ts";
import type { Radio } from "../radio.ts";
import type { Reach } from "../reach.ts";
import type { FirmwarePart, Images } from "./images.ts";
import { compareVersions, type Running } from "./listed.ts";

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

/** What is known of a device's firmware, in the log. */
interface Note {
  readonly running?: Running;
  /** Ms since the epoch; 0 for never. */
  readonly lastUpgrade: number;
  /** Why the last upgrade failed, while the device still runs the version from then. */
  readonly failure?: { readonly version: string | null; readonly message: string };
}

interface Course {
  readonly version: string;
  readonly began: number;
  pctComplete: number;
  toldAt: number;
  /** Whether the device has asked for the image. */
  isBegun: boolean;
  cancel: () => void;
}

/** Options of `Upgrades`. */
export interface UpgradesOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly reach: Reach;
  readonly images: Images;
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

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  /** Returns the report of a node, by the native id of its first unit. */
  reportOf(native: NativeId): UpgradeReport {
    const { host, images } = this.#options;
    const { running, lastUpgrade, failure } = this.#noteOf(native);
    const course = this.#courses.get(native);
    const isCurrent = failure?.version === (running?.version ?? null);
    return upgradeReport({
      fwVersion: running?.version ?? null,
      swVersion: null,
      newest: running && images.newestFor(running)?.version,
      lastUpgrade,
      installing: course && progressOf(course, host.clock.now()),
      failure: isCurrent ? failure?.message : undefined,
    });
  }

  /**
   * Starts an upgrade. Resolves when the device has begun to fetch the image.
   * @throws AdapterError what the device says when it refuses
   */
  async start({ native }: Member, signal: AbortSignal): Promise<true> {
    const { host, radio, reach, images } = this.#options;
    const node = radio.nodeOf(native);
    radio.controller();
    if (node === undefined) throw new AdapterError("unreachable", "the device is not in the network");
    if (!isUpgradable(node))
      throw new AdapterError("unsupported", "the device takes no firmware over the air");
    if (reach.isReachable(node) === false)
      throw new AdapterError("unreachable", "the device does not answer");
    if (reach.isSleeping(node))
      throw new AdapterError("refused", "the device sleeps: wake it up and start again while it is awake");
    this.#assertFree(native);
    await images.scan();
    const { running } = this.#noteOf(native);
    const image = running && images.newestFor(running);
    if (image === undefined) throw new AdapterError("refused", "there is nothing to install");
    const parts = await images.read(image).catch((error: Error) => {
      host.log("error", "a firmware image is damaged", { reason: error.message });
      throw new AdapterError("refused", `the image is damaged: ${error.message}`);
    });
    // Another request may have started one meanwhile.
    this.#assertFree(native);
    const now = host.clock.now();
    const { version } = image;
    const course: Course = {
      version,
      began: now,
      pctComplete: 0,
      toldAt: now,
      isBegun: false,
      cancel: () => {},
    };
    this.#courses.set(native, course);
    const begun = Promise.withResolvers<void>();
    void this.#install(node, native, parts, course, begun);
    await radio.whileUp(begun.promise, signal);
    return true;
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
    const begin = (): void => {
      if (!course.isBegun) changed(native);
      course.isBegun = true;
      begun.resolve();
    };
    const progressed = (_node: ZWaveNode, { progress }: { readonly progress: number }): void => {
      course.pctComplete = Math.min(Math.floor(progress), 99);
      begin();
      if (host.clock.now() - course.toldAt < tellMs) return;
      course.toldAt = host.clock.now();
      changed(native);
    };
    node.on("firmware update progress", progressed);
    try {
      const { success, status } = await node.updateFirmware(parts, { resume: true });
      if (!success) throw new AdapterError("refused", failures[status] ?? "the upgrade failed");
      course.pctComplete = 100;
      course.cancel = host.clock.after(verifyMs, () =>
        this.#fail(native, "the device does not say what it runs"),
      );
      begin();
    } catch (error) {
      const fault = faultOf(error);
      if (course.isBegun) this.#fail(native, fault.message);
      else if (this.#courses.get(native) === course) this.#courses.delete(native);
      begun.reject(fault);
    } finally {
      node.off("firmware update progress", progressed);
    }
  }

  /** A node has said what it is, such as after an upgrade. */
  async ready(node: ZWaveNode, native: NativeId): Promise<void> {
    if (!isUpgradable(node)) return;
    const { manufacturerId, productType, productId, firmwareVersion } = node;
    if (manufacturerId === undefined || productType === undefined || productId === undefined) return;
    if (firmwareVersion === undefined) return;
    const running = { manufacturerId, productType, productId, version: firmwareVersion };
    await this.#options.images.scan();
    const note = this.#noteOf(native);
    const course = this.#courses.get(native);
    if (course?.pctComplete !== 100) return await this.#put(native, { ...note, running });
    if (compareVersions(firmwareVersion, course.version) !== 0)
      return this.#fail(native, `the device runs ${firmwareVersion} afterwards`);
    this.#end(native);
    await this.#put(native, { running, lastUpgrade: this.#options.host.clock.now() });
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
    if (this.#options.host.store.get(keyOf(native))) await this.#options.host.store.put(keyOf(native), null);
  }

  /** @throws AdapterError `busy` */
  #assertFree(native: NativeId): void {
    if (this.#courses.has(native)) throw new AdapterError("busy", "an upgrade is under way");
    if (this.#courses.size >= limits.upgradesAtOnce)
      throw new AdapterError("busy", `${limits.upgradesAtOnce} upgrades are already under way`);
  }

  #fail(native: NativeId, message: string): void {
    if (!this.#courses.has(native)) return;
    this.#end(native);
    const { host } = this.#options;
    host.log("warn", "an upgrade failed", { native, reason: message });
    const note = this.#noteOf(native);
    this.#put(native, { ...note, failure: { version: note.running?.version ?? null, message } }).catch(
      (error: unknown) => host.log("warn", "an upgrade was not stored", { reason: faultOf(error).message }),
    );
  }

  #end(native: NativeId): void {
    this.#courses.get(native)?.cancel();
    this.#courses.delete(native);
  }

  #noteOf(native: NativeId): Note {
    return (this.#options.host.store.get(keyOf(native)) as Note | null | undefined) ?? { lastUpgrade: 0 };
  }

  async #put(native: NativeId, note: Note): Promise<void> {
    await this.#options.host.store.put(keyOf(native), note);
    this.#options.changed(native);
  }
}

const keyOf = (native: NativeId): string => `firmware/${native}`;

function progressOf({ version, began, pctComplete }: Course, now: number): FirmwareProgress {
  return { version, pctComplete, spentMs: now - began, done: pctComplete, left: 100 - pctComplete };
}
