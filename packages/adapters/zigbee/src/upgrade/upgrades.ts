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

/** How an installation is paced: bytes of a block, and ms; and how long a device may be silent in it. */
export type Pace = typeof pace;
export const pace = { requestTimeout: 150_000, responseDelay: 250, baseSize: 50 };
/** How long a device that has installed has to say what it runs now. */
const verifyMs = 120_000;

export interface UpgradesOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly images: Images;
  readonly isReachable: (ieee: string) => boolean;
  /** There is something new to describe. */
  readonly changed: (node: Node) => void;
  readonly pace: Pace;
}

interface Course extends Installing {
  announced: number;
  /** Called when the device has said what it runs. */
  told: ((running: Running) => void) | undefined;
}

/** Firmware of nodes: what they run, what there is for them, and its installation. */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #courses = new Map<string, Course>();

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  /** Of a unit that asks for images; undefined for others. */
  reportOf(node: Node, unit: Unit): UpgradeReport | undefined {
    if (!unit.capabilities.includes("UPGRADE")) return undefined;
    const { host, radio } = this.#options;
    const sw = radio.device(node.ieee)?.softwareBuildID ?? null;
    const course = this.#courses.get(node.ieee);
    return upgradeReport(this.#firmware(node), this.#newest(node)?.fileVersion, course, sw, host.clock.now());
  }

  /** Asks a device what it runs. It answers with a message. */
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

  /** A node has said something of its firmware, perhaps. */
  async take(node: Node, arrival: Events.MessagePayload): Promise<void> {
    const { type, data } = arrival;
    if (arrival.cluster !== cluster.name) return;
    const payload = data as Readonly<Record<string, unknown>>;
    if (type === "commandQueryNextImageRequest") await this.#asked(node, arrival, payload);
    if (type === "commandImageBlockRequest" || type === "commandImagePageRequest")
      this.#progressed(node, Number(payload["fileOffset"]));
  }

  /** Looks what images there are. */
  async look(): Promise<void> {
    await this.#options.images.scan();
  }

  /**
   * Resolves when the device has begun to install.
   * @throws AdapterError
   */
  async start(node: Node, native: NativeId, signal: AbortSignal): Promise<true> {
    const { isReachable, images, host, radio } = this.#options;
    const { ieee } = node;
    const device = radio.device(ieee);
    if (clientOf(node) === undefined) throw new AdapterError("unsupported", `${native} is not upgraded`);
    if (device === undefined || !isReachable(ieee))
      throw new AdapterError("unreachable", `${native} is out of reach`);
    if (this.#courses.has(ieee)) throw new AdapterError("busy", "an upgrade is under way");
    if (this.#courses.size >= limits.upgradesAtOnce)
      throw new AdapterError("busy", `${limits.upgradesAtOnce} upgrades are under way`);
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
    // Another may have begun meanwhile.
    if (this.#courses.has(ieee)) throw new AdapterError("busy", "an upgrade is under way");
    await radio.use(() => this.#begin(node, device, image), signal);
    return true;
  }

  /** The radio is gone, and what was being installed with it. */
  stop(): void {
    for (const [ieee, { fileVersion }] of this.#courses) {
      this.#options.radio.device(ieee)?.abortOta();
      this.#options.host.log("warn", "an upgrade was cut off", {
        native: ieee,
        version: versionText(fileVersion),
      });
    }
    this.#courses.clear();
  }

  /** A device is of the network no more. What is stored of it is left as it is. */
  forget(ieee: string): void {
    this.#options.radio.device(ieee)?.abortOta();
    this.#courses.delete(ieee);
  }

  /** Takes what is stored of a device that the hub does not have. */
  async erase(ieee: string): Promise<void> {
    const { store } = this.#options.host;
    if (isThere(store.get(firmwareKey(ieee)))) await store.put(firmwareKey(ieee), null);
  }

  /** Resolves when the device fetches the image. What becomes of it then is told by its reports. */
  #begin(node: Node, device: Models.Device, image: ImageFile): Promise<void> {
    const { host } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const course: Course = {
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
      .updateOta({ url: image.path }, undefined, undefined, {}, begun, settings)
      .then(([, to]) => {
        if (to === undefined) throw new Error("the device does not take the image");
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
        host.log("error", "the end of an upgrade was not noted", { reason: (error as Error).message });
      });
    return promise;
  }

  /** A device that says it has installed an image shows it by what it runs afterwards. */
  async #verify(node: Node, course: Course): Promise<void> {
    const { host, radio } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Running>();
    course.told = resolve;
    const late = host.clock.after(verifyMs, () =>
      reject(new AdapterError("timeout", "the device has not said what it runs now")),
    );
    try {
      await this.ask(node).catch(() => undefined);
      const { fileVersion } = await radio.use(() => promise);
      if (fileVersion < course.fileVersion)
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

  /** A device asks for an image: by itself, or as it was told that there may be one. */
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
    // While it installs the library answers.
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
    // What the hub does not have, or has no more, leaves nothing behind: it is asked again when the hub gets it.
    if (!node.isMember) return;
    const isNews = JSON.stringify(firmware) !== JSON.stringify(this.#firmware(node));
    if (isNews) await this.#options.host.store.put(firmwareKey(node.ieee), firmware);
    this.#options.changed(node);
  }
}

const firmwareKey = (ieee: string): string => `firmware/${ieee}`;

/** The endpoint that asks for images. */
function clientOf({ facts }: Node): number | undefined {
  return facts.endpoints.find(({ output }) => output.includes(cluster.id))?.id;
}
