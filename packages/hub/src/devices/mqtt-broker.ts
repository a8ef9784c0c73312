import type { Kernel } from "@ledge/kernel";
import { mqttBrokerId } from "@ledge/model";
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
    const { url, username, password, expose, commands, zigbee2mqtt, tasmota, homeAssistant } = set;
    const { homeAssistant: shown, sources } = { ...(profile as Profiled | undefined) };
    return {
      [protocol]: {
        broker: {
          url,
          ...(username !== null && { username }),
          ...(typeof password === "string" && { password }),
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
