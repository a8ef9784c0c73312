import { randomBytes } from "node:crypto";
import type { AdapterHost, RequestTable } from "@ledge/port";
import { AdapterError, reopenDelay, settledWithin } from "@ledge/port";
import type { Controller } from "zigbee-herdsman";
import { insideOf } from "../library-inside.ts";
import type { RadioSettings, StickKind, ZigbeeSettings } from "../settings.ts";
import { Adopting } from "./adopting.ts";
import { completeBackup, frameCounterIn, isRestorable, restorableBackup } from "./backup.ts";
import { DeviceEntries } from "./device-entries.ts";
import type { Adoption, KeptBackup, KeptNetwork } from "./kept-network.ts";
import { Kept } from "./kept-network.ts";
import { LibraryFiles } from "./library-files.ts";
import { logOfLibrary, withoutKeys } from "./library-log.ts";
import { Missing } from "./missing.ts";
import { OwnNetwork } from "./own-network.ts";
import type { NetworkParameters, RandomBytes } from "./parameters.ts";
import { usualChannels } from "./parameters.ts";
import { NeedsReopening } from "./permit.ts";
import { formCommand, networkRequests } from "./requests.ts";
import { Saving } from "./saving.ts";
import type { OpenStick } from "./stick.ts";
import { openStick } from "./stick.ts";
import { Traffic } from "./traffic.ts";
import { RefusedStick } from "./verdict.ts";

/** Follows the coordinator. No method may throw. */
export interface NetworkListener {
  /** The network is up. Attach handlers to the controller here; they end with it. */
  opened(controller: Controller): void;
  /** The controller of the last `opened` is unusable. Called once for each `opened`. */
  closed(reason: string): void;
  /** Opening the stick failed; the network retries. */
  failed?(): void;
  /** Whether devices count as reachable whatever they do. Called at the start and on each change. */
  reachabilityIgnored?(isIgnored: boolean): void;
}

/** How long to wait for the network to close for joining when the adapter stops. */
const closeMs = 300;

/**
 * Runs the coordinator: keeps its network's keys and tables, and reopens the stick that carries it, which may
 * be missing, die or be replaced. The library's files are caches of what is in the host's store.
 */
export class Network {
  readonly #host: AdapterHost;
  readonly #settings: ZigbeeSettings;
  readonly #listener: NetworkListener;
  readonly #random: RandomBytes;
  readonly #kept: Kept;
  readonly #files: LibraryFiles;
  readonly #entries: DeviceEntries;
  readonly #missing: Missing;
  readonly #adopting: Adopting;
  readonly #own: OwnNetwork;
  readonly #traffic = new Traffic();
  #run: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
  #stick: OpenStick | undefined;
  #saving: Saving | undefined;
  #firmware = "";
  /** Why there is no network, in words for users. */
  #problem: string | undefined;
  /** The stick is present, but must not be used before a user decides. */
  #isRefused = false;
  /** Ends the wait for the next attempt. */
  #poke: () => void = () => {};
  /** Makes the stick reopen. */
  #reopen: () => void = () => {};
  /** Whether settings have changed since the stick was opened with them. */
  #isStale = false;

  /** @param random a cryptographic source for keys */
  constructor(
    host: AdapterHost,
    settings: ZigbeeSettings,
    listener: NetworkListener,
    random: RandomBytes = randomBytes,
  ) {
    this.#host = host;
    this.#settings = settings;
    this.#listener = listener;
    this.#random = random;
    this.#kept = new Kept(host.store);
    this.#files = new LibraryFiles(host.folder);
    this.#entries = new DeviceEntries(host.store);
    this.#missing = new Missing(host, this.#kept);
    const parts = { host, kept: this.#kept, entries: this.#entries };
    this.#adopting = new Adopting(parts);
    this.#own = new OwnNetwork({ ...parts, settings, random });
  }

  /** Undefined while there is no usable stick. */
  get controller(): Controller | undefined {
    return this.#stick?.controller;
  }

  /** Starts to open the stick and resolves at once. The listener hears the result. */
  async start(): Promise<void> {
    if (this.#run !== undefined) return;
    this.#listener.reachabilityIgnored?.(this.#kept.radio.ignore_reachability);
    const abort = new AbortController();
    const { radio } = this.#settings;
    if (radio === undefined) this.#problem = "no stick has been chosen";
    const ended = radio === undefined ? Promise.resolve() : this.#keepOpen(radio, abort.signal);
    this.#run = { abort, ended };
  }

  /** Backs up and releases the stick within a bounded time. The listener gets `closed` after an `opened`. */
  async stop(): Promise<void> {
    this.#run?.abort.abort();
    await this.#run?.ended;
    this.#run = undefined;
  }

  /**
   * Returns the newest backup of the coordinator, and makes one first if a stick carries the network.
   * @throws AdapterError `unsupported` for a stick that gives none; `refused` when there is none;
   * `unreachable` when the stick does not give its state
   */
  async backUp(): Promise<KeptBackup> {
    const kind = this.kind;
    if (kind !== undefined && !isRestorable(kind))
      throw new AdapterError("unsupported", `the library cannot back up a ${kind} stick`);
    if (this.#saving !== undefined && !(await this.#saving.backUp()))
      throw new AdapterError("unreachable", "the stick did not tell its state: try again");
    const { backup } = this.#kept;
    if (backup === undefined) throw new AdapterError("refused", "there is no backup of the coordinator yet");
    return completeBackup(backup, this.#entries.coordinator(), this.#entries.members());
  }

  /** The frame counter in the newest backup of the network; undefined when there is none. */
  get backedUpFrames(): number | undefined {
    const { backup, network } = this.#kept;
    return backup && network && frameCounterIn(backup.text, network);
  }

  /** The kind of the stick that was chosen. */
  get kind(): StickKind | undefined {
    return this.#settings.radio?.stick;
  }

  /** Why there is no network, in words for users. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The network that a stick has carried; undefined before the first. */
  get carried(): NetworkParameters | undefined {
    return this.#own.isKnown ? this.#kept.network : undefined;
  }

  /** The parameters of the network; undefined before the first. */
  get parameters(): NetworkParameters | undefined {
    return this.#kept.network;
  }

  /**
   * Replaces the network by another one, and opens the stick with it. Survives a stop once it is stored: the stick is
   * opened with it at the next start.
   * @returns true when a stick carries it; false after `atMostMs`, or when another network replaces it
   * @throws AdapterError `stopped`
   */
  async adopt(adoption: Adoption, atMostMs: number): Promise<boolean> {
    if (this.#run === undefined) throw new AdapterError("stopped", "the adapter is not running");
    await this.#adopting.store(adoption);
    // Not before: meanwhile a stick may have been opened with the present network.
    const isUp = this.#adopting.whenUp(atMostMs);
    this.#isStale = true;
    this.#reopen();
    this.#poke();
    return await isUp;
  }

  /**
   * Copies the library's device entries to the store, and has the coordinator backed up within a minute, also
   * after a restart. Await it after a device has joined or left.
   */
  async membersChanged(): Promise<void> {
    await this.#saving?.membersChanged();
  }

  /** Requests for the rows of the API. */
  readonly requests: RequestTable = networkRequests({
    kept: () => this.#kept,
    clock: () => this.#host.clock,
    traffic: this.#traffic,
    isRunning: () => this.#run !== undefined,
    stick: () => this.#stick,
    missing: () => this.#missing.all,
    firmware: () => this.#firmware,
    problem: () => this.#problem ?? null,
    isKnown: () => this.#own.isKnown,
    setChannel: (channel) => this.#own.setChannel(channel),
    changed: (reopens) => this.#changed(reopens),
  });

  /** Commands for the row `protocolconfig`. */
  readonly protocolCommands: RequestTable = { FORM_ZIGBEE_NETWORK: formCommand(() => this.#formAnew()) };

  async #keepOpen(radio: RadioSettings, signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#poke(), { once: true });
    for (let failures = 0; !signal.aborted;) {
      try {
        this.#stick = await this.#open(radio, signal);
        failures = 0;
        this.#listener.opened(this.#stick.controller);
        this.#adopting.opened();
        await this.#close(await this.#untilItEnds(this.#stick, signal), signal.aborted);
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof NeedsReopening) {
          this.#host.log("info", error.message, { path: radio.path });
          continue;
        }
        this.#failed(radio, error);
        await this.#own.mend(error);
        failures += 1;
      }
      const [chance = 0] = this.#random(1);
      if (failures > 0 && !signal.aborted) await this.#wait(reopenDelay(failures - 1, chance / 255));
    }
  }

  async #open(radio: RadioSettings, signal: AbortSignal): Promise<OpenStick> {
    const { clock, log } = this.#host;
    await logOfLibrary(log);
    this.#isStale = false;
    await this.#adopting.takeUp();
    const network = await this.#own.stored();
    const isKnown = network.formedAt !== null;
    const backup = restorableBackup(this.#kept.backup, network, radio.stick, clock.now());
    const unrestorable = "reason" in backup ? backup.reason : undefined;
    const coordinator = this.#entries.coordinator() ?? ("text" in backup ? backup.coordinator : undefined);
    this.#files.write(
      isKnown ? this.#entries.text() : "",
      isKnown && "text" in backup ? backup.text : undefined,
    );
    // Only Z-Stack sticks can scan for a channel before they form a network.
    const isFree = !isKnown && !network.isChannelChosen && radio.stick === "zstack";
    const stick = await openStick(
      {
        radio,
        network,
        channels: isFree ? usualChannels : [network.channel],
        power: this.#kept.radio.power,
        files: this.#files,
        stake: { isKnown, isConfirmed: network.isConfirmed, unrestorable },
        address: isKnown ? coordinator : undefined,
        sent: isKnown && "sent" in backup ? backup.sent : 0,
        clock,
      },
      signal,
    );
    try {
      await this.#established(stick, network, radio, coordinator);
    } catch (error) {
      await stick.release();
      throw error;
    }
    const { step, channel } = stick;
    log("info", `the Zigbee network is up: ${stepWords[step]}`, { channel, path: radio.path });
    this.#problem = undefined;
    this.#isRefused = false;
    return stick;
  }

  /** Stores that the network is on a stick, before the listener hears of it. */
  async #established(
    { controller, step, channel }: OpenStick,
    network: KeptNetwork,
    { stick }: RadioSettings,
    coordinator: string | undefined,
  ): Promise<void> {
    const host = this.#host;
    await this.#own.noteCarried(network, channel);
    if (step === "restore") {
      await this.#missing.begin(this.#entries.devices());
      this.#tellOwnAddress(coordinator, controller);
    }
    if (step === "form") await this.#missing.begin([]);
    const { meta } = await controller.getCoordinatorVersion();
    this.#firmware = JSON.stringify(meta);
    const { adapter } = insideOf(controller);
    if (adapter) this.#traffic.follow(adapter);
    controller.on("lastSeenChanged", ({ device }) => this.#missing.found(device.ieeeAddr));
    controller.on("deviceLeave", ({ ieeeAddr }) => this.#missing.found(ieeeAddr));
    const parts = { host, kept: this.#kept, entries: this.#entries, files: this.#files, stick, controller };
    this.#saving = new Saving(parts);
    await this.#saving.copy();
    if (step !== "resume" || this.#kept.backup === undefined)
      void this.#saving.backUpAnew(step !== "restore");
  }

  /** Warns when the stick did not take over the address that devices report to. */
  #tellOwnAddress(before: string | undefined, controller: Controller): void {
    const now = controller.getDevicesByType("Coordinator")[0]?.ieeeAddr;
    if (before === undefined || before === now) return;
    this.#host.log(
      "warn",
      "the stick kept its own address: pair devices again that still report to the old one",
      {
        before,
        now,
      },
    );
  }

  /** Resolves with the reason when the stick is lost, stopped or to be reopened. */
  async #untilItEnds({ lost }: OpenStick, signal: AbortSignal): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#reopen = () => resolve("its settings have changed");
    const stopped = (): void => resolve("stopped");
    void lost.then(() => resolve("the stick is gone"));
    signal.addEventListener("abort", stopped, { once: true });
    if (signal.aborted) stopped();
    if (this.#isStale) this.#reopen();
    const reason = await promise;
    signal.removeEventListener("abort", stopped);
    this.#reopen = () => {};
    return reason;
  }

  async #close(reason: string, isStop: boolean): Promise<void> {
    const stick = this.#stick;
    if (stick === undefined) return;
    const { log, clock } = this.#host;
    if (!isStop) log("warn", `the Zigbee network is down: ${reason}`);
    this.#problem = reason;
    this.#listener.closed(reason);
    const { controller } = stick;
    if (isStop && controller.getPermitJoin()) await settledWithin(closeMs, clock, controller.permitJoin(0));
    await this.#saving?.end(isStop && !controller.isAdapterDisconnected());
    this.#saving = undefined;
    this.#stick = undefined;
    await stick.release();
    await this.#missing.stop();
  }

  #failed({ path }: RadioSettings, error: unknown): void {
    const reason = withoutKeys(error instanceof Error ? error.message : String(error));
    const isRefused = error instanceof RefusedStick;
    const level = isRefused ? "error" : "warn";
    const says = isRefused
      ? `the Zigbee stick is not used, to protect the network on it or on the hub: ${reason}`
      : `the Zigbee stick cannot be opened: ${reason}`;
    this.#host.log(this.#problem === reason ? "debug" : level, says, { path });
    this.#problem = reason;
    this.#isRefused = isRefused;
    this.#listener.failed?.();
  }

  /**
   * Applies changed settings.
   * @param reopens whether they only apply when the stick is opened
   */
  #changed(reopens: boolean): void {
    this.#listener.reachabilityIgnored?.(this.#kept.radio.ignore_reachability);
    if (!reopens) return;
    this.#isStale = true;
    this.#reopen();
  }

  /** @throws AdapterError `refused` unless the present network cannot continue */
  async #formAnew(): Promise<void> {
    if (this.#run === undefined) throw new AdapterError("stopped", "the adapter is not running");
    if (!this.#isRefused)
      throw new AdapterError(
        "refused",
        "a new network can be formed only when the present one cannot continue",
      );
    await this.#own.replace();
    this.#poke();
  }

  async #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#poke = resolve;
    const cancel = this.#host.clock.after(ms, resolve);
    await promise;
    cancel();
    this.#poke = () => {};
  }
}

const stepWords = {
  resume: "the stick carries it",
  restore: "it was put onto another stick",
  form: "it is new",
} as const;
