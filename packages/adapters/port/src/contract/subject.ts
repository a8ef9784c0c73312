import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  Adapter,
  AdapterLog,
  AdapterRequest,
  AirGroup,
  CastAnswer,
  DeviceCommand,
  DeviceDescription,
  FoundDevice,
  NativeId,
  Report,
} from "../adapter.ts";
import type { HubChannel } from "../channel.ts";
import { systemClock } from "../clock.ts";
import { AdapterLine } from "../line.ts";
import { loopback } from "../loopback.ts";
import type { PairingAction } from "../messages.ts";
import { answerRequest, groupcastOf, pair } from "../offers.ts";
import { childChannel, startAdapterProcess } from "../process.ts";
import { serveAdapter } from "../serve.ts";
import { type Recorded, recordingHost } from "../testing.ts";
import { flooding } from "./flood.ts";
import type { ContractWorld } from "./world.ts";

/** Flags of Node with which the child loads libraries as this process does (scripts/libraries.ts). */
const sourceFlags = process.execArgv.filter((flag) => /^--import=.*\blibraries\.ts$/.test(flag));

/** An adapter under test, in this process or another, with everything that it reported. */
export interface Subject {
  start(settings: unknown): Promise<void>;
  stop(): Promise<void>;
  send(native: NativeId, command: DeviceCommand, signal?: AbortSignal): Promise<void>;
  request(request: AdapterRequest, signal?: AbortSignal): Promise<unknown>;
  pair(action: PairingAction): Promise<void>;
  keepGroups(groups: readonly AirGroup[]): Promise<void>;
  cast(
    group: string,
    natives: readonly NativeId[],
    command: DeviceCommand,
    answered: CastAnswer,
  ): Promise<void>;
  forget(native: NativeId): Promise<void>;
  readonly announced: readonly DeviceDescription[];
  readonly reports: readonly Report[];
  readonly found: readonly FoundDevice[];
  readonly lost: readonly NativeId[];
  /** The errors that the adapter logged. */
  readonly errors: readonly string[];
  /** The number of pulses lost so far. */
  readonly dropped: () => number;
  /** Advances time. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const sendTimeoutMs = 10_000;

/** Runs the adapter in this process, with a host that records every call. */
export function inProcess(world: ContractWorld): Subject {
  const adapter: Adapter = world.create();
  const clock = world.clock ?? systemClock;
  const recorded: Recorded = {
    announced: [],
    reports: [],
    found: [],
    lost: [],
    stored: new Map(structuredClone(world.stored)),
  };
  const errors: string[] = [];
  const log: AdapterLog = (level, message) => void (level === "error" && errors.push(message));
  const folder = temporaryFolder(world);
  return {
    ...recorded,
    errors,
    dropped: () => 0,
    start: (settings) => adapter.start(recordingHost(recorded, { settings, clock, folder, log })),
    stop: () => adapter.stop(),
    send: (native, command, signal = new AbortController().signal) => adapter.send(native, command, signal),
    request: (request, signal = new AbortController().signal) => answerRequest(adapter, request, signal),
    pair: (action) => pair(adapter, action),
    keepGroups: async (groups) => await groupcastOf(adapter).keep(groups),
    cast: async (group, natives, command, answered) =>
      await groupcastOf(adapter).cast(group, natives, command, answered, new AbortController().signal),
    forget: async (native) => adapter.forget?.(native),
    pass: passing(world),
    async close() {
      await adapter.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Runs the adapter in a child process. */
export function forked(world: ContractWorld, mode?: "flood"): Subject {
  const entry = new URL("./child.ts", import.meta.url);
  const env = { ...process.env, NODE_OPTIONS: sourceFlags.join(" ") };
  const child = startAdapterProcess(entry, [world.module.href, ...(mode ? [mode] : [])], { env });
  child.stdout?.resume();
  child.stderr?.pipe(process.stderr);
  const exited = once(child, "exit");
  const subject = overLine(world, childChannel(child), sleep, mode ? 5 : 0);
  return {
    ...subject,
    async close() {
      child.kill("SIGKILL");
      await exited;
      await subject.close();
    },
  };
}

/** Runs the flooding adapter behind a line within this process. */
export function inProcessFlood(world: ContractWorld): Subject {
  const { hub, adapter } = loopback();
  serveAdapter(flooding(world.create), adapter, world.clock ? { clock: world.clock } : {});
  return overLine(world, hub, passing(world), 5);
}

/** @param takingMs how long the hub takes over each batch of reports before it gives new credit. */
function overLine(
  world: ContractWorld,
  channel: HubChannel,
  pass: (ms: number) => Promise<void>,
  takingMs: number,
): Subject {
  const announced: DeviceDescription[] = [];
  const reports: Report[] = [];
  const found: FoundDevice[] = [];
  const lost: NativeId[] = [];
  const errors: string[] = [];
  let dropped = 0;
  const { stored = [] } = world;
  const folder = temporaryFolder(world);
  const line = new AdapterLine(channel, {
    announce: async (device) => void announced.push(device),
    found: async (device) => void found.push(device),
    lost: async (native) => void lost.push(native),
    trouble: async () => {},
    async reports(batch, missing) {
      reports.push(...batch);
      dropped += missing;
      if (takingMs > 0) await sleep(takingMs);
    },
    inFlight: () => {},
    store: async () => {},
    log: (level, message) => void (level === "error" && errors.push(message)),
    pong: () => {},
    closed: () => {},
    broken: (reason) => void errors.push(reason),
  });
  return {
    announced,
    reports,
    found,
    lost,
    errors,
    dropped: () => dropped,
    start: async (settings) => void (await line.start(settings, stored, folder)),
    stop: () => line.stop(),
    send: (native, command, signal) => line.send(native, command, sendTimeoutMs, signal),
    request: (request, signal) => line.request(request, sendTimeoutMs, signal),
    pair: (action) => line.pair(action, sendTimeoutMs),
    keepGroups: (groups) => line.keepGroups(groups, sendTimeoutMs),
    cast: (group, natives, command, answered) => line.cast(group, natives, command, sendTimeoutMs, answered),
    forget: async (native) => line.forget(native),
    pass,
    async close() {
      await line.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Makes a folder as the hub does: only its owner may enter. It holds what an earlier run left. */
function temporaryFolder({ folder: before }: ContractWorld): string {
  const folder = mkdtempSync(join(tmpdir(), "ledge-adapter-"));
  if (before !== undefined) cpSync(before, folder, { recursive: true });
  return folder;
}

function passing(world: ContractWorld): (ms: number) => Promise<void> {
  const { clock } = world;
  return clock ? (ms) => clock.pass(ms) : (ms) => sleep(ms);
}
