import { attribute, isExtra } from "@ledge/model";
import type {
  Adapter,
  AdapterHost,
  CastAnswer,
  DeviceCommand,
  Groupcast,
  NativeId,
  Pairing,
  RequestTable,
} from "@ledge/port";
import { AdapterError, commandsOf } from "@ledge/port";
import type { Attributes } from "./behaviour/behaviour.ts";
import { Chatter } from "./chatter.ts";
import { home } from "./home.ts";
import type { HomePairing } from "./pairing.ts";
import { queries } from "./queries.ts";
import { ignoresReachability, radios, zigbeeRadio } from "./radios.ts";
import { afterIn, furnished, type Running } from "./running.ts";
import type { ScriptEntry } from "./settings.ts";
import { readSettings } from "./settings.ts";
import type { SimulatedWorld } from "./world.ts";

/** Real time between two steps of the world. */
const stepMs = 1000;
/** Real time between two rounds of the chatter. */
const chatterMs = 50;
/** How long the radio waits for a device that does not answer. */
const answerMs = 2000;

/**
 * Simulates a home of devices (`home`) for demonstrations and tests; settings: see `readSettings`. It behaves
 * like real radios: it answers late, loses commands, and lets devices vanish.
 */
export class SimAdapter implements Adapter {
  readonly protocol = "sim";
  readonly inFlight = 4;
  #running: Running | undefined;
  #stopped: Promise<void> = Promise.resolve();

  /** The running home, for tests in the same process. */
  get world(): SimulatedWorld | undefined {
    return this.#running?.world;
  }

  async start(host: AdapterHost): Promise<void> {
    if (this.#running) return;
    const settings = readSettings(host.settings, home.length);
    const running = furnished(host, settings);
    const { world, home: members } = running;
    this.#running = running;
    for (const device of world.descriptions()) {
      if (members.has(device.native)) host.announce(running.described(device));
    }
    world.trust(zigbeeRadio, ignoresReachability(host));
    for (const native of world.natives) world.refresh(native);
    this.#keepStepping(running);
    if (settings.reportsPerSecond > 0) {
      const chatter = new Chatter(world, settings.reportsPerSecond, (report) => host.report(report));
      this.#keepChattering(running, chatter);
    }
    for (const entry of settings.script) this.#after(running, entry.atMs, () => this.perform(entry));
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running) {
      for (const cancel of running.timers) cancel();
      for (const fail of running.sends) fail(new AdapterError("stopped", "the adapter has stopped"));
      this.#stopped = running.memory.close();
    }
    await this.#stopped;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const running = this.#running;
    if (!running) throw new AdapterError("stopped", "the adapter is not running");
    const { world, settings, memory } = running;
    if (!running.home.has(native)) throw new AdapterError("refused", `no device ${native}`);
    const isLost = loses(running, native);
    if (!world.isReachable(native) || isLost) {
      await this.#wait(running, Math.max(answerMs, settings.latencyMs), signal);
      count(running, native, "unanswered");
      throw isLost
        ? new AdapterError("timeout", `${native} did not answer`)
        : new AdapterError("unreachable", `${native} is out of reach`);
    }
    if (command.type === "set") assertSettable(world, native, command.attributes);
    await this.#wait(running, settings.latencyMs, signal);
    count(running, native, "sent");
    if (command.type === "refresh") {
      world.refresh(native);
      return;
    }
    if (command.type !== "set") {
      act(running, native, command.type);
      return;
    }
    world.set(native, command.attributes);
    memory.note(native);
  }

  forget(native: NativeId): Promise<void> {
    return this.#running?.home.forget(native) ?? Promise.resolve();
  }

  readonly pairing: Pairing = {
    open: (windowMs) => this.#home().open(windowMs),
    close: () => this.#running?.home.close() ?? Promise.resolve(),
    keep: (native) => this.#home().keep(native),
    discard: (native) => this.#running?.home.discard(native) ?? Promise.resolve(),
  };

  readonly groupcast: Groupcast = {
    radios: [zigbeeRadio],
    keep: async (groups) => this.#now().groups.keep(groups),
    cast: (...cast) => this.#cast(...cast),
  };

  async #cast(
    group: string,
    natives: readonly NativeId[],
    command: DeviceCommand,
    answered: CastAnswer,
    signal: AbortSignal,
  ): Promise<void> {
    const running = this.#now();
    const { world, settings, memory, groups, frames } = running;
    if (command.type !== "set")
      throw new AdapterError("unsupported", `a cast must be a set, not a ${command.type}`);
    const reached = groups.reachedBy(group);
    const present = new Set(natives.filter((native) => reached.has(native)));
    for (const native of natives) {
      if (!present.has(native))
        answered(native, new AdapterError("refused", `${native} is not in the group on the radio`));
    }
    await this.#wait(running, settings.latencyMs, signal);
    frames.sent += 1;
    for (const native of reached) {
      if (!world.isReachable(native) || loses(running, native)) continue;
      const wanted = Object.entries(command.attributes);
      const able = wanted.filter(([name]) => isSettable(world, native, name));
      world.set(native, Object.fromEntries(able));
      memory.note(native);
      if (!present.delete(native)) continue;
      if (able.length === wanted.length) answered(native);
      else answered(native, new AdapterError("unsupported", `${native} does not support all of it`));
    }
    // Wait for the answers of the others, which do not come.
    if (present.size > 0) await this.#wait(running, answerMs, signal);
  }

  readonly protocolCommands: RequestTable = {
    /** Presses the button of a stray that waits for it. */
    SIM_PRESS_BUTTON: async (request) => {
      for (const { native } of commandsOf(request)) this.#home().press(String(native));
      return true;
    },
  };

  readonly requests: RequestTable = {
    ...radios({
      host: () => this.#now().host,
      has: (native) => this.#now().home.has(native),
      devices: () => {
        const { home: members, world } = this.#now();
        return world.descriptions().filter(({ native }) => members.has(native));
      },
      join: (native) => this.#now().home.keep(native),
      frames: () => this.#now().frames,
      changed: () => {
        const { world, host } = this.#now();
        world.trust(zigbeeRadio, ignoresReachability(host));
      },
    }),
    ...queries({
      assertThere: (native) => {
        const { home: members, world } = this.#now();
        if (!members.has(native)) throw new AdapterError("refused", `no device ${native}`);
        if (!world.isReachable(native)) throw new AdapterError("unreachable", `${native} is out of reach`);
      },
      camera: () => this.#now().camera,
    }),
    SET_CONFIGURATION: (request) => this.#now().upkeep.configure(request),
    START_UPGRADE: async (request) => this.#now().upkeep.upgrade(request),
  };

  #home(): HomePairing {
    return this.#now().home;
  }

  #now(): Running {
    if (!this.#running) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }

  /** Performs a script entry now. */
  perform({ native, attributes, action }: Omit<ScriptEntry, "atMs">): void {
    const running = this.#running;
    if (!running) return;
    const { world } = running;
    if (attributes) world.hold(native, attributes);
    if (action === "plug" || action === "unplug") world.plug(native, action === "plug");
    else if (action === "drop") running.dropping.add(native);
    else if (action) world.act(native, action);
  }

  #keepStepping(running: Running): void {
    this.#after(running, stepMs, () => {
      this.#keepStepping(running);
      running.world.step(stepMs * running.settings.speed);
      running.groups.catchUp();
      running.memory.tick();
    });
  }

  #keepChattering(running: Running, chatter: Chatter): void {
    const began = running.host.clock.now();
    this.#after(running, chatterMs, () => {
      this.#keepChattering(running, chatter);
      // After a clock change the difference says nothing about the time that passed.
      const passed = running.host.clock.now() - began;
      chatter.pass(passed >= 0 && passed < 1000 ? passed : chatterMs);
    });
  }

  #after(running: Running, ms: number, callback: () => void): () => void {
    return afterIn(running.timers, running.host, ms, callback);
  }

  async #wait(running: Running, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new AdapterError("cancelled", "the caller no longer waits");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancelled = (): void => reject(new AdapterError("cancelled", "the caller no longer waits"));
    const cancelTimer = this.#after(running, ms, resolve);
    signal.addEventListener("abort", cancelled, { once: true });
    running.sends.add(reject);
    try {
      await promise;
    } finally {
      cancelTimer();
      signal.removeEventListener("abort", cancelled);
      running.sends.delete(reject);
    }
  }
}

/** Whether a command to a device is lost on its way. */
function loses({ dropping, random, settings }: Running, native: NativeId): boolean {
  return dropping.delete(native) || random() < settings.lossRate;
}

function count({ world, frames }: Running, native: NativeId, as: keyof Running["frames"]): void {
  if (world.radioOf(native) === zigbeeRadio) frames[as] += 1;
}

/** Carries out a command whose effect only somebody at the device sees. */
function act({ world, host }: Running, native: NativeId, action: "identify" | "snapshot"): void {
  const device = world.descriptions().find((each) => each.native === native);
  const can = action === "identify" ? device?.capabilities.includes("IDENTIFY") : device?.class === "CAMERA";
  if (can !== true) throw new AdapterError("unsupported", `${native} does not support ${action}`);
  host.log("info", action === "identify" ? "a device blinks" : "a camera takes a picture", { native });
}

function assertSettable(world: SimulatedWorld, native: NativeId, wanted: Attributes): void {
  const unsettable = Object.keys(wanted).find((name) => !isSettable(world, native, name));
  if (unsettable !== undefined) throw new AdapterError("unsupported", `${native} cannot set ${unsettable}`);
}

function isSettable(world: SimulatedWorld, native: NativeId, name: string): boolean {
  if (isExtra(name)) return world.takesExtra(native, name);
  const capabilities = world.capabilities(native);
  return (attribute(name)?.settableBy ?? []).some((capability) => capabilities.includes(capability));
}
