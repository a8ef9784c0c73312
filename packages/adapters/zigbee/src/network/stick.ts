import { existsSync } from "node:fs";
import { type AdapterClock, settledWithin } from "@ledge/port";
import type { Controller } from "zigbee-herdsman";
import { insideOf } from "../library-inside.ts";
import type { RadioSettings, StickKind } from "../settings.ts";
import { endDeconz } from "./guard-deconz.ts";
import { endEmber } from "./guard-ember.ts";
import { guardSticks } from "./guard.ts";
import { withoutFsync } from "./without-fsync.ts";
import type { LibraryFiles } from "./library-files.ts";
import type { NetworkParameters } from "./parameters.ts";
import { bytes, isExtendedPanId } from "./parameters.ts";
import { withPermit } from "./permit.ts";
import type { Stake, Step } from "./verdict.ts";
import { judge, RefusedStick } from "./verdict.ts";

/** Forming a network takes up to two minutes; the library may wait for ever for a silent stick. */
const openMs = 180_000;
/** How long the library may take to release a stick. */
const releaseMs = 1000;

/** Sticks whose power the library can set in dBm. */
const powered: ReadonlySet<StickKind> = new Set<StickKind>(["zstack", "ember", "zboss"]);

/** Options of `openStick`. */
export interface OpenOptions {
  readonly radio: RadioSettings;
  readonly network: NetworkParameters;
  /** For a new network the stick takes the quietest of these if it can scan, else the first. */
  readonly channels: readonly number[];
  /** In dBm. */
  readonly power: number;
  readonly files: LibraryFiles;
  readonly stake: Stake;
  /** The frame counter according to the backup file; 0 without one. */
  readonly sent: number;
  /** The IEEE address of the network's coordinator; undefined before there was one. */
  readonly address: string | undefined;
  readonly clock: AdapterClock;
}

/** An open stick that carries the network. */
export interface OpenStick {
  readonly controller: Controller;
  /** How the stick got the network. */
  readonly step: Step;
  readonly channel: number;
  /** Resolves when the stick is gone. */
  readonly lost: Promise<void>;
  /** Releases the stick within about a second. */
  release(): Promise<void>;
}

/**
 * Opens the stick and makes it carry the network. Releases the stick on failure.
 * @throws RefusedStick when a user must decide; other errors are worth a retry.
 */
export async function openStick(options: OpenOptions, signal: AbortSignal): Promise<OpenStick> {
  const { radio, clock } = options;
  if (radio.path.startsWith("/") && !existsSync(radio.path)) throw new Error("there is no such port");
  withoutFsync();
  await guardSticks(radio.stick);
  // Loaded only when there is a stick, because the library takes half of the adapter's memory.
  const { Controller: LibraryController } = await import("zigbee-herdsman");
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => {});
  let step: Step = "resume";
  const permit = (wanted: Step, holdsOther: boolean): void => {
    step = wanted;
    try {
      signal.throwIfAborted();
      judge(wanted, holdsOther, options.stake);
    } catch (error) {
      refused.reject(error);
      throw error;
    }
  };
  const controller = new LibraryController(libraryOptions(options, permit));
  const lost = Promise.withResolvers<void>();
  controller.on("adapterDisconnected", () => lost.resolve());
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const cancel = clock.after(openMs, () => ended.reject(new Error("the stick did not answer")));
  const abort = (): void => ended.reject(new Error("stopped"));
  signal.addEventListener("abort", abort, { once: true });
  const release = (): Promise<void> => releaseStick(controller, clock);
  try {
    const started = controller.start();
    // A start that was given up may still fail.
    started.catch(() => {});
    const gone = lost.promise.then(() => Promise.reject(new Error("the connection was lost")));
    await Promise.race([started, refused.promise, ended.promise, gone]);
    const channel = await Promise.race([assertOurs(controller, options.network), ended.promise, gone]);
    return { controller, step, channel, lost: lost.promise, release };
  } catch (error) {
    await release();
    throw error;
  } finally {
    cancel();
    signal.removeEventListener("abort", abort);
  }
}

function libraryOptions(
  { radio, network, channels, power, files, sent, address }: OpenOptions,
  permit: (step: Step, holdsOther: boolean) => void,
): ConstructorParameters<typeof Controller>[0] {
  const options = {
    panID: network.panId,
    extendedPanID: bytes(network.extendedPanId),
    networkKey: bytes(network.networkKey),
    channelList: [...channels],
  };
  const { path, stick, baudRate, rtscts } = radio;
  return {
    network: withPermit(options, permit, sent, address),
    serialPort: {
      path,
      adapter: stick,
      ...(baudRate !== undefined && { baudRate }),
      ...(rtscts !== undefined && { rtscts }),
    },
    databasePath: files.database,
    databaseBackupPath: files.databaseBackup,
    backupPath: files.backup,
    adapter: { disableLED: false, ...(powered.has(stick) && { transmitPower: power }) },
    acceptJoiningDeviceHandler: () => Promise.resolve(true),
  };
}

/**
 * Returns the channel of the network.
 * @throws RefusedStick when it is another network
 */
async function assertOurs(controller: Controller, network: NetworkParameters): Promise<number> {
  const { extendedPanID, channel } = await controller.getNetworkParameters();
  if (!isExtendedPanId(extendedPanID, network))
    throw new RefusedStick("the stick started with another network");
  return channel;
}

/** Does what the library's own stop does, but sends nothing and is sure to end. */
async function releaseStick(controller: Controller, clock: AdapterClock): Promise<void> {
  const inner = insideOf(controller);
  const { adapter } = inner;
  controller.removeAllListeners();
  clearTimeout(inner.permitJoinTimer);
  inner.adapterDisconnected = true;
  // The rest of the library's stop only clears its tables.
  await controller.stop().catch(() => {});
  if (adapter === undefined) return;
  await settledWithin(releaseMs, clock, adapter.stop());
  clearInterval(adapter.driver?.tickTimer);
  endEmber(adapter);
  endDeconz(adapter);
  for (const socket of [adapter.znp?.socketPort, adapter.driver?.socketPort]) socket?.destroy();
}
