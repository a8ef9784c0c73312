/** An EUI-64, most significant byte first, as `0x00124b0012345678`. */
export type Ieee = `0x${string}`;

/** An application frame (APS data, Zigbee specification 2.2): between a simulated device and the coordinator. */
export interface AirFrame {
  /** Of the device. */
  readonly endpoint: number;
  /** Of the coordinator. */
  readonly peerEndpoint: number;
  readonly profile: number;
  readonly cluster: number;
  /** Set for a frame to a group; null for one to the device alone or to everybody. */
  readonly group: number | null;
  /** To everybody that is awake. */
  readonly isBroadcast: boolean;
  /** A ZCL frame. */
  readonly payload: Uint8Array;
}

/** SIMPLE_DESCRIPTOR of an endpoint. */
export interface EndpointDescriptor {
  readonly id: number;
  readonly profile: number;
  readonly device: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
}

/** What a device says of itself to ZDO requests; the air answers them on its behalf. */
export interface NodeDescriptor {
  /** `sleepy`: an end device whose receiver is off between its polls. */
  readonly kind: "router" | "end device" | "sleepy";
  readonly isMainsPowered: boolean;
  readonly manufacturerCode: number;
  readonly endpoints: readonly EndpointDescriptor[];
}

/** A binding that the coordinator has set up at a device. */
export interface AirBinding {
  readonly endpoint: number;
  readonly cluster: number;
  readonly to: { readonly ieee: Ieee; readonly endpoint: number } | { readonly group: number };
}

/** How a device reaches the air while it is in a network. */
export interface AirLine {
  /** Its address in the network. It changes when the device rejoins with another. */
  readonly nwk: number;
  /** Sends a frame to the coordinator, which hears it unless the air is in the way. */
  send(frame: Omit<AirFrame, "group" | "isBroadcast">): void;
  /** Sends a frame to a group: those members hear it that are awake, and the coordinator does. */
  sendToGroup(group: number, frame: Omit<AirFrame, "group" | "isBroadcast" | "peerEndpoint">): void;
  /** What was bound at this device, the newest last. */
  readonly bindings: readonly AirBinding[];
  /** Calls back once after `ms` of the air's time; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
  /** The air's time, ms since the epoch. */
  now(): number;
}

/** A simulated device: the part of it above the network. */
export interface AirDevice {
  readonly ieee: Ieee;
  readonly descriptor: NodeDescriptor;
  /** It has joined (or rejoined) a network: its line is good until `left`. */
  joined(line: AirLine): void;
  /** Its power goes or comes, or its battery, for a device that acts on it. The air neither delivers to nor answers for one without. */
  power?(isOn: boolean): void;
  /** It is of no network any more, and forgets what the network has set up. */
  left(): void;
  /** A frame to one of its endpoints has arrived. Sleepy devices get theirs when they poll. */
  received(frame: AirFrame): void;
  /** Groups in which an endpoint is (ZCL groups cluster): the air delivers frames to groups by it. */
  groupsOf(endpoint: number): ReadonlySet<number>;
}
