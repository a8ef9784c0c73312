/** An EUI-64, most significant byte first, as `0x00124b0012345678`. */
export type Ieee = `0x${string}`;

/** An application frame (APS data, Zigbee specification 2.2) of a simulated device or to it. */
export interface AirFrame {
  /** Endpoint of the device. */
  readonly endpoint: number;
  /** Endpoint of the coordinator or `peer`. */
  readonly peerEndpoint: number;
  readonly profile: number;
  readonly cluster: number;
  /** Set for a frame to a group; null for a unicast or a broadcast. */
  readonly group: number | null;
  /** Whether it goes to every device that is awake. */
  readonly isBroadcast: boolean;
  /** The device at the other end; absent when that is the coordinator. */
  readonly peer?: Ieee;
  /** A ZCL frame. */
  readonly payload: Uint8Array;
}

/** A frame between devices that need not share a network (Zigbee specification, annex B), such as touchlink's. */
export interface InterPanFrame {
  readonly channel: number;
  readonly from: Ieee;
  readonly profile: number;
  readonly cluster: number;
  /** A ZCL frame. */
  readonly payload: Uint8Array;
}

/** A device's access to the sender of an inter-PAN frame. */
export interface InterPanLine {
  /** The network that the device is in; null for one in factory state. */
  readonly network: {
    readonly extendedPanId: string;
    readonly panId: number;
    readonly channel: number;
  } | null;
  /** Its network address; null without a network. */
  readonly nwk: number | null;
  /** The air's time, ms since the epoch. */
  now(): number;
  /** Answers the sender, which hears it if it still listens on that channel. */
  answer(answer: Pick<InterPanFrame, "profile" | "cluster" | "payload">): void;
  /** Resets the device to factory state: it leaves its network without a word. */
  reset(): void;
}

/** SIMPLE_DESCRIPTOR of an endpoint. */
export interface EndpointDescriptor {
  readonly id: number;
  readonly profile: number;
  readonly device: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
}

/** A device's description of itself. The air uses it to answer ZDO requests on the device's behalf. */
export interface NodeDescriptor {
  /** `sleepy`: an end device whose receiver is off between polls. */
  readonly kind: "router" | "end device" | "sleepy";
  readonly isMainsPowered: boolean;
  readonly manufacturerCode: number;
  readonly endpoints: readonly EndpointDescriptor[];
}

/** A binding of a device: to the coordinator, another device or a group. */
export interface AirBinding {
  readonly endpoint: number;
  readonly cluster: number;
  readonly to: { readonly ieee: Ieee; readonly endpoint: number } | { readonly group: number };
}

/** A device's access to the air while it is in a network. */
export interface AirLine {
  /** Its network address. It changes when the device rejoins with another one. */
  readonly nwk: number;
  /**
   * Sends a frame, which arrives unless the air loses it.
   * @param to another device of the network; by default the coordinator
   */
  send(frame: Omit<AirFrame, "group" | "isBroadcast" | "peer">, to?: Ieee): void;
  /** Sends a frame to a group. Members that are awake hear it, and so does the coordinator. */
  sendToGroup(group: number, frame: Omit<AirFrame, "group" | "isBroadcast" | "peer" | "peerEndpoint">): void;
  /** The bindings of this device, newest last. */
  readonly bindings: readonly AirBinding[];
  /** Calls back once after `ms` of the air's time. Returns a function that cancels. */
  after(ms: number, callback: () => void): () => void;
  /** The air's time, ms since the epoch. */
  now(): number;
}

/** A simulated device: the part of it above the network. */
export interface AirDevice {
  readonly ieee: Ieee;
  readonly descriptor: NodeDescriptor;
  /** Called when it has joined or rejoined a network. The line is valid until `left`. */
  joined(line: AirLine): void;
  /**
   * Called when the power of a device (or its battery) is switched. The air neither delivers frames to a device
   * without power nor answers for it.
   */
  power?(isOn: boolean): void;
  /** Called when it has left its network. It forgets the network's settings. */
  left(): void;
  /** Called when a frame to one of its endpoints arrives. Sleepy devices receive frames when they poll. */
  received(frame: AirFrame): void;
  /** Called when an inter-PAN frame arrives, in a network or not. */
  receivedInterPan?(frame: InterPanFrame, line: InterPanLine): void;
  /** Returns the groups of an endpoint (ZCL groups cluster), by which the air delivers group frames. */
  groupsOf(endpoint: number): ReadonlySet<number>;
}
