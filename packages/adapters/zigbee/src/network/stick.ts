import { existsSync } from "node:fs";
import type { AdapterClock } from "@ledge/port";
import type { Controller } from "zigbee-herdsman";
import { insideOf } from "../library-inside.ts";
import type { RadioSettings, StickKind } from "../settings.ts";
import { guardSticks, withPermit } from "./guard.ts";
import { withoutFsync } from "./without-fsync.ts";
import type { LibraryFiles } from "./library-files.ts";
import type { NetworkParameters } from "./parameters.ts";
import { bytes, isExtendedPanId } from "./parameters.ts";
import { settledWithin } from "./settled-within.ts";
import type { Stake, Step } from "./verdict.ts";
import { judge, RefusedStick } from "./verdict.ts";

/** To form a network takes up to two minutes; the library may wait for ever for a stick that says nothing. */
const openMs = 180_000;
/** How long the library may take to let a stick go. */
const releaseMs = 1000;

/** Sticks whose power the library can set in dBm. */
const powered: ReadonlySet<StickKind> = new Set<StickKind>(["zstack", "ember", "zboss"]);

export interface OpenOptions {
  readonly radio: RadioSettings;
  readonly network: NetworkParameters;
  /** Of which the stick takes the quietest, where it can and the network is new; the first where it cannot. */
  readonly channels: readonly number[];
  /** In dBm. */
  readonly power: number;
  readonly files: LibraryFiles;
  readonly stake: Stake;
  /** What the counter of frames has reached, by the backup among the files; 0: there is none. */
  readonly sent: number;
  readonly clock: AdapterClock;
}

/** A stick that carries the network. */
export interface OpenStick {
  readonly controller: Controller;
  /** How it came to the network. */
  readonly step: Step;
  readonly channel: number;
  /** Resolves when the stick is gone. */
  readonly lost: Promise<void>;
  /** Lets it go, within a second or so. */
  release(): Promise<void>;
}

/**
 * Opens the stick and has it carry the network.
 * @throws RefusedStick when that takes a decision; anything else is worth another try. The stick is let go then.
 */
export async function openStick(options: OpenOptions, signal: AbortSignal): Promise<OpenStick> {
  const { radio, clock } = options;
  if (radio.path.startsWith("/") && !existsSync(radio.path)) throw new Error("there is no such port");
  withoutFsync();
  await guardSticks(radio.stick);
  // Half of the library's memory: loaded only where there is a stick.
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
  const cancel = clock.after(openMs, () => ended.reject(new Error("the stick does not answer")));
  const abort = (): void => ended.reject(new Error("stopped"));
  signal.addEventListener("abort", abort, { once: true });
  const release = (): Promise<void> => releaseStick(controller, clock);
  try {
    const started = controller.start();
    // Of a start that nobody waits for any more.
    started.catch(() => {});
    const gone = lost.promise.then(() => Promise.reject(new Error("the connection broke")));
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
  { radio, network, channels, power, files, sent }: OpenOptions,
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
    network: withPermit(options, permit, sent),
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

/** The channel of the network that is up. @throws RefusedStick when it is another network */
async function assertOurs(controller: Controller, network: NetworkParameters): Promise<number> {
  const { extendedPanID, channel } = await controller.getNetworkParameters();
  if (!isExtendedPanId(extendedPanID, network))
    throw new RefusedStick("the stick has come up with another network");
  return channel;
}

/** As the library's own stop does, but nothing is sent, and it ends. */
async function releaseStick(controller: Controller, clock: AdapterClock): Promise<void> {
  const inner = insideOf(controller);
  const { adapter } = inner;
  controller.removeAllListeners();
  clearTimeout(inner.permitJoinTimer);
  inner.adapterDisconnected = true;
  // Of its own stop only what empties its tables is left.
  await controller.stop().catch(() => {});
  if (adapter === undefined) return;
  await settledWithin(releaseMs, clock, adapter.stop());
  clearInterval(adapter.driver?.tickTimer);
  for (const socket of [adapter.znp?.socketPort, adapter.driver?.socketPort]) socket?.destroy();
}
