import type { Clock, Kernel } from "@ledge/kernel";
import type { Command, RaiseAlarm } from "@ledge/model";
import { alarmId, limits } from "@ledge/model";
import type { RadioProtocol, SerialPort } from "@ledge/serial";
import { matchStick, PortWatch } from "@ledge/serial";
import type { Devices } from "../devices/devices.ts";
import type { Logger } from "@ledge/host/logger";
import type { Notes } from "../notes/notes.ts";
import type { NetworkSticks } from "./network-sticks.ts";
import { portKey } from "./ports-in.ts";
import type { Sticks } from "./sticks.ts";

const names: Readonly<Record<RadioProtocol, string>> = { zigbee: "Zigbee", zwave: "Z-Wave" };

export interface RadiosHost {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly notes: Pick<Notes, "note">;
  readonly logger: Logger;
  readonly sticks: Sticks;
  readonly devices: Pick<Devices, "restart">;
  readonly systemRoot: string;
  readonly network: Pick<NetworkSticks, "list" | "onChanged">;
}

/**
 * Follows decisions about radios, and the sticks that are plugged in. It restarts an adapter that was given or
 * lost a stick. For an adapter without a radio it proposes the sticks that fit, with one alarm per adapter, and
 * closes the alarm when the proposal no longer applies.
 */
export class Radios {
  readonly #host: RadiosHost;
  readonly #watch: PortWatch;
  /** The last proposals by protocol. A proposal that a user has closed is not repeated. */
  readonly #proposed = new Map<RadioProtocol, string>();
  #unsubscribe = (): void => {};
  #cancelCheck = (): void => {};

  constructor(host: RadiosHost) {
    this.#host = host;
    const { clock, systemRoot: root, logger } = host;
    this.#watch = new PortWatch({
      root,
      clock,
      changed: () => this.#propose(),
      failed: (error) =>
        logger.error({ reason: String(error) }, "a change of the serial ports could not be processed"),
    });
  }

  start(): void {
    const { kernel, network, sticks } = this.#host;
    const stopListening = network.onChanged(() => this.#propose());
    const unsubscribe = kernel.subscribe({
      published: ({ events }) => {
        const decided = events.filter(({ type }) => type === "StickTaken" || type === "StickGivenUp");
        for (const { id } of decided) this.#restart(id);
        if (decided.length > 0) this.#propose();
      },
    });
    for (const protocol of sticks.withoutRadio()) {
      const alarm = kernel.get("alarm", alarmId("STICK_FOUND", protocol));
      if (alarm !== undefined) this.#proposed.set(protocol, proposalOf(alarm));
    }
    this.#unsubscribe = () => {
      unsubscribe();
      stopListening();
    };
    this.#check();
    void this.#watch.start();
  }

  stop(): void {
    this.#unsubscribe();
    this.#cancelCheck();
    this.#watch.stop();
  }

  /** Looks for coordinators on the network that have gone without a word. */
  #check(): void {
    this.#cancelCheck = this.#host.clock.after(limits.mdnsAskMs, () => {
      this.#propose();
      this.#check();
    });
  }

  /** Restarts an adapter. A choice for a protocol that the profile lacks waits. */
  #restart(protocol: string): void {
    const { sticks, devices, logger } = this.#host;
    const settings = sticks.settingsOf(protocol);
    if (settings === undefined) return;
    devices.restart(protocol, settings).catch((error: unknown) => {
      logger.error({ adapter: protocol, reason: (error as Error).message }, "the adapter was not restarted");
    });
  }

  #propose(): void {
    const { ports } = this.#watch;
    // Before the first look, nobody knows whether a proposed stick is still there.
    if (ports === undefined) return;
    const { sticks, notes, network } = this.#host;
    const users = sticks.users();
    const found = [...ports.flatMap(proposable), ...network.list().filter(({ driver }) => driver)];
    const free = found.filter(({ port }) => !users.has(portKey(port)));
    const waiting = new Set(sticks.withoutRadio());
    for (const protocol of Object.keys(names) as RadioProtocol[]) {
      const wanted = waiting.has(protocol) ? proposal(protocol, free) : undefined;
      if (wanted === undefined) this.#withdraw(protocol);
      else if (this.#proposed.get(protocol) !== proposalOf(wanted)) {
        this.#proposed.set(protocol, proposalOf(wanted));
        void notes.note(wanted);
      }
    }
  }

  #withdraw(protocol: RadioProtocol): void {
    if (!this.#proposed.delete(protocol)) return;
    const id = alarmId("STICK_FOUND", protocol);
    // The note that raises the alarm may still be queued; closing a closed alarm changes nothing.
    void this.#host.notes.note({ type: "CLOSE_ALARM", id } as Command);
  }
}

/** A stick that may be proposed. */
interface Proposable {
  readonly name: string;
  readonly port: string;
  readonly protocol: RadioProtocol;
}

function proposable(port: SerialPort): Proposable[] {
  const { stick, certainty } = matchStick(port) ?? {};
  if (stick === undefined || certainty === "unsure") return [];
  return [{ name: stick.name, port: port.path, protocol: stick.protocol }];
}

function proposal(protocol: RadioProtocol, sticks: readonly Proposable[]): RaiseAlarm | undefined {
  const fitting = sticks.filter((stick) => stick.protocol === protocol);
  if (fitting.length === 0) return undefined;
  return {
    type: "RAISE_ALARM",
    kind: "STICK_FOUND",
    sourceId: protocol,
    name: fitting.map(({ name }) => name).join(", "),
    facts: { protocol: names[protocol], port: fitting.map(({ port }) => port).join(", ") },
  };
}

/** Returns the same text for the same sticks. */
function proposalOf({ name, facts = {} }: Pick<RaiseAlarm, "name" | "facts">): string {
  // Alarms cut their texts, so the comparison must too.
  return `${name.slice(0, limits.nameChars)} ${String(facts["port"]).slice(0, limits.alarmFactChars)}`;
}
