import type { Capability, DeviceClass } from "@ledge/model";

/** A device's address in its protocol, unique within the adapter and stable over restarts. */
export type NativeId = string;

/**
 * One protocol. An adapter turns what its library says into announcements and reports, and commands into
 * traffic. It knows no event, room, HTTP request or other adapter. `adapterContract` is what all of them keep.
 */
export interface Adapter {
  readonly protocol: string;

  /** How many commands the dispatcher may have under way per radio. */
  readonly inFlight: number;

  /**
   * Opens the ports, announces every device known, then reports. Resolves when commands are taken; a port
   * that is absent now is no error: the adapter keeps trying and reports its devices unreachable.
   * A second call while started resolves and changes nothing.
   * @throws AdapterError `settings` when the settings are wrong.
   */
  start(host: AdapterHost): Promise<void>;

  /** Ends traffic (commands under way reject with `stopped`), closes the ports, and reports nothing more. Idempotent. */
  stop(): Promise<void>;

  /**
   * Carries a command out. Resolves when the device has taken it (what it then does comes as a report).
   * @param signal aborted when the dispatcher no longer waits: rejects with `cancelled` as soon as it can.
   * @throws AdapterError
   */
  send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void>;

  /** Lets a device go for good: no more polling, no more reports. Unknown ids are no error. */
  forget?(native: NativeId): Promise<void>;
}

/** What the hub lends an adapter. */
export interface AdapterHost {
  /** The adapter's part of the firmware profile, as read from JSON: the adapter validates it. */
  readonly settings: unknown;
  /** Says that a device exists and what it is. Again with the same content: no effect. */
  announce(device: DeviceDescription): void;
  /** Says what a device's attributes are now. Only enqueues; never blocks and never throws. */
  report(report: Report): void;
  readonly clock: AdapterClock;
  /** Small values that must outlive the process, such as network keys. */
  readonly store: AdapterStore;
  readonly log: AdapterLog;
}

/** What a device is. `radio` names the line it shares with others: the dispatcher's limit counts per radio. */
export interface DeviceDescription {
  readonly native: NativeId;
  readonly radio: string;
  readonly class: DeviceClass;
  readonly capabilities: readonly Capability[];
  /** A first name, until the user gives another. */
  readonly name: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  /** Attributes that only this device's class of hardware has, such as `buttons` of a remote. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/**
 * Attributes of one device (names and units: `attributes` in @ledge/model). Attributes that are left out are
 * unchanged. `at` is when it was true (ms since the epoch), absent for now.
 */
export interface Report {
  readonly native: NativeId;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly at?: number;
}

/** `set`: make these attributes so (validated against the device's capabilities). `refresh`: report them all anew. */
export type DeviceCommand =
  | { readonly type: "set"; readonly attributes: Readonly<Record<string, unknown>> }
  | { readonly type: "refresh" };

/** Time for adapters: real in a child process, simulated in tests. */
export interface AdapterClock {
  /** Wall clock, ms since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}

export interface AdapterStore {
  get(key: string): unknown;
  /** Resolves when the value is durable. Values are plain data of at most 64 KiB as JSON. */
  put(key: string, value: unknown): Promise<void>;
}

export type AdapterLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/**
 * `unreachable`, `timeout`, `busy`: worth another try. `unsupported`, `refused`, `settings`: not.
 * `cancelled`, `stopped`: nobody waits any more.
 */
export type AdapterErrorCode =
  | "unreachable"
  | "timeout"
  | "busy"
  | "unsupported"
  | "refused"
  | "settings"
  | "cancelled"
  | "stopped";

/** The only error that `start` and `send` raise; anything else is a bug in the adapter. */
export class AdapterError extends Error {
  override readonly name = "AdapterError";
  readonly code: AdapterErrorCode;
  constructor(code: AdapterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
