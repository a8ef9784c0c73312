import { limits } from "@ledge/model";
import type { AdapterHost } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import { Courses } from "../courses.ts";
import { faultOf, isFinal } from "../fault.ts";
import type { Hearing } from "../hearing.ts";
import type { Node } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import type { NodeNotes } from "./firmware-notes.ts";
import type { ImageFile } from "./images.ts";
import type { Installations } from "./installations.ts";
import type { Query } from "./messages.ts";
import { notify } from "./messages.ts";
import { Wakes } from "./wakes.ts";

const dayMs = 86_400_000;

/** Options of `UpgradeQueue`. */
export interface UpgradeQueueOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly hearing: Hearing;
  readonly notes: NodeNotes;
  readonly installations: Installations;
  /** Returns the image to install on a node, checked as a whole; undefined when there is none. */
  readonly checkedImage: (node: Node) => Promise<ImageFile | undefined>;
}

/**
 * Upgrades of devices that sleep. A request is stored until the device asks for an image; when the device is heard, it is
 * told to ask. It ends as failed when the device has not asked for `limits.upgradeQueuedMs`, or when
 * `limits.upgradeLostOffers` offers have not reached it.
 */
export class UpgradeQueue {
  readonly #options: UpgradeQueueOptions;
  readonly #wakes: Wakes;
  /** The time that is left to each request. */
  readonly #limits = new Courses();

  constructor(options: UpgradeQueueOptions) {
    this.#options = options;
    const { clock } = options.host;
    this.#wakes = new Wakes({ clock, hearing: options.hearing, woke: (node) => void this.#woke(node) });
  }

  has({ ieee }: Pick<Node, "ieee">): boolean {
    return this.#options.notes.of(ieee).queued !== undefined;
  }

  /** Stores a request for a device that sleeps. Resolves when it is durable. */
  async add(node: Node): Promise<void> {
    const { notes, host } = this.#options;
    const { failure: _, ...firmware } = notes.of(node.ieee);
    await notes.put(node, { ...firmware, queued: { since: host.clock.now(), lostOffers: 0 } });
    this.#limit(node);
    void this.#woke(node);
  }

  /**
   * Gives up a request.
   * @throws AdapterError `refused` when none waits, or the device has just asked for the image
   */
  async cancel(node: Node): Promise<void> {
    const { notes, installations } = this.#options;
    if (!this.has(node)) throw new AdapterError("refused", "no upgrade waits for this device");
    if (installations.has(node.ieee))
      throw new AdapterError("refused", "the device has just asked for the image");
    this.forget(node.ieee);
    await notes.dequeue(node);
  }

  /** The network is up, and the device is known: waits for it if an upgrade is queued. */
  resume(node: Node): void {
    if (!this.has(node)) return;
    this.#limit(node);
    this.#wakes.wait(node);
  }

  /** A device with a request asks for an image: it must not be told to ask while its question is looked at. */
  hold(node: Node): void {
    this.#wakes.cancel(node);
  }

  /**
   * Begins the requested installation, because the device asks for an image.
   * @returns whether an offer answers the question
   */
  async asked(node: Node, query: Query): Promise<boolean> {
    const { radio, installations } = this.#options;
    const image = await this.#ready(node);
    const device = radio.device(node.ieee);
    // An earlier question may have begun it.
    if (image === undefined || device === undefined) return installations.has(node.ieee);
    radio
      .use(() => installations.begin(node, device, image, query))
      .then(
        () => this.#begun(node),
        (error: unknown) => this.#notOffered(node, faultOf(error)),
      )
      .catch((error: unknown) => this.#unstored(error));
    return true;
  }

  /** The network is down. */
  stop(): void {
    this.#wakes.stop();
    this.#limits.endAll();
  }

  /** Leaves the stored request as it is. */
  forget(ieee: string): void {
    this.#wakes.forget(ieee);
    this.#limits.end(ieee);
  }

  /** The device is awake: tells it to ask, if there is an image for it. */
  async #woke(node: Node): Promise<void> {
    const { radio, host } = this.#options;
    if ((await this.#ready(node)) === undefined) return;
    try {
      await notify(radio, node);
    } catch (error) {
      const reason = (error as Error).message;
      host.log("info", "a queued upgrade has not begun", { native: node.ieee, reason });
    }
    if (this.#isWaiting(node)) this.#wakes.waitAgain(node);
  }

  /** Returns the image to install now. Ends a request for which there is none, and waits while there is no place. */
  async #ready(node: Node): Promise<ImageFile | undefined> {
    const { installations, checkedImage } = this.#options;
    this.#wakes.cancel(node);
    if (!this.#isWaiting(node)) return undefined;
    let image: ImageFile | undefined;
    let failure: string | undefined;
    try {
      image = installations.isFull ? undefined : await checkedImage(node);
    } catch (error) {
      failure = (error as Error).message;
    }
    // The request may have been given up meanwhile, or the network may be down.
    if (!this.#isWaiting(node)) return undefined;
    if (failure === undefined && installations.isFull) {
      this.#wakes.wait(node);
      return undefined;
    }
    if (image === undefined) await this.#end(node, failure);
    return image;
  }

  /** Whether a request waits for its device, the network is up, and no offer is on its way. */
  #isWaiting(node: Node): boolean {
    const { radio, installations } = this.#options;
    return this.has(node) && !installations.has(node.ieee) && radio.device(node.ieee) !== undefined;
  }

  async #begun(node: Node): Promise<void> {
    this.forget(node.ieee);
    await this.#options.notes.dequeue(node);
  }

  async #notOffered(node: Node, error: AdapterError): Promise<void> {
    // The network is down, or the device has left: that says nothing of the offer.
    if (!this.#isWaiting(node)) return;
    const { notes, host } = this.#options;
    const { queued, ...firmware } = notes.of(node.ieee);
    const reason = error.message;
    if (queued === undefined || isFinal(error)) return await this.#end(node, reason);
    const lostOffers = queued.lostOffers + 1;
    host.log("info", "a queued upgrade has not begun", { native: node.ieee, reason });
    if (lostOffers >= limits.upgradeLostOffers)
      return await this.#end(
        node,
        `the device asked for the image, and the answer did not reach it ${lostOffers} times: ${reason}`,
      );
    this.#wakes.waitAgain(node);
    this.#limit(node);
    await notes.put(node, { ...firmware, queued: { ...queued, lostOffers } });
  }

  /** Ends a request once its device has not asked for too long. An offer on its way may still succeed. */
  #limit(node: Node): void {
    const { notes, host } = this.#options;
    const { queued } = notes.of(node.ieee);
    if (queued === undefined) return;
    const left = queued.since + limits.upgradeQueuedMs - host.clock.now();
    const late = (): void => {
      if (!this.#isWaiting(node)) return;
      const days = limits.upgradeQueuedMs / dayMs;
      void this.#end(
        node,
        `the device has not asked for the image for ${days} days: wake it, and start the upgrade again`,
      );
    };
    const leftMs = Math.min(Math.max(left, 0), limits.upgradeQueuedMs);
    this.#limits.begin(node.ieee, { cancel: host.clock.after(leftMs, late) });
  }

  /** @param failure why the request cannot be carried out; undefined when the device needs nothing */
  async #end(node: Node, failure: string | undefined): Promise<void> {
    const { notes, host } = this.#options;
    this.forget(node.ieee);
    if (failure !== undefined) host.log("warn", "an upgrade failed", { native: node.ieee, reason: failure });
    try {
      if (failure === undefined) await notes.dequeue(node);
      else await notes.fail(node, failure);
    } catch (error) {
      this.#unstored(error);
    }
  }

  #unstored(error: unknown): void {
    const reason = (error as Error).message;
    this.#options.host.log("warn", "could not store the state of a queued upgrade", { reason });
  }
}
