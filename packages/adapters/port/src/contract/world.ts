import type { Adapter, AdapterClock, AdapterRequest, DeviceCommand, NativeId } from "../adapter.ts";

/** Where an adapter is tried out: its settings, and the outside that its protocol reaches. Fresh for each test. */
export interface ContractWorld {
  /** The adapter's module, which exports `createAdapter`, for the runs in a child process. */
  readonly module: URL;
  readonly create: () => Adapter;
  /** Settings with which the adapter reaches its outside and finds at least one device. */
  readonly settings: unknown;
  /** What the adapter has stored in an earlier life, where it needs that to have a device. Left out: nothing. */
  readonly stored?: readonly (readonly [key: string, value: unknown])[];
  /** Settings that must be refused, each with the field that the error has to name. */
  readonly wrong: readonly { readonly settings: unknown; readonly field: string }[];
  /** Time for the runs in process. Left out: the adapter cannot do without real time. */
  readonly clock?: AdapterClock & { pass(ms: number): Promise<void> };
  /** A device, and a command that it takes within three seconds. */
  readonly taken: Order;
  /** A device, and a command that stays under way for at least half a second. */
  readonly slow: Order;
  /** Settings for the test in which the port vanishes, when they differ: `vanish` may then do nothing. */
  readonly vanishing?: unknown;
  /** Takes the port (or the peer behind it) away. */
  vanish(): Promise<void>;
  /** Brings it back. */
  restore(): Promise<void>;
  dispose(): Promise<void>;
}

/** What an adapter offers beside its devices, to be tried out with the world's settings. */
export interface Offered {
  /** A device that it finds within three seconds of a pairing window. */
  readonly finds?: NativeId;
  /** A request that it answers within three seconds. */
  readonly answers?: AdapterRequest;
  /** Three devices or more on one radio, and a command that one frame has all of them take. */
  readonly groupcast?: { readonly natives: readonly NativeId[]; readonly command: DeviceCommand };
}

export interface Order {
  readonly native: NativeId;
  readonly command: DeviceCommand;
}

export type MakeWorld = (run: "in process" | "forked") => Promise<ContractWorld>;
