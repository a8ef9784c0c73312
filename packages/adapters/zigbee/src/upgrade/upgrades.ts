import type { UpgradeReport } from "@ledge/model";
import { limits } from "@ledge/model";
import type { AdapterHost, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Events, Models } from "zigbee-herdsman";
import { faultOf } from "../fault.ts";
import type { Unit } from "../map/index.ts";
import { endpointOf } from "../node.ts";
import type { Node } from "../nodes.ts";
import { isThere } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import type { Firmware, Installing } from "./firmware.ts";
import { upgradeReport } from "./firmware.ts";
import type { ImageFile, Images } from "./images.ts";
import type { Running } from "./image.ts";
import { versionText } from "./image.ts";

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
  readonly images: Images;
  readonly isReachable: (ieee: string) => boolean;
  /** Called when a node's firmware data has changed. */
  readonly changed: (node: Node) => void;
  readonly pace: Pace;
}

interface Course extends Installing {
  /** Whether its version is older than the one that the device runs. */
  readonly isDowngrade: boolean;
  announced: number;
  /** Called when the device reports its firmware. */
  told: ((running: Running) => void) | undefined;
}

/** Handles the firmware of nodes: what they run, which images fit, and installations. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #courses = new Map<string, Course>();

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  /** Returns the report of a unit that supports upgrades; undefined for others. */
  reportOf(node: Node, unit: Unit): UpgradeReport | undefined {
    if (!unit.capabilities.includes("UPGRADE")) return undefined;
    const { host, radio } = this.#options;
    const sw = radio.device(node.ieee)?.softwareBuildID ?? null;
    const course = this.#courses.get(node.ieee);
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
   * Starts an upgrade. Resolves when the device has started to fetch the image.
   * @throws AdapterError
   */
  async start(node: Node, native: NativeId, signal: AbortSignal): Promise<true> {
    const { isReachable, images, host, radio } = this.#options;
    const { ieee } = node;
    const device = radio.device(ieee);
    if (clientOf(node) === undefined)
      throw new AdapterError("unsupported", `${native} does not support upgrades`);
    if (device === undefined || !isReachable(ieee))
      throw new AdapterError("unreachable", `${native} is out of reach`);
    if (this.#courses.has(ieee)) throw new AdapterError("busy", "an upgrade is under way");
    if (this.#courses.size >= limits.upgradesAtOnce)
      throw new AdapterError("busy", `${limits.upgradesAtOnce} upgrades are already under way`);
    await images.scan();
    const image = this.#newest(node);
    if (image === undefined) throw new AdapterError("refused", "there is nothing to install");
    try {
      await images.verify(image);
    } catch (error) {
      const reason = (error as Error).message;
      host.log("error", "a firmware image is damaged", { image: image.path, reason });
      throw new AdapterError("refused", `the image is damaged: ${reason}`);
    }
    // Another request may have started an upgrade meanwhile.
    if (this.#courses.has(ieee)) throw new AdapterError("busy", "an upgrade is under way");
    await radio.use(() => this.#begin(node, device, image), signal);
    return true;
  }

  /** The radio is gone, and every installation with it. */
  stop(): void {
    for (const [ieee, { fileVersion }] of this.#courses) {
      this.#options.radio.device(ieee)?.abortOta();
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
  }

  /** Erases the stored firmware data of a device that the hub does not have. */
  async erase(ieee: string): Promise<void> {
    const { store } = this.#options.host;
    if (isThere(store.get(firmwareKey(ieee)))) await store.put(firmwareKey(ieee), null);
  }

  /** Resolves when the device fetches the image. Its reports show the rest. */
  #begin(node: Node, device: Models.Device, image: ImageFile): Promise<void> {
    const { host } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const isDowngrade = image.fileVersion < (this.#firmware(node).running?.fileVersion ?? 0);
    const course: Course = {
      isDowngrade,
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
      this.#announce(node, course);
      resolve();
    };
    const settings = { ...this.#options.pace };
    device
      .updateOta({ url: image.path, downgrade: isDowngrade }, undefined, undefined, {}, begun, settings)
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
    const { host } = this.#options;
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
    const course = this.#courses.get(node.ieee);
    // During an installation the library answers.
    if (course === undefined || course.told) {
      const refuse = (): Promise<void> =>
        endpointOf(device, endpoint.ID).commandResponse(
          cluster.name,
          "queryNextImageResponse",
          { status: noImage },
          atOnce,
          meta.zclTransactionSequenceNumber,
        );
      await this.#options.radio.use(refuse).catch(() => undefined);
    }
    const { failure, lastUpgrade } = this.#firmware(node);
    await this.#options.images.scan();
    await this.#note(node, { running, lastUpgrade, ...(failure && { failure }) });
    course?.told?.(running);
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
    return (
      (this.#options.host.store.get(firmwareKey(ieee)) as Firmware | undefined | null) ?? { lastUpgrade: 0 }
    );
  }

  async #note(node: Node, firmware: Firmware): Promise<void> {
    // Stores nothing for a node that the hub does not have; it is asked again when the hub keeps it.
    if (!node.isMember) return;
    const isNews = JSON.stringify(firmware) !== JSON.stringify(this.#firmware(node));
    if (isNews) await this.#options.host.store.put(firmwareKey(node.ieee), firmware);
    this.#options.changed(node);
  }
}

const firmwareKey = (ieee: string): string => `firmware/${ieee}`;

/** Returns the endpoint that asks for images. */
function clientOf({ facts }: Node): number | undefined {
  return facts.endpoints.find(({ output }) => output.includes(cluster.id))?.id;
}
