import type { Kernel } from "@ledge/kernel";
import { type MqttBroker, mqttBrokerId } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import type { Devices } from "./devices.ts";

const protocol = "mqtt";

export interface BrokerInUseHost {
  readonly kernel: Pick<Kernel, "get" | "subscribe">;
  readonly logger: Logger;
  readonly devices: Pick<Devices, "restart">;
  /** The adapter's part of the profile; undefined: it names no broker. */
  readonly profile: unknown;
}

/** The broker of the hub: that which was set by the API, else the profile's. Starts the adapter again when it is another. */
export class BrokerInUse {
  readonly #host: BrokerInUseHost;
  #unsubscribe: () => void = () => {};

  constructor(host: BrokerInUseHost) {
    this.#host = host;
  }

  /** Returns the adapter's settings; nothing while the hub has no broker. */
  settings(): Readonly<Record<string, unknown>> {
    const { kernel, profile } = this.#host;
    const set = kernel.get("mqttBroker", mqttBrokerId);
    if (set === undefined) return profile === undefined ? {} : { [protocol]: profile };
    const { url, username, ca, expose, commands, zigbee2mqtt, tasmota, homeAssistant } = set;
    const { password, certificate, key } = this.#secretsOf(set);
    const { homeAssistant: shown, sources } = { ...(profile as Profiled | undefined) };
    return {
      [protocol]: {
        broker: {
          url,
          ...(username !== null && { username }),
          ...(password !== undefined && { password }),
          ...(ca !== null && { ca }),
          ...(certificate !== undefined && key !== undefined && { certificate, key }),
        },
        ...(expose.length > 0 && { homeAssistant: { ...shown, expose, commands } }),
        sources: {
          ...(sources?.topics !== undefined && { topics: sources.topics }),
          zigbee2mqtt,
          ...(tasmota !== null && { tasmota }),
          ...(homeAssistant !== null && { homeAssistant }),
        },
      },
    };
  }

  /** Returns the secrets that are set. Says which cannot be opened: the broker would refuse the hub for no visible reason. */
  #secretsOf({ password, certificate, key }: MqttBroker): Readonly<Record<string, string>> {
    const set = Object.entries({ password, certificate, key }).filter(([, secret]) => secret !== null);
    const lost = set.filter(([, secret]) => typeof secret !== "string").map(([field]) => field);
    if (lost.length > 0)
      this.#host.logger.warn(
        { adapter: protocol, fields: lost },
        "secrets of the broker cannot be opened: give them again",
      );
    return Object.fromEntries(set.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  }

  start(): void {
    const { kernel, logger, devices } = this.#host;
    this.#unsubscribe = kernel.subscribe({
      published: ({ events }) => {
        if (!events.some(({ type }) => type === "MqttBrokerSet" || type === "MqttBrokerRemoved")) return;
        devices.restart(protocol, this.settings()[protocol]).catch((error: unknown) => {
          logger.error(
            { adapter: protocol, reason: (error as Error).message },
            "the adapter was not restarted",
          );
        });
      },
    });
  }

  stop(): void {
    this.#unsubscribe();
  }
}

interface Profiled {
  readonly homeAssistant?: object;
  readonly sources?: { readonly topics?: unknown };
}
