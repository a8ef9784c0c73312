import type { EndpointDescriptor } from "../air.ts";
import type { Cluster, Side } from "./cluster.ts";

/** The home automation profile, which Zigbee 3.0 kept. */
const homeAutomation = 0x0104;

/** An endpoint of a simulated device. */
export class Endpoint {
  readonly id: number;
  readonly device: number;
  readonly profile: number;
  readonly clusters: readonly Cluster[];
  /** Clusters in its descriptor that are not simulated. */
  readonly #further: Readonly<Record<Side, readonly number[]>>;

  /** @param device its device id, such as 0x0100 for a lamp. */
  constructor(
    id: number,
    device: number,
    clusters: readonly Cluster[],
    further: { profile?: number; input?: readonly number[]; output?: readonly number[] } = {},
  ) {
    this.id = id;
    this.device = device;
    this.profile = further.profile ?? homeAutomation;
    this.clusters = clusters;
    this.#further = { server: further.input ?? [], client: further.output ?? [] };
  }

  cluster(id: number, side: Side): Cluster | undefined {
    return this.clusters.find((one) => one.id === id && one.side === side);
  }

  get descriptor(): EndpointDescriptor {
    const { id, profile, device } = this;
    return { id, profile, device, input: this.#ids("server"), output: this.#ids("client") };
  }

  #ids(side: Side): readonly number[] {
    return [...this.clusters.filter((one) => one.side === side).map((one) => one.id), ...this.#further[side]];
  }
}
