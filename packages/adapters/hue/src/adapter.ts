import {
  type Adapter,
  AdapterError,
  type AdapterHost,
  type DeviceCommand,
  type NativeId,
  pause,
  type RequestTable,
} from "@ledge/port";
import { originsOf } from "./address.ts";
import { Bridge, type PairedBridge } from "./bridge.ts";
import { discoverBridges } from "./discover.ts";
import { BridgeFault, BridgeHttp } from "./http.ts";
import { type Candidate, pairedWith, probeBridge, requestKey } from "./pair.ts";
import { readSettings, type Settings } from "./settings.ts";

/**
 * Makes the adapter for Hue bridges. A lamp's native id is `<bridge>/lights/<number>`, its radio the bridge.
 * @param random 0..1, spreads reconnections
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new HueAdapter(random);
}

const pairedKey = "bridges";
const forgottenKey = "forgotten";
const askEveryMs = 2000;
const askForMs = 30_000;
const mostBridges = 8;

interface Running {
  readonly host: AdapterHost;
  readonly settings: Settings;
  readonly bridges: Map<string, Bridge>;
  readonly stopped: AbortController;
}

class HueAdapter implements Adapter {
  readonly protocol = "hue";
  /** A bridge takes about ten commands a second. */
  readonly inFlight = 3;
  readonly #random: () => number;
  #running: Running | undefined;
  /** The bridges that are asked for a key just now. */
  #asking: Promise<void> | undefined;
  #asked: readonly Candidate[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    if (this.#running !== undefined) return;
    const settings = readSettings(host.settings);
    const running = { host, settings, bridges: new Map(), stopped: new AbortController() };
    this.#running = running;
    for (const paired of pairedIn(host)) this.#open(running, paired);
    await Promise.all([...this.#running.bridges.values()].map(({ tried }) => tried));
    await Promise.all(
      settings.bridges.map(async ({ origins, key }) => {
        if (key !== undefined) await this.#adopt(running, origins, key);
      }),
    );
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stopped.abort();
    await this.#asking;
    await Promise.all([...(running?.bridges.values() ?? [])].map((bridge) => bridge.stop()));
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const bridge = this.#bridgeOf(this.#now(), native);
    if (bridge?.has(native) !== true) throw new AdapterError("refused", `no device ${native}`);
    await bridge.send(native, command, signal);
  }

  /** Removes a lamp until its bridge is paired again; removes a bridge with its key. */
  async forget(native: NativeId): Promise<void> {
    const running = this.#running;
    const bridge = running && this.#bridgeOf(running, native);
    if (running === undefined || bridge?.has(native) !== true) return;
    const { host, bridges } = running;
    await host.store.put(forgottenKey, [...new Set([...forgottenIn(host), native])]);
    if (native !== bridge.paired.id) {
      bridge.drop(native);
      return;
    }
    bridges.delete(native);
    await host.store.put(
      pairedKey,
      pairedIn(host).filter(({ id }) => id !== native),
    );
    await bridge.stop();
    await giveBack(bridge.paired);
  }

  readonly requests: RequestTable = {
    /** Begins to ask bridges for a key; somebody has 30 s to press the button of one. */
    PAIR_BRIDGE: async (_, signal) => {
      const running = this.#now();
      if (this.#asking !== undefined) return true;
      const candidates = await this.#candidates(running);
      signal.throwIfAborted();
      if (this.#running !== running) throw new AdapterError("stopped", "the adapter has stopped");
      if (candidates.length === 0)
        throw new AdapterError(
          "unreachable",
          "no lighting bridge answers on this network: connect it, or name its address in the profile",
        );
      this.#asked = candidates;
      this.#asking = this.#askForKeys(running).finally(() => {
        this.#asking = undefined;
        for (const { http } of candidates) http.close();
      });
      return true;
    },
  };

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }

  #bridgeOf({ bridges }: Running, native: NativeId): Bridge | undefined {
    return bridges.get(native.split("/")[0] ?? "");
  }

  #open(running: Running, paired: PairedBridge): void {
    const { host, settings, bridges } = running;
    const bridge = new Bridge({
      paired,
      host,
      groups: settings.groups,
      pollMs: settings.pollMs,
      random: this.#random,
      isForgotten: (native) => forgottenIn(host).includes(native),
      moved: async (id) => await this.#originOf(running, id),
      changed: (changed) => void this.#store(host, changed),
    });
    bridges.set(paired.id, bridge);
    bridge.start();
  }

  /** Takes a bridge whose key the profile has. */
  async #adopt(running: Running, origins: readonly string[], key: string): Promise<void> {
    const { host, bridges, stopped } = running;
    if (pairedIn(host).some((paired) => paired.key === key || origins.includes(paired.origin))) return;
    const candidate = await probeBridge(origins);
    if (candidate === undefined) {
      host.log("warn", "the bridge of the profile does not answer", { address: origins[0] ?? "" });
      void this.#adoptLater(running, origins, key);
      return;
    }
    const paired = await pairedWith(candidate, key, stopped.signal).finally(() => candidate.http.close());
    if (stopped.signal.aborted || bridges.has(paired.id) || forgottenIn(host).includes(paired.id)) return;
    await this.#store(host, paired);
    this.#open(running, paired);
    await bridges.get(paired.id)?.tried;
  }

  async #adoptLater(running: Running, origins: readonly string[], key: string): Promise<void> {
    const { host, stopped } = running;
    await pause(host.clock, askForMs, stopped.signal);
    if (stopped.signal.aborted) return;
    try {
      await this.#adopt(running, origins, key);
    } catch (error) {
      // A stop of the adapter cuts the question.
      if (!stopped.signal.aborted)
        host.log("warn", "the bridge of the profile was not taken", { reason: String(error) });
    }
  }

  async #candidates({ host, settings, bridges }: Running): Promise<readonly Candidate[]> {
    const heard = (await discoverBridges(host.clock)).flatMap((address) => {
      const origins = originsOf(address);
      return origins === undefined ? [] : [origins];
    });
    const places = [
      ...settings.bridges.map(({ origins }) => origins),
      ...[...bridges.values()].map(({ paired }) => [paired.origin]),
      ...heard,
    ];
    const found = new Map<string, Candidate>();
    for (const candidate of await Promise.all(places.map((origins) => probeBridge(origins)))) {
      if (candidate === undefined) continue;
      if (found.has(candidate.id) || found.size >= mostBridges) candidate.http.close();
      else found.set(candidate.id, candidate);
    }
    return [...found.values()];
  }

  async #originOf(running: Running, id: string): Promise<string | undefined> {
    const candidates = await this.#candidates(running);
    for (const { http } of candidates) http.close();
    return candidates.find((each) => each.id === id)?.http.origin;
  }

  async #askForKeys(running: Running): Promise<void> {
    const { host, stopped } = running;
    const { signal } = stopped;
    for (const { id } of this.#asked)
      host.found({
        native: id,
        description: null,
        status: "CONNECTING",
        actionRequired: true,
        help: "pairing.press-button",
      });
    let isPaired = false;
    for (let waited = 0; waited < askForMs && !isPaired && !signal.aborted; waited += askEveryMs) {
      for (const candidate of this.#asked) isPaired = (await this.#ask(running, candidate)) || isPaired;
      if (isPaired || signal.aborted) break;
      await pause(host.clock, askEveryMs, signal);
    }
    for (const { id } of this.#asked) host.lost(id);
    if (!isPaired && !signal.aborted)
      host.log("warn", "nobody has pressed the button of a bridge within 30 s: begin again", {});
  }

  async #ask(running: Running, candidate: Candidate): Promise<boolean> {
    const { host, bridges, stopped } = running;
    try {
      const key = await requestKey(candidate, stopped.signal);
      if (key === undefined) return false;
      const paired = await pairedWith(candidate, key, stopped.signal);
      await this.#store(host, paired);
      const kept = forgottenIn(host).filter((native) => native.split("/")[0] !== paired.id);
      await host.store.put(forgottenKey, kept);
      await bridges.get(paired.id)?.stop();
      if (this.#running === running) this.#open(running, paired);
      host.log("info", "paired a lighting bridge", { bridge: paired.id, interface: paired.api });
      return true;
    } catch (error) {
      if (!(error instanceof BridgeFault) && !stopped.signal.aborted) throw error;
      host.log("debug", "a bridge gives no key", {
        bridge: candidate.id,
        reason: (error as Error).message,
      });
      return false;
    }
  }

  async #store(host: AdapterHost, paired: PairedBridge): Promise<void> {
    const others = pairedIn(host).filter(({ id }) => id !== paired.id);
    try {
      await host.store.put(pairedKey, [...others, paired].slice(-mostBridges));
    } catch (error) {
      host.log("warn", "a bridge was not stored", { bridge: paired.id, reason: (error as Error).message });
    }
  }
}

/** Asks a bridge to remove the hub's key. Newer ones let only their owner's app do so. */
async function giveBack({ origin, key, fingerprint }: PairedBridge): Promise<void> {
  const http = new BridgeHttp(origin, fingerprint);
  const path = `/api/${key}/config/whitelist/${key}`;
  await http.ask({ method: "DELETE", path, timeoutMs: 2000 }).catch(() => undefined);
  http.close();
}

function pairedIn(host: AdapterHost): readonly PairedBridge[] {
  const paired = host.store.get(pairedKey);
  return Array.isArray(paired) ? (paired as PairedBridge[]) : [];
}

function forgottenIn(host: AdapterHost): readonly NativeId[] {
  const forgotten = host.store.get(forgottenKey);
  return Array.isArray(forgotten) ? (forgotten as NativeId[]) : [];
}
