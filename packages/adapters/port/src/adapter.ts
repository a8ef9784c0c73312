import type {
  Capability,
  ConfigurationItem,
  ConfigurationValues,
  DeviceClass,
  UpgradeReport,
} from "@ledge/model";

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

  /** Looks for devices that the hub does not have. Left out: it cannot. */
  readonly pairing?: Pairing;

  /** Reaches several devices with one frame. Left out: it cannot. */
  readonly groupcast?: Groupcast;

  /**
   * Answers to the protocol commands of clients (hub-api 2.10), by their type, such as `PAIR_MODBUS`: `commandsOf`
   * a request are those that a client sent, as they came.
   */
  readonly protocolCommands?: RequestTable;

  /** Answers to what else the hub asks, settings among it, by type, such as `GET_SERIAL_PORTS`. */
  readonly requests?: RequestTable;
}

/** How devices come to an adapter. It says what it finds by `found` and `lost` of its host. */
export interface Pairing {
  /**
   * Opens a window in which devices are found; what was kept before is found only when it was forgotten since.
   * While it is open: prolongs it.
   * @param windowMs closes by itself after this long.
   * @throws AdapterError
   */
  open(windowMs: number): Promise<void>;

  /** Nothing more is found. What was found waits for `keep` or `discard`. Idempotent. */
  close(): Promise<void>;

  /**
   * A device is the hub's from now on: announces and reports it, and does so again after a restart, for which
   * it has stored what it needs. Of one that is kept already: announces it. May come without a window.
   * @throws AdapterError `refused` for one that it does not know.
   */
  keep(native: NativeId): Promise<void>;

  /** The hub does not want what was found: lets it go. Unknown ids are no error. */
  discard(native: NativeId): Promise<void>;
}

/** A group of the hub's whose members share a group address on the air. */
export interface AirGroup {
  readonly id: string;
  /** 1..`limits.groupAddress`; no two groups have the same. */
  readonly address: number;
  readonly members: readonly NativeId[];
}

/** How an adapter reaches several devices with one frame. */
export interface Groupcast {
  /** Radios that can. */
  readonly radios: readonly string[];

  /**
   * The hub's groups as they are from now on, all of them. The adapter compares: it brings devices into their groups
   * and out of any other, each when it can be reached, for as long as that takes and over restarts. Resolves when it
   * has begun.
   * @throws AdapterError
   */
  keep(groups: readonly AirGroup[]): Promise<void>;

  /**
   * Sends a `set` to a group as one frame. Resolves when nothing more can be said of `natives`; whoever has not
   * answered by then has missed it. Nothing is sent to a group in which a device that
   * is no member any more still is on the air.
   * @param answered called at most once for each of `natives`, as soon as it is known: without an error when the
   * device has taken the command, with one when it has not or is not in the group on the air.
   * @param signal aborted when the dispatcher no longer waits: rejects with `cancelled` as soon as it can.
   * @throws AdapterError
   */
  cast(
    group: string,
    natives: readonly NativeId[],
    command: DeviceCommand,
    answered: CastAnswer,
    signal: AbortSignal,
  ): Promise<void>;
}

export type CastAnswer = (native: NativeId, error?: AdapterError) => void;

/** What an adapter is asked beside commands to devices: plain data. */
export interface AdapterRequest {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Answers a request with plain data.
 * @param signal aborted when nobody waits any more: rejects with `cancelled` as soon as it can.
 * @throws AdapterError
 */
export type AnswerRequest = (request: AdapterRequest, signal: AbortSignal) => Promise<unknown>;

export type RequestTable = Readonly<Record<string, AnswerRequest>>;

/** What an adapter offers beside its devices, as the hub is told of it. Types of requests are in two lists. */
export interface AdapterOffers {
  readonly pairing: boolean;
  /** Radios that reach the members of a group with one frame. */
  readonly groupcast: readonly string[];
  readonly protocolCommands: readonly string[];
  readonly requests: readonly string[];
}

/** What the hub lends an adapter. */
export interface AdapterHost {
  /** The adapter's part of the firmware profile, as read from JSON: the adapter validates it. */
  readonly settings: unknown;
  /** Says that a device exists and what it is. Again with the same content: no effect. */
  announce(device: DeviceDescription): void;
  /** Says what a device's attributes are now. Only enqueues; never blocks and never throws. */
  report(report: Report): void;
  /** Says that a device was found that wants to be paired, or what has become of its pairing. */
  found(device: FoundDevice): void;
  /** A found device is gone, or was found to be no use. */
  lost(native: NativeId): void;
  readonly clock: AdapterClock;
  /**
   * A folder for this adapter's caches, which is there and which nobody else may enter (0700). It may be lost between
   * two starts and is in no backup: what must last is in the store.
   */
  readonly folder: string;
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
  /**
   * Settings of a device with CONFIGURABLE, announced again when they or their values change. It is configured by
   * the request `SET_CONFIGURATION` {native, parameters}, which is answered when the device has taken them all.
   */
  readonly configuration?: DeviceConfiguration;
  /**
   * The firmware of a device with UPGRADE, announced again whenever it changes. The request `START_UPGRADE` {native}
   * is answered when the device has begun to install.
   */
  readonly upgrade?: UpgradeReport;
}

export interface DeviceConfiguration {
  /** In the order in which they are shown. */
  readonly items: readonly ConfigurationItem[];
  /** What is known of the device's own; what is left out is as it was last set. */
  readonly values?: ConfigurationValues;
}

/** How far a found device is (hub-api 2.4): joining, there, or with all that there is to know of it. */
export type PairingStatus = "CONNECTING" | "CONNECTED" | "COMPLETE";

/** A device that may be paired. */
export interface FoundDevice {
  readonly native: NativeId;
  /** What it is, of the same native id; null until that is known: it cannot be paired before. */
  readonly description: DeviceDescription | null;
  readonly status: PairingStatus;
  /** Somebody has to do something at the device, such as press its button. */
  readonly actionRequired: boolean;
  /** Id of the hub's text that helps with it, such as `pairing.press-button`, or null. */
  readonly help: string | null;
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

/**
 * `set`: make these attributes so (validated against the device's capabilities). `refresh`: report them all anew.
 * `identify`: show which device it is. `snapshot`: take a picture. What a device cannot do is `unsupported`.
 */
export type DeviceCommand =
  | { readonly type: "set"; readonly attributes: Readonly<Record<string, unknown>> }
  | { readonly type: "refresh" | "identify" | "snapshot" };

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

/** The only error that `start`, `send`, `pairing`, `groupcast` and requests raise; anything else is a bug in the adapter. */
export class AdapterError extends Error {
  override readonly name = "AdapterError";
  readonly code: AdapterErrorCode;
  constructor(code: AdapterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What a call of an adapter ended with. Anything else that was thrown passes for a refusal. */
export function adapterErrorOf(error: unknown): AdapterError {
  return error instanceof AdapterError ? error : new AdapterError("refused", String(error), { cause: error });
}
