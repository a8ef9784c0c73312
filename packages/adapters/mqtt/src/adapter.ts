import type { Adapter, AdapterHost, DeviceCommand, NativeId, Pairing, RequestTable } from "@ledge/port";
import { AdapterError, ClientCommands } from "@ledge/port";
import { BleSensors } from "./in/ble/ble.ts";
import { HomeAssistantDiscovery } from "./in/home-assistant.ts";
import { Inbound } from "./in/inbound.ts";
import { PlainTopics } from "./in/plain.ts";
import type { Source, SourceHost } from "./in/source.ts";
import { Tasmota } from "./in/tasmota.ts";
import { Zigbee2mqtt } from "./in/zigbee2mqtt.ts";
import { Bridge } from "./out/bridge.ts";
import { type HomeRequest, readHome } from "./out/home.ts";
import type { Settings, SourceSettings } from "./settings.ts";
import { readSettings } from "./settings.ts";

/**
 * Makes the MQTT adapter: it shows the hub's home on a broker and takes commands from there.
 * @param random 0..1, spreads attempts to reach the broker
 */
export function createAdapter(random: () => number = Math.random): Adapter {
  return new MqttAdapter(random);
}

interface Running {
  readonly host: AdapterHost;
  readonly settings: Settings;
  readonly commands: ClientCommands;
  readonly inbound: Inbound | undefined;
}

class MqttAdapter implements Adapter {
  readonly protocol = "mqtt";
  readonly inFlight = 8;
  readonly #random: () => number;
  /** Only Bluetooth LE sensors are found by a scan; all else appears by itself. */
  pairing?: Pairing;
  #running: Running | undefined;
  #ble: BleSensors | undefined;
  #bridge: Bridge | undefined;
  /** One change of the bridge after another. */
  #turn: Promise<void> = Promise.resolve();

  constructor(random: () => number) {
    this.#random = random;
  }

  async start(host: AdapterHost): Promise<void> {
    if (this.#running !== undefined) return;
    const settings = readSettings(host.settings);
    const { broker, sources } = settings;
    const inbound =
      sources &&
      new Inbound({
        host,
        broker,
        random: this.#random,
        sources: (of) => {
          this.#ble = sources.ble && new BleSensors(sources.ble, of, host);
          return [...sourcesOf(sources, of), ...(this.#ble === undefined ? [] : [this.#ble])];
        },
      });
    delete this.pairing;
    if (this.#ble !== undefined) this.pairing = this.#ble.pairing;
    this.#running = { host, settings, inbound, commands: new ClientCommands(host.clock) };
    await inbound?.tried;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.commands.stop();
    await running?.inbound?.stop();
    this.#ble = undefined;
    await this.#turn;
    await this.#bridge?.stop();
    this.#bridge = undefined;
  }

  async send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void> {
    const { inbound } = this.#now();
    if (inbound === undefined) throw new AdapterError("refused", `no device ${native}`);
    await inbound.send(native, command, signal);
  }

  async forget(native: NativeId): Promise<void> {
    await this.#running?.inbound?.forget(native);
  }

  get requests(): RequestTable {
    return { ...this.#homeRequests, ...(this.#ble && { SET_CONFIGURATION: this.#ble.configure }) };
  }

  /** The hub tells of its home only where somebody looks. */
  get #homeRequests(): RequestTable {
    if (this.#running?.settings.homeAssistant === undefined) return {};
    return {
      SERVE_HOME: async (request) => {
        const home = readHome(request);
        const taken = this.#turn.then(() => this.#serve(home));
        this.#turn = taken.catch(() => undefined);
        await taken;
        return true;
      },
      TAKE_CLIENT_COMMANDS: async (request, signal) => await this.#now().commands.take(request, signal),
    };
  }

  async #serve(home: HomeRequest): Promise<void> {
    const { host, settings, commands } = this.#now();
    const { mqtt: hub } = home;
    if (settings.homeAssistant === undefined) return;
    if (hub !== undefined && JSON.stringify(hub ?? null) !== JSON.stringify(this.#bridge?.hub ?? null)) {
      await this.#bridge?.stop();
      this.#bridge = undefined;
      if (hub !== null)
        this.#bridge = new Bridge(hub, {
          host,
          broker: settings.broker,
          settings: settings.homeAssistant,
          random: this.#random,
          command: (command) => commands.give(command),
        });
    }
    this.#bridge?.take(home);
  }

  #now(): Running {
    if (this.#running === undefined) throw new AdapterError("stopped", "the adapter is not running");
    return this.#running;
  }
}

function sourcesOf(
  { zigbee2mqtt, tasmota, homeAssistant, topics }: SourceSettings,
  host: SourceHost,
): readonly Source[] {
  return [
    ...zigbee2mqtt.map((base) => new Zigbee2mqtt(base, host)),
    ...(tasmota === undefined ? [] : [new Tasmota(tasmota, host)]),
    ...(homeAssistant === undefined ? [] : [new HomeAssistantDiscovery(homeAssistant, host)]),
    new PlainTopics(topics, host),
  ];
}
