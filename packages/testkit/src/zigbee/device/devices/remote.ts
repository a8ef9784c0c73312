import type { AttributeSpec, Cluster } from "../cluster.ts";
import { Client } from "../clusters/client.ts";
import { Identify } from "../clusters/identify.ts";
import { PowerConfiguration } from "../clusters/power.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, onBattery } from "../identity.ts";

/** One command that a button sends. */
interface Stroke {
  /** The sending endpoint, by default the first. */
  readonly endpoint?: number;
  readonly cluster: number;
  readonly command: number;
  readonly payload?: readonly number[];
  /** Set for a manufacturer-specific command in a standard cluster. */
  readonly manufacturer?: number;
}

/** What each button sends, by how it is used: `press`, `hold`, `release`, `double` … */
export type Keyboard<Button extends string = string> = Readonly<
  Record<Button, Readonly<Record<string, readonly Stroke[]>>>
>;

interface RemoteOptions {
  readonly device?: number;
  /** A manufacturer-specific attribute in the basic cluster. */
  readonly own?: AttributeSpec;
  /** Further clusters of its first endpoint. */
  readonly further?: readonly Cluster[];
}

/** A remote control, which sends the commands of its buttons to its bindings. */
export class Remote<Button extends string = string> extends ZclDevice {
  readonly #keyboard: Keyboard<Button>;
  readonly #power: PowerConfiguration;

  constructor(identity: Identity, keyboard: Keyboard<Button>, options: RemoteOptions = {}) {
    const { device = deviceIds.remote, own: attribute, further = [] } = options;
    const power = new PowerConfiguration();
    const strokes: readonly Stroke[] = strokesOf(keyboard);
    const ids = [...new Set(strokes.map((stroke) => stroke.endpoint ?? 1))].toSorted((a, b) => a - b);
    const endpoints = ids.map((id) => {
      const sent = new Set(strokes.filter((one) => (one.endpoint ?? 1) === id).map((one) => one.cluster));
      const clients = [...sent].map((cluster) => new Client(cluster));
      const first = [...commonClusters(identity, "battery", attribute), power, ...further];
      const own = id === ids[0] ? first : [new Identify()];
      return new Endpoint(id, device, [...own, ...clients]);
    });
    super(onBattery(identity, ...endpoints));
    this.#keyboard = keyboard;
    this.#power = power;
  }

  /** @param how one of the uses that the button knows. */
  press(button: Button, how = "press"): void {
    const strokes = this.#keyboard[button]?.[how];
    if (!strokes) throw new Error(`${button} does not know ${how}`);
    for (const stroke of strokes) {
      const endpoint = this.endpoints.find((one) => one.id === (stroke.endpoint ?? 1));
      const client = endpoint?.cluster(stroke.cluster, "client");
      if (client instanceof Client) client.tell(stroke.command, stroke.payload, stroke.manufacturer);
    }
  }

  battery(percent: number, volts = 2 + percent / 100): void {
    this.#power.show(percent, volts);
  }
}

function strokesOf(keyboard: Keyboard): readonly Stroke[] {
  return Object.values(keyboard).flatMap((ways) => Object.values(ways).flat());
}
