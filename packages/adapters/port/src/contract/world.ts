import type { Adapter, AdapterClock, AdapterRequest, DeviceCommand, NativeId } from "../adapter.ts";

/**
 * A test environment of an adapter: its settings and the outside that its protocol reaches. Fresh for each
 * test.
 */
export interface ContractWorld {
  /** The adapter's module, which exports `createAdapter`, for runs in a child process. */
  readonly module: URL;
  readonly create: () => Adapter;
  /** Settings with which the adapter reaches its outside and announces at least one device. */
  readonly settings: unknown;
  /** Values stored by an earlier run, when the adapter needs them to have a device. Empty when absent. */
  readonly stored?: readonly (readonly [key: string, value: unknown])[];
  /** A folder that an earlier run left; each test begins with a copy of it. Empty when absent. */
  readonly folder?: string;
  /** Settings that the adapter must refuse, each with the field that its error must name. */
  readonly wrong: readonly { readonly settings: unknown; readonly field: string }[];
  /** Clock for the runs in this process. Absent when the adapter needs real time. */
  readonly clock?: AdapterClock & { pass(ms: number): Promise<void> };
  /** A device and a command that it accepts within three seconds. */
  readonly taken: Order;
  /** A device and a command that stays pending for at least half a second. */
  readonly slow: Order;
  /** Settings for the test of a vanishing port, when they differ; `vanish` may then do nothing. */
  readonly vanishing?: unknown;
  /** Takes away the port or the peer behind it. */
  vanish(): Promise<void>;
  /** Brings back the port or peer. */
  restore(): Promise<void>;
  dispose(): Promise<void>;
}

/** What an adapter offers besides devices, tested with the world's settings. */
export interface Offered {
  /** Whether the tests that leave the adapter running share one start, because starts are dear. */
  readonly sharesStart?: boolean;
  /** A device that it finds within three seconds of a pairing window. */
  readonly finds?: NativeId;
  /** A request that it answers within three seconds. */
  readonly answers?: AdapterRequest;
  /** Three or more devices on one radio, and a command that they all accept from one frame. */
  readonly groupcast?: { readonly natives: readonly NativeId[]; readonly command: DeviceCommand };
}

/** A device and a command for it. */
export interface Order {
  readonly native: NativeId;
  readonly command: DeviceCommand;
}

/** Where an adapter under test runs. */
export type Run = "in process" | "forked";

/** Makes a fresh world for one test. */
export type MakeWorld = (run: Run) => Promise<ContractWorld>;
