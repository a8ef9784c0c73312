import type { UpgradeReport } from "@ledge/model";
import { limits } from "@ledge/model";
import type { AdapterHost, NativeId } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Events } from "zigbee-herdsman";
import type { Hearing } from "../hearing.ts";
import type { Unit } from "../map/index.ts";
import { isMains } from "../node.ts";
import type { Node } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import { type NodeNotes, nodeNotes } from "./firmware-notes.ts";
import { reportOf } from "./firmware.ts";
import type { ImageFile, Images } from "./images.ts";
import type { Pace } from "./installations.ts";
import { Installations } from "./installations.ts";
import type { Query } from "./messages.ts";
import { answer, clientOf, notify, queryOf, runningBy, saidOf } from "./messages.ts";
import { UpgradeQueue } from "./upgrade-queue.ts";

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

/**
 * Handles the firmware of nodes: what they run, which images fit, and upgrades. An upgrade of a device that sleeps is
 * queued; any other begins at once.
 */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #notes: NodeNotes;
  readonly #installations: Installations;
  readonly #queue: UpgradeQueue;

  constructor(options: UpgradesOptions) {
    this.#options = options;
    const { host, radio, hearing, changed, pace } = options;
    const notes = nodeNotes(host.store, changed);
    const installations = new Installations({ host, radio, notes, changed, pace });
    const checkedImage = (node: Node): Promise<ImageFile | undefined> => this.#checkedImage(node);
    this.#notes = notes;
    this.#installations = installations;
    this.#queue = new UpgradeQueue({ host, radio, hearing, notes, installations, checkedImage });
  }

  /** Returns the report of a unit that supports upgrades; undefined for others. */
  reportOf(node: Node, unit: Unit): UpgradeReport | undefined {
    if (!unit.capabilities.includes("UPGRADE")) return undefined;
    const { host, radio } = this.#options;
    const sw = radio.device(node.ieee)?.softwareBuildID ?? null;
    const installing = this.#installations.of(node.ieee);
    const newest = this.#newest(node)?.fileVersion;
    return reportOf(this.#notes.of(node.ieee), newest, installing, sw, host.clock.now());
  }

  /** Asks a device for its firmware version. The device answers with a message. */
  async ask(node: Node): Promise<void> {
    await notify(this.#options.radio, node);
  }

  /** Handles a message of a node, if it concerns firmware. */
  async take(node: Node, arrival: Events.MessagePayload): Promise<void> {
    const said = saidOf(arrival);
    if (said?.type === "commandQueryNextImageRequest") await this.#asked(node, queryOf(arrival));
    if (said?.type === "commandImageBlockRequest" || said?.type === "commandImagePageRequest")
      this.#installations.progressed(node, Number(said.payload["fileOffset"]));
  }

  /** Scans the folder of images. */
  async look(): Promise<void> {
    await this.#options.images.scan();
  }

  /**
   * Starts an upgrade. Resolves when the device was offered the image, or when the request is stored for a device that
   * sleeps.
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
    if (!isAsleep && this.#installations.isFull)
      throw new AdapterError("busy", `${limits.upgradesAtOnce} upgrades are already under way`);
    const image = await this.#checkedImage(node);
    if (image === undefined) throw new AdapterError("refused", "there is nothing to install");
    // Another request may have started an upgrade meanwhile.
    this.#assertIdle(node);
    if (isAsleep) await this.#queue.add(node);
    else await radio.use(() => this.#installations.begin(node, device, image, undefined), signal);
    return true;
  }

  /**
   * Gives up an upgrade that waits for its device.
   * @throws AdapterError `refused` when none waits, or the device has just asked for the image
   */
  async cancel(node: Node): Promise<true> {
    await this.#queue.cancel(node);
    return true;
  }

  /** The network is up, and the device is known. */
  resume(node: Node): void {
    this.#queue.resume(node);
  }

  /** The radio is gone, and every installation with it. */
  stop(): void {
    this.#queue.stop();
    this.#installations.stop();
  }

  /** A device has left the network for good. Leaves its stored data as it is. */
  forget(ieee: string): void {
    this.#queue.forget(ieee);
    this.#installations.forget(ieee);
  }

  /** Erases the stored firmware data of a device that the hub does not have. */
  async erase(ieee: string): Promise<void> {
    await this.#notes.erase(ieee);
  }

  /** @throws AdapterError `busy` */
  #assertIdle(node: Node): void {
    if (this.#installations.has(node.ieee) || this.#queue.has(node))
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

  /** Stores what a device runs, which asks for an image by itself or after a notice, and answers it. */
  async #asked(node: Node, query: Query): Promise<void> {
    const { radio, images } = this.#options;
    const running = runningBy(query);
    const isUnderWay = this.#installations.has(node.ieee);
    const isQueued = !isUnderWay && this.#queue.has(node);
    if (isUnderWay) await this.#installations.asked(node, query, running);
    else if (isQueued) this.#queue.hold(node);
    else await answer(radio, node, query, undefined);
    try {
      await images.scan();
      await this.#notes.put(node, { ...this.#notes.of(node.ieee), running });
    } catch (error) {
      if (isQueued) this.#queue.resume(node);
      throw error;
    }
    this.#installations.told(node, running);
    if (isQueued && !(await this.#queue.asked(node, query))) await answer(radio, node, query, undefined);
  }

  #newest(node: Node): ImageFile | undefined {
    const { running } = this.#notes.of(node.ieee);
    return running && this.#options.images.newest(running, node.facts);
  }
}
