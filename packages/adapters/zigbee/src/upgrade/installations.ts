import { limits } from "@ledge/model";
import type { AdapterHost } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Models } from "zigbee-herdsman";
import { faultOf } from "../fault.ts";
import type { Node } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import type { NodeNotes } from "./firmware-notes.ts";
import type { Installing } from "./firmware.ts";
import type { Running } from "./image.ts";
import { versionText } from "./image.ts";
import type { ImageFile } from "./images.ts";
import type { Query } from "./messages.ts";
import { answer, notify } from "./messages.ts";

const announceMs = 2000;

/** The pace of an installation: bytes per block, delay and request timeout in ms. */
export type Pace = typeof pace;
export const pace = { requestTimeout: 150_000, responseDelay: 250, baseSize: 50 };
/** How long a device may take to report its version after an installation. */
const verifyMs = 120_000;

/** Options of `Installations`. */
export interface InstallationsOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly notes: NodeNotes;
  /** Called when the progress of a node has changed. */
  readonly changed: (node: Node) => void;
  readonly pace: Pace;
}

interface Course extends Installing {
  readonly image: ImageFile;
  /** Whether the device has asked for the image, and was not told to. */
  readonly isAsked: boolean;
  /** Whether its version is older than the one that the device runs. */
  readonly isDowngrade: boolean;
  /** Whether the image was offered, and the offer has reached the device. */
  isBegun: boolean;
  announced: number;
  /** Called when the device reports its firmware. */
  told: ((running: Running) => void) | undefined;
}

/** The installations under way: offers an image, follows its transfer, and verifies the version afterwards. */
export class Installations {
  readonly #options: InstallationsOptions;
  readonly #courses = new Map<string, Course>();

  constructor(options: InstallationsOptions) {
    this.#options = options;
  }

  has(ieee: string): boolean {
    return this.#courses.has(ieee);
  }

  /** Returns the progress of an installation that has begun. */
  of(ieee: string): Installing | undefined {
    const course = this.#courses.get(ieee);
    return course?.isBegun === true ? course : undefined;
  }

  /** Whether no further installation may begin. An answer on its way to a device that sleeps does not count. */
  get isFull(): boolean {
    const running = [...this.#courses.values()].filter(({ isAsked, isBegun }) => isBegun || !isAsked);
    return running.length >= limits.upgradesAtOnce;
  }

  /**
   * Begins an installation. Its reports show the rest.
   * @param query the device's question, which the offer answers; without one, the device is told to ask
   * @returns resolves when the offer has reached the device
   * @throws AdapterError when the image was not offered or the offer has not reached the device; without a question, that is
   * stored as a failed upgrade
   */
  begin(node: Node, device: Models.Device, image: ImageFile, query: Query | undefined): Promise<void> {
    const { host, notes } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { running } = notes.of(node.ieee);
    const course: Course = {
      image,
      isAsked: query !== undefined,
      isDowngrade: image.fileVersion < (running?.fileVersion ?? 0),
      isBegun: false,
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
      this.#announce(node, course);
      resolve();
    };
    const source = { url: image.path, downgrade: course.isDowngrade };
    // Otherwise the library keeps an offer that fails, and sends it at any later time.
    device.pendingRequestTimeout = 0;
    type Payload = Parameters<typeof device.updateOta>[1];
    device
      .updateOta(source, query?.payload as Payload, query?.sequence, {}, begun, { ...this.#options.pace })
      .then(([, to]) => {
        if (to === undefined)
          throw new AdapterError("refused", "the image does not fit the firmware that the device runs");
        return this.#verify(node, course);
      })
      .then(
        () => this.#end(node, course, undefined),
        async (error: unknown) => {
          const failure = faultOf(error);
          reject(failure);
          // The queue decides about an offer that a device has asked for.
          if (course.isBegun || !course.isAsked) await this.#end(node, course, failure.message);
          else this.#drop(node, course);
        },
      )
      .catch((error: unknown) => {
        host.log("error", "could not store the end of an upgrade", { reason: (error as Error).message });
      });
    return promise;
  }

  /**
   * Answers the question of a device whose installation is under way. A device asks again when it has not heard the offer,
   * and after it was switched off in the middle.
   */
  async asked(node: Node, query: Query, running: Running): Promise<void> {
    const course = this.#courses.get(node.ieee);
    // The offer under way answers it.
    if (course === undefined || !course.isBegun) return;
    const isDone = course.told !== undefined || running.fileVersion === course.fileVersion;
    await answer(this.#options.radio, node, query, isDone ? undefined : course.image);
  }

  /** The device has reported its firmware, and that is stored. */
  told({ ieee }: Node, running: Running): void {
    this.#courses.get(ieee)?.told?.(running);
  }

  /** The device fetches the image from `offset` on. */
  progressed(node: Node, offset: number): void {
    const course = this.#courses.get(node.ieee);
    if (course === undefined || !(offset >= 0 && offset <= course.size)) return;
    course.offset = offset;
    course.from ??= offset;
    if (this.#options.host.clock.now() - course.announced >= announceMs) this.#announce(node, course);
  }

  /** The radio is gone, and every installation with it. */
  stop(): void {
    const { host, radio } = this.#options;
    for (const [ieee, { fileVersion, isBegun }] of this.#courses) {
      radio.device(ieee)?.abortOta();
      if (!isBegun) continue;
      host.log("warn", "an upgrade was interrupted", { native: ieee, version: versionText(fileVersion) });
    }
    this.#courses.clear();
  }

  forget(ieee: string): void {
    this.#options.radio.device(ieee)?.abortOta();
    this.#courses.delete(ieee);
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
      await notify(radio, node).catch(() => undefined);
      const { fileVersion } = await radio.use(() => promise);
      const { fileVersion: wanted, isDowngrade } = course;
      if (fileVersion < wanted || (isDowngrade && fileVersion > wanted))
        throw new AdapterError("refused", `the device still runs ${versionText(fileVersion)}`);
    } finally {
      late();
    }
  }

  async #end(node: Node, course: Course, failure: string | undefined): Promise<void> {
    if (!this.#drop(node, course)) return;
    const { host, notes } = this.#options;
    if (failure !== undefined) {
      host.log("warn", "an upgrade failed", { native: node.ieee, reason: failure });
      return await notes.fail(node, failure);
    }
    const { running } = notes.of(node.ieee);
    await notes.put(node, { ...(running && { running }), lastUpgrade: host.clock.now() });
  }

  /** @returns whether it was still under way */
  #drop({ ieee }: Node, course: Course): boolean {
    return this.#courses.get(ieee) === course && this.#courses.delete(ieee);
  }

  #announce(node: Node, course: Course): void {
    course.announced = this.#options.host.clock.now();
    if (this.#courses.get(node.ieee) === course) this.#options.changed(node);
  }
}
