import { AdapterError, type AdapterHost } from "@ledge/port";
import type { Driver } from "zwave-js";
import { Confirmation } from "../confirmation.ts";
import { faultOf, isCutOff } from "../fault.ts";
import { networkOf } from "../member.ts";
import type { NvmBackups } from "../nvm-backups.ts";
import type { Radio } from "../radio.ts";
import type { Images } from "./images.ts";

/** The upgrade under way, which a kill or a stick without power cuts. */
const runningKey = "stickUpgrade";
/** How long a stick may take to be back after it has its firmware, ms. */
const backWithinMs = 30_000;

/** What the library says of an upload that failed, by OTWFirmwareUpdateStatus. */
const failures: Readonly<Record<number, string>> = {
  0: "the bootloader of the stick no longer answered",
  1: "the bootloader of the stick has refused a part of the image again and again",
  2: "the bootloader of the stick has refused the image",
  3: "the stick takes no firmware in this way",
};

interface Running {
  readonly file: string;
  readonly network: string;
}

interface Outcome {
  readonly status: "DONE" | "FAILED";
  readonly file: string;
  readonly reason: string | null;
}

/** What a client sees of an upgrade of the stick. */
export interface StickUpgradeState {
  readonly status: "IDLE" | "RUNNING" | Outcome["status"];
  /** The image; null when there was none since the start. */
  readonly file: string | null;
  /** 0 to 100; null unless it runs. */
  readonly pctComplete: number | null;
  readonly reason: string | null;
  /** The firmware that the stick runs; null while it is away. */
  readonly version: string | null;
}

/** Options of `StickUpgrade`. */
export interface StickUpgradeOptions {
  readonly host: AdapterHost;
  readonly radio: Radio;
  readonly nvm: NvmBackups;
  readonly images: Images;
  /** The stick is no longer at hand, although its driver goes on. */
  readonly away: (reason: string) => void;
}

/** New firmware for the stick, through its bootloader. Its memory is backed up before. */
export class StickUpgrade {
  readonly #options: StickUpgradeOptions;
  readonly #confirmation: Confirmation;
  #running: (Running & { readonly driver: Driver; pctComplete: number }) | undefined;
  #outcome: Outcome | undefined;
  #giveUp = (_reason: string): void => {};
  #cancelBack = (): void => {};

  constructor(options: StickUpgradeOptions) {
    this.#options = options;
    this.#confirmation = new Confirmation(options.host.clock);
  }

  get state(): StickUpgradeState {
    const running = this.#running;
    const version = this.#options.radio.driver?.controller.firmwareVersion ?? null;
    if (running) {
      const { file, pctComplete } = running;
      return { status: "RUNNING", file, pctComplete, reason: null, version };
    }
    const { status, file, reason } = this.#outcome ?? { status: "IDLE", file: null, reason: null };
    return { status, file, pctComplete: null, reason, version };
  }

  /**
   * Begins to upgrade.
   * @param file the name of an image in the folder
   * @param confirm the word that the call without it answered
   * @throws AdapterError
   */
  async ask(file: unknown, confirm: unknown): Promise<object> {
    const { radio, nvm, images } = this.#options;
    const controller = radio.controller();
    if (nvm.isSupported !== true)
      throw new AdapterError(
        "unsupported",
        "this stick does not give its memory away, so nothing could restore it",
      );
    if (typeof file !== "string" || file === "")
      throw new AdapterError("settings", "file: must be the name of a file in the folder of images");
    const { data } = await images.file(file).catch((error: Error) => {
      throw new AdapterError("refused", `file: ${error.message}`);
    });
    if (this.#running) throw new AdapterError("busy", "an upgrade is under way");
    radio.assertResting();
    const about = { file, bytes: data.length, version: controller.firmwareVersion ?? null };
    const word = this.#confirmation.wordFor(`upgrade by ${file}`, confirm);
    if (word !== null) return { done: false, confirm: word, ...about };
    void this.#install(file, data);
    return { done: true, confirm: null, ...about };
  }

  /** The network is up. */
  async opened(driver: Driver, giveUp: (reason: string) => void): Promise<void> {
    const { host, radio } = this.#options;
    this.#giveUp = giveUp;
    if (this.#running?.driver === driver) return;
    const cut = this.#running ?? (host.store.get(runningKey) as Running | null | undefined);
    if (!cut) return;
    const isOther = networkOf(radio.homeId) !== cut.network;
    await this.#end(cut, `it was broken off${isOther ? ", and the stick has another network now" : ""}`);
  }

  /** An upgrade under way is cut: the next start says so. */
  stop(): void {
    this.#running = undefined;
    this.#confirmation.stop();
    this.#cancelBack();
  }

  async #install(file: string, data: Uint8Array<ArrayBuffer>): Promise<void> {
    const { host, radio, nvm, away } = this.#options;
    const { driver } = radio;
    if (driver === undefined) return;
    const network = networkOf(radio.homeId);
    const running = { file, network, driver, pctComplete: 0 };
    this.#running = running;
    this.#outcome = undefined;
    const progressed = ({ progress }: { readonly progress: number }): void => {
      running.pctComplete = Math.min(Math.floor(progress), 99);
    };
    try {
      await nvm.backUp();
      await host.store.put(runningKey, { file, network } satisfies Running);
      driver.on("firmware update progress", progressed);
      away("the stick gets new firmware");
      const { success, status } = await driver.firmwareUpdateOTW(data);
      if (this.#running !== running) return;
      if (success) await this.#back(running);
      else await this.#failed(running, failures[status] ?? "the upgrade failed");
    } catch (error) {
      const reason = isCutOff(error) ? "it was broken off: the stick was gone" : faultOf(error).message;
      if (this.#running === running) await this.#failed(running, reason);
    } finally {
      driver.off("firmware update progress", progressed);
    }
  }

  /** The stick has its firmware; it is to say what it holds. */
  async #back(running: Running): Promise<void> {
    const { radio } = this.#options;
    if (radio.driver === undefined) return await this.#failed(running, "the stick does not start afterwards");
    const has = networkOf(radio.homeId);
    await this.#end(running, has === running.network ? null : `the stick has the network ${has} afterwards`);
  }

  /** A stick that is not back is opened anew, which takes it out of its bootloader. */
  async #failed(running: Running, reason: string): Promise<void> {
    const { host, radio } = this.#options;
    await this.#end(running, reason);
    const giveUp = this.#giveUp;
    const isAway = (): boolean => radio.driver === undefined;
    if (!isAway()) return;
    this.#cancelBack();
    this.#cancelBack = host.clock.after(backWithinMs, () => isAway() && giveUp(reason));
  }

  async #end({ file }: Running, reason: string | null): Promise<void> {
    const { host } = this.#options;
    this.#running = undefined;
    this.#outcome = { status: reason === null ? "DONE" : "FAILED", file, reason };
    if (reason === null) host.log("info", "the stick has new firmware", { file });
    else host.log("error", "the stick has not got new firmware", { file, reason });
    await host.store.put(runningKey, null).catch((error: unknown) => {
      host.log("warn", "the end of an upgrade was not stored", { reason: faultOf(error).message });
    });
  }
}
