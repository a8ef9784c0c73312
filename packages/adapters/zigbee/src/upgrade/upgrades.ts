import type { UpgradeReport } from "@ledge/model";
import { limits } from "@ledge/model";
import type { AdapterHost, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Events, Models } from "zigbee-herdsman";
import { faultOf } from "../fault.ts";
import type { Unit } from "../map/index.ts";
import type { Hearing } from "../hearing.ts";
import { endpointOf, isMains } from "../node.ts";
import type { Node } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import { FirmwareNotes } from "./firmware-notes.ts";
import type { Firmware, Installing } from "./firmware.ts";
import { upgradeReport } from "./firmware.ts";
import type { ImageFile, Images } from "./images.ts";
import type { Running } from "./image.ts";
import { versionText } from "./image.ts";
import { Wakes } from "./wakes.ts";

const cluster = { id: 0x0019, name: "genOta" } as const;
const noImage = 0x98;
const atOnce = { sendPolicy: "immediate" } as const;
const announceMs = 2000;

/** The pace of an installation: bytes per block, delay and request timeout in ms. */
export type Pace = typeof pace;
export const pace = { requestTimeout: 150_000, responseDelay: 250, baseSize: 50 };
/** How long a device may take to report its version after an installation. */
const verifyMs = 120_000;

/** Options of `Upgrades`. */
export interface UpgradesOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly hearing: Hearing;
  readonly images: Images;
  readonly isReachable: (ieee: string) => boolean;
  /** Called when a node's firmware data has changed. */
  readonly changed: (node: Node) => void;
  readonly pace: Pace;
}

interface Course extends Installing {
  /** Whether its version is older than the one that the device runs. */
  readonly isDowngrade: boolean;
  /** Whether the request waits until the device begins. */
  readonly isQueued: boolean;
  /** Whether the device has begun to fetch the image. */
  isBegun: boolean;
  isCancelled: boolean;
  announced: number;
  /** Called when the device reports its firmware. */
  told: ((running: Running) => void) | undefined;
}

/** A device's question for an image (Query Next Image Request), which an installation answers. */
interface Query {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly sequence: number;
}

/**
 * Handles the firmware of nodes: what they run, which images fit, and installations. An installation on a device
 * that sleeps is queued: the request is stored until the device asks for an image or is heard.
 */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #courses = new Map<string, Course>();
  readonly #wakes: Wakes;
  readonly #notes: FirmwareNotes;

  constructor(options: UpgradesOptions) {
    this.#options = options;
    const { host, hearing } = options;
    this.#notes = new FirmwareNotes(host.store);
    this.#wakes = new Wakes({ clock: host.clock, hearing, woke: (node) => void this.#beginQueued(node) });
  }

  /** Returns the report of a unit that supports upgrades; undefined for others. */
  reportOf(node: Node, unit: Unit): UpgradeReport | undefined {
    if (!unit.capabilities.includes("UPGRADE")) return undefined;
    const { host, radio } = this.#options;
    const sw = radio.device(node.ieee)?.softwareBuildID ?? null;
    const found = this.#courses.get(node.ieee);
    const course = found?.isBegun === true && !found.isCancelled ? found : undefined;
    return upgradeReport(this.#firmware(node), this.#newest(node)?.fileVersion, course, sw, host.clock.now());
  }

  /** Asks a device for its firmware version. The device answers with a message. */
  async ask(node: Node): Promise<void> {
    const { radio } = this.#options;
    const id = clientOf(node);
    const device = radio.device(node.ieee);
    if (id === undefined || device === undefined) return;
    const notice = { payloadType: 0, queryJitter: 100 };
    await radio.use(() =>
      endpointOf(device, id).commandResponse(cluster.name, "imageNotify", notice, atOnce),
    );
  }

  /** Handles a message of a node, if it concerns firmware. */
  async take(node: Node, arrival: Events.MessagePayload): Promise<void> {
    const { type, data } = arrival;
    if (arrival.cluster !== cluster.name) return;
    const payload = data as Readonly<Record<string, unknown>>;
    if (type === "commandQueryNextImageRequest") await this.#asked(node, arrival, payload);
    if (type === "commandImageBlockRequest" || type === "commandImagePageRequest")
      this.#progressed(node, Number(payload["fileOffset"]));
  }

  /** Scans the folder of images. */
  async look(): Promise<void> {
    await this.#options.images.scan();
  }

  /**
   * Starts an upgrade. Resolves when the device has started to fetch the image, or when the request is stored for a
   * device that sleeps.
   * @throws AdapterError
   */
  async start(node: Node, native: NativeId, signal: AbortSignal): Promise<true> {
    const { isReachable, radio } = this.#options;
    const { ieee } = node;
    const device = radio.device(ieee);
    const isAsleep = !isMains(node.facts);
    if (clientOf(node) === undefined)
      throw new AdapterError("unsupported", `${native} does not support upgrades`);
    if (device === undefined || !(isAsleep || isReachable(ieee)))
      throw new AdapterError("unreachable", `${native} is out of reach`);
    this.#assertIdle(node);
    if (!isAsleep && this.#isFull)
      throw new AdapterError("busy", `${limits.upgradesAtOnce} upgrades are already under way`);
    const image = await this.#checkedImage(node);
    if (image === undefined) throw new AdapterError("refused", "there is nothing to install");
    // Another request may have started an upgrade meanwhile.
    this.#assertIdle(node);
    if (isAsleep) await this.#queue(node);
    else await radio.use(() => this.#begin(node, device, image, undefined), signal);
    return true;
  }

  /**
   * Gives up an upgrade that waits for its device.
   * @throws AdapterError `refused` when none waits
   */
  async cancel(node: Node): Promise<true> {
    const { isQueued, ...firmware } = this.#firmware(node);
    if (isQueued !== true) throw new AdapterError("refused", "no upgrade waits for this device");
    this.#wakes.forget(node.ieee);
    const course = this.#courses.get(node.ieee);
    if (course) course.isCancelled = true;
    await this.#note(node, firmware);
    return true;
  }

  /** The network is up, and the device is known: waits for it if an upgrade is queued. */
  resume(node: Node): void {
    if (this.#firmware(node).isQueued === true) this.#wakes.wait(node);
  }

  /** The radio is gone, and every installation with it. */
  stop(): void {
    this.#wakes.stop();
    for (const [ieee, { fileVersion, isBegun }] of this.#courses) {
      this.#options.radio.device(ieee)?.abortOta();
      if (!isBegun) continue;
      this.#options.host.log("warn", "an upgrade was interrupted", {
        native: ieee,
        version: versionText(fileVersion),
      });
    }
    this.#courses.clear();
  }

  /** A device has left the network for good. Leaves its stored data as it is. */
  forget(ieee: string): void {
    this.#options.radio.device(ieee)?.abortOta();
    this.#courses.delete(ieee);
    this.#wakes.forget(ieee);
  }

  /** Erases the stored firmware data of a device that the hub does not have. */
  async erase(ieee: string): Promise<void> {
    await this.#notes.erase(ieee);
  }

  /** Whether no further installation may begin. A queued one counts once its device fetches the image. */
  get #isFull(): boolean {
    const running = [...this.#courses.values()].filter(({ isQueued, isBegun }) => isBegun || !isQueued);
    return running.length >= limits.upgradesAtOnce;
  }

  /** @throws AdapterError `busy` */
  #assertIdle(node: Node): void {
    const course = this.#courses.get(node.ieee);
    const isIdle = course === undefined || (course.isCancelled && !course.isBegun);
    if (!isIdle || this.#firmware(node).isQueued === true)
      throw new AdapterError("busy", "an upgrade is under way");
  }

  /**
   * Returns the image to install on a node, checked as a whole; undefined when there is none.
   * @throws AdapterError `refused` for a damaged one
   */
  async #checkedImage(node: Node): Promise<ImageFile | undefined> {
    const { images, host } = this.#options;
    await images.scan();
    const image = this.#newest(node);
    try {
      if (image) await images.verify(image);
    } catch (error) {
      const reason = (error as Error).message;
      host.log("error", "a firmware image is damaged", { image: image?.path, reason });
      throw new AdapterError("refused", `the image is damaged: ${reason}`);
    }
    return image;
  }

  /** Stores a request for a device that sleeps. Resolves when it is durable. */
  async #queue(node: Node): Promise<void> {
    const { failure: _, ...firmware } = this.#firmware(node);
    await this.#note(node, { ...firmware, isQueued: true });
    const course = this.#courses.get(node.ieee);
    // A request that was given up still asks the device.
    if (course?.isCancelled === true) course.isCancelled = false;
    else void this.#beginQueued(node);
  }

  /**
   * Begins a queued installation.
   * @param query the device's question; by default the device is told to ask
   * @returns whether the question will be answered
   */
  async #beginQueued(node: Node, query?: Query): Promise<boolean> {
    const { radio, host } = this.#options;
    const mayBegin = (): boolean =>
      this.#firmware(node).isQueued === true && !this.#courses.has(node.ieee) && radio.isUp;
    this.#wakes.cancel(node);
    if (!mayBegin()) return false;
    let image: ImageFile | undefined;
    let failure: string | undefined;
    try {
      image = this.#isFull ? undefined : await this.#checkedImage(node);
    } catch (error) {
      failure = (error as Error).message;
    }
    const device = radio.device(node.ieee);
    // The request may have been given up meanwhile, or the network may be down.
    if (!mayBegin() || device === undefined) return false;
    if (failure === undefined && this.#isFull) {
      this.#wakes.wait(node);
      return false;
    }
    if (image === undefined) {
      await this.#dequeue(node, failure);
      return false;
    }
    radio
      .use(() => this.#begin(node, device, image, query))
      .catch((error: unknown) => {
        const reason = (error as Error).message;
        host.log("info", "a queued upgrade has not begun", { native: node.ieee, reason });
      });
    return true;
  }

  /** @param failure why the request cannot be carried out; undefined when the device has begun or needs nothing */
  async #dequeue(node: Node, failure: string | undefined): Promise<void> {
    const { isQueued: _, ...firmware } = this.#firmware(node);
    const fileVersion = firmware.running?.fileVersion ?? 0;
    const failed = failure === undefined ? {} : { failure: { fileVersion, message: failure } };
    try {
      await this.#note(node, { ...firmware, ...failed });
    } catch (error) {
      const reason = (error as Error).message;
      this.#options.host.log("warn", "could not store that an upgrade waits no longer", { reason });
    }
  }

  /** Resolves when the device fetches the image. Its reports show the rest. */
  #begin(node: Node, device: Models.Device, image: ImageFile, query: Query | undefined): Promise<void> {
    const { host } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { running, isQueued = false } = this.#firmware(node);
    const course: Course = {
      isDowngrade: image.fileVersion < (running?.fileVersion ?? 0),
      isQueued,
      isBegun: false,
      isCancelled: false,
      fileVersion: image.fileVersion,
      size: image.size,
      offset: 0,
      from: undefined,
      began: host.clock.now(),
      announced: 0,
      told: undefined,
    };
    this.#courses.set(node.ieee, course);
    const begun = (): void => {
      course.isBegun = true;
      // The library can abort only after it has called this.
      if (course.isCancelled) queueMicrotask(() => device.abortOta());
      else this.#announce(node, course);
      if (isQueued && !course.isCancelled) void this.#dequeue(node, undefined);
      resolve();
    };
    const source = { url: image.path, downgrade: course.isDowngrade };
    type Payload = Parameters<typeof device.updateOta>[1];
    device
      .updateOta(source, query?.payload as Payload, query?.sequence, {}, begun, { ...this.#options.pace })
      .then(([, to]) => {
        if (to === undefined) throw new Error("the device refused the image");
        return this.#verify(node, course);
      })
      .then(
        () => this.#end(node, course, undefined),
        (error: unknown) => {
          reject(faultOf(error));
          return this.#end(node, course, faultOf(error).message);
        },
      )
      .catch((error: unknown) => {
        host.log("error", "could not store the end of an upgrade", { reason: (error as Error).message });
      });
    return promise;
  }

  /** Verifies an installation by the version that the device runs afterwards. */
  async #verify(node: Node, course: Course): Promise<void> {
    const { host, radio } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Running>();
    course.told = resolve;
    const late = host.clock.after(verifyMs, () =>
      reject(new AdapterError("timeout", "the device did not report its version after the installation")),
    );
    try {
      await this.ask(node).catch(() => undefined);
      const { fileVersion } = await radio.use(() => promise);
      const { fileVersion: wanted, isDowngrade } = course;
      if (fileVersion < wanted || (isDowngrade && fileVersion > wanted))
        throw new AdapterError("refused", `the device still runs ${versionText(fileVersion)}`);
    } finally {
      late();
    }
  }

  async #end(node: Node, course: Course, failure: string | undefined): Promise<void> {
    if (this.#courses.get(node.ieee) !== course) return;
    this.#courses.delete(node.ieee);
    const { host, changed } = this.#options;
    if (failure !== undefined && course.isCancelled) return changed(node);
    if (failure !== undefined && course.isQueued && !course.isBegun) return this.#wakes.waitAgain(node);
    this.#wakes.forget(node.ieee);
    const { running, lastUpgrade } = this.#firmware(node);
    const fileVersion = running?.fileVersion ?? 0;
    await this.#note(node, {
      ...(running && { running }),
      lastUpgrade: failure === undefined ? host.clock.now() : lastUpgrade,
      ...(failure !== undefined && { failure: { fileVersion, message: failure } }),
    });
    if (failure !== undefined) host.log("warn", "an upgrade failed", { native: node.ieee, reason: failure });
  }

  /** Answers a device that asks for an image, by itself or after a notice. */
  async #asked(
    node: Node,
    { device, endpoint, meta }: Events.MessagePayload,
    payload: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { manufacturerCode, imageType, fileVersion, hardwareVersion } = payload;
    const running: Running = {
      manufacturerCode: Number(manufacturerCode),
      imageType: Number(imageType),
      fileVersion: Number(fileVersion),
      ...(typeof hardwareVersion === "number" && { hardwareVersion }),
    };
    const refuse = async (): Promise<void> => {
      const target = endpointOf(device, endpoint.ID);
      const { zclTransactionSequenceNumber: sequence } = meta;
      await this.#options.radio
        .use(() =>
          target.commandResponse(
            cluster.name,
            "queryNextImageResponse",
            { status: noImage },
            atOnce,
            sequence,
          ),
        )
        .catch(() => undefined);
    };
    const course = this.#courses.get(node.ieee);
    const isQueued = course === undefined && this.#firmware(node).isQueued === true;
    // The same frame shows that the device is awake: it must not be told to ask while its question is looked at.
    if (isQueued) this.#wakes.cancel(node);
    // During an installation the library answers.
    if (!isQueued && (course === undefined || course.told)) await refuse();
    try {
      await this.#options.images.scan();
      await this.#note(node, { ...this.#firmware(node), running });
    } catch (error) {
      if (isQueued) this.#wakes.wait(node);
      throw error;
    }
    course?.told?.(running);
    if (!isQueued) return;
    const query = { payload, sequence: meta.zclTransactionSequenceNumber ?? 0 };
    // An earlier question may have begun it.
    if (!(await this.#beginQueued(node, query)) && !this.#courses.has(node.ieee)) await refuse();
  }

  #progressed(node: Node, offset: number): void {
    const course = this.#courses.get(node.ieee);
    if (course === undefined || !(offset >= 0 && offset <= course.size)) return;
    course.offset = offset;
    course.from ??= offset;
    if (this.#options.host.clock.now() - course.announced >= announceMs) this.#announce(node, course);
  }

  #announce(node: Node, course: Course): void {
    course.announced = this.#options.host.clock.now();
    if (this.#courses.get(node.ieee) === course) this.#options.changed(node);
  }

  #newest(node: Node): ImageFile | undefined {
    const { running } = this.#firmware(node);
    return running && this.#options.images.newest(running, node.facts);
  }

  #firmware({ ieee }: Node): Firmware {
    return this.#notes.of(ieee);
  }

  async #note(node: Node, firmware: Firmware): Promise<void> {
    // Stores nothing for a node that the hub does not have; it is asked again when the hub keeps it.
    if (!node.isMember) return;
    await this.#notes.put(node.ieee, firmware);
    this.#options.changed(node);
  }
}

/** Returns the endpoint that asks for images. */
function clientOf({ facts }: Node): number | undefined {
  return facts.endpoints.find(({ output }) => output.includes(cluster.id))?.id;
}
