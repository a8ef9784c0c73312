import type {
  Capability,
  ConfigurationItem,
  ConfigurationValues,
  DeviceClass,
  ExtraDescription,
  UpgradeReport,
} from "@ledge/model";

/** The address of a device in its protocol: unique within the adapter, the same after a restart. */
export type NativeId = string;

/**
 * Speaks one protocol: turns what its library emits into announcements and reports, and commands into
 * traffic. An adapter knows no events, rooms, HTTP requests or other adapters. Every adapter passes
 * `adapterContract`.
 */
export interface Adapter {
  readonly protocol: string;

  /** How many commands the dispatcher may have in flight per radio. It may change while the adapter runs. */
  readonly inFlight: number;

  /**
   * Opens the ports, announces every known device, then reports. Resolves when the adapter accepts commands.
   * A port that is absent is not an error: the adapter keeps trying and reports its devices as unreachable. A
   * second call while started resolves and changes nothing.
   * @throws AdapterError `settings` when the settings are wrong.
   */
  start(host: AdapterHost): Promise<void>;

  /**
   * Ends traffic (pending commands reject with `stopped`), closes the ports and stops reporting. Idempotent.
   */
  stop(): Promise<void>;

  /**
   * Sends a command. Resolves when the device has accepted it; its effect arrives as a report.
   * @param signal aborted when the dispatcher stops waiting: the call then rejects with `cancelled` as soon
   * as it can.
   * @throws AdapterError
   */
  send(native: NativeId, command: DeviceCommand, signal: AbortSignal): Promise<void>;

  /** Removes a device for good: the adapter no longer polls or reports it. Ignores unknown ids. */
  forget?(native: NativeId): Promise<void>;

  /** Finds devices that the hub does not have yet. Absent when the adapter cannot pair. */
  readonly pairing?: Pairing;

  /** Reaches several devices with one frame. Absent when the adapter cannot. */
  readonly groupcast?: Groupcast;

  /**
   * Handlers for the protocol commands of clients (hub-api 2.10), by type, such as `PAIR_MODBUS`.
   * `commandsOf` returns a request's commands exactly as the client sent them.
   */
  readonly protocolCommands?: RequestTable;

  /** Handlers for the hub's other requests, such as settings, by type: `GET_SERIAL_PORTS`. */
  readonly requests?: RequestTable;
}

/** Brings new devices to an adapter, which reports them through `found` and `lost` of its host. */
export interface Pairing {
  /**
   * Opens a window in which the adapter finds devices. A device that the hub kept earlier is found again only
   * after it was forgotten. While a window is open, a call extends it.
   * @param windowMs the window closes by itself after this time.
   * @throws AdapterError
   */
  open(windowMs: number): Promise<void>;

  /** Closes the window. Devices already found still wait for `keep` or `discard`. Idempotent. */
  close(): Promise<void>;

  /**
   * Hands a device to the hub: the adapter announces and reports it from now on, and stores what it needs to
   * do so after a restart. Announces a device again that was kept before. Works without an open window.
   * @throws AdapterError `refused` for a device that it does not know.
   */
  keep(native: NativeId): Promise<void>;

  /** Drops a found device that the hub does not want. Ignores unknown ids. */
  discard(native: NativeId): Promise<void>;
}

/** A hub group whose members share a group address on the radio. */
export interface AirGroup {
  readonly id: string;
  /** 1..`limits.groupAddress`, unique among groups. */
  readonly address: number;
  readonly members: readonly NativeId[];
}

/** Reaches several devices with one frame. */
export interface Groupcast {
  /** The radios that can send group frames. */
  readonly radios: readonly string[];

  /**
   * Replaces the list of the hub's groups. The adapter compares it with what devices have, and adds devices
   * to their groups or removes them, each once it is reachable. It goes on after a restart. Resolves when
   * this has begun.
   * @throws AdapterError
   */
  keep(groups: readonly AirGroup[]): Promise<void>;

  /**
   * Sends a `set` to a group as one frame. Resolves when no further answer can come; a device that has not
   * answered by then has missed the frame. Sends nothing while a former member is still in the group on the
   * radio.
   * @param answered called at most once for each of `natives`, as soon as its result is known: without an
   * error when the device has accepted the command, with one when it has not or is not in the group on the
   * radio.
   * @param signal aborted when the dispatcher stops waiting: the call then rejects with `cancelled` as soon
   * as it can.
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

/** Receives the result of a cast for one device; `error` is absent when the device accepted the command. */
export type CastAnswer = (native: NativeId, error?: AdapterError) => void;

/** A request to an adapter other than a device command: plain data. */
export interface AdapterRequest {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Answers a request with plain data.
 * @param signal aborted when the caller stops waiting: the call then rejects with `cancelled` as soon as it
 * can.
 * @throws AdapterError
 */
export type AnswerRequest = (request: AdapterRequest, signal: AbortSignal) => Promise<unknown>;

/** Request handlers by type. */
export type RequestTable = Readonly<Record<string, AnswerRequest>>;

/** Tells the hub what an adapter offers besides its devices. The two lists hold types of requests. */
export interface AdapterOffers {
  readonly pairing: boolean;
  /** The radios that reach the members of a group with one frame. */
  readonly groupcast: readonly string[];
  readonly protocolCommands: readonly string[];
  readonly requests: readonly string[];
}

/**
 * What keeps a radio from its devices. `jammed`: the air is so full that it sends nothing. `swapped`: its stick has
 * another network than that of the devices.
 */
export const radioTroubles = ["jammed", "swapped"] as const;
export type RadioTrouble = (typeof radioTroubles)[number];

/** What the hub provides to an adapter. */
export interface AdapterHost {
  /** The adapter's part of the firmware profile, parsed from JSON; the adapter validates it. */
  readonly settings: unknown;
  /** Tells the hub that a device exists and what it is. Has no effect when the content is unchanged. */
  announce(device: DeviceDescription): void;
  /** Reports a device's attributes. Only enqueues: never blocks and never throws. */
  report(report: Report): void;
  /** Tells the hub about a device that can be paired, or about progress of its pairing. */
  found(device: FoundDevice): void;
  /** Tells the hub that a found device is gone or turned out to be unusable. */
  lost(native: NativeId): void;
  /**
   * Tells the hub what keeps the whole radio from its devices, or null when it works again. A start begins without a
   * trouble. Absent in a host that does not want to know.
   */
  trouble?(trouble: RadioTrouble | null): void;
  readonly clock: AdapterClock;
  /**
   * An existing folder for this adapter's caches that only the adapter can enter (0700). It may be lost
   * between starts and is not in backups: use the store for whatever must last.
   */
  readonly folder: string;
  /** Small values that must survive a restart, such as network keys. */
  readonly store: AdapterStore;
  readonly log: AdapterLog;
}

/**
 * Describes a device. `radio` names the line it shares with others; the dispatcher limits commands per radio.
 */
export interface DeviceDescription {
  readonly native: NativeId;
  readonly radio: string;
  readonly class: DeviceClass;
  readonly capabilities: readonly Capability[];
  /** The initial name, until a user chooses another. */
  readonly name: string;
  readonly manufacturer: string | null;
  readonly model: string | null;
  /** Attributes that only this kind of hardware has, such as `buttons` of a remote. */
  readonly extras?: Readonly<Record<string, unknown>>;
  /** The `extras` of its state; reports and commands name each `extras.<name>`. */
  readonly stateExtras?: readonly ExtraDescription[];
  /**
   * Settings of a device with CONFIGURABLE, announced again when they or their values change. The request
   * `SET_CONFIGURATION` {native, parameters} changes them; its answer comes when the device has accepted them
   * all.
   */
  readonly configuration?: DeviceConfiguration;
  /**
   * Firmware of a device with UPGRADE, announced again when it changes. The request `START_UPGRADE` {native}
   * is answered when the device has started to install.
   */
  readonly upgrade?: UpgradeReport;
}

/** The settings of a device and their values. */
export interface DeviceConfiguration {
  /** In display order. */
  readonly items: readonly ConfigurationItem[];
  /** The values that the adapter knows; a missing one is still as it was last set. */
  readonly values?: ConfigurationValues;
}

/** Progress of pairing (hub-api 2.4): joining, present, or fully described. */
export type PairingStatus = "CONNECTING" | "CONNECTED" | "COMPLETE";

/** A device that can be paired. */
export interface FoundDevice {
  readonly native: NativeId;
  /**
   * Describes the device, with the same native id. Null until the adapter knows it; the device cannot be
   * paired before.
   */
  readonly description: DeviceDescription | null;
  readonly status: PairingStatus;
  /** Somebody must act at the device, for example press its button. */
  readonly actionRequired: boolean;
  /** Id of a help text of the hub, such as `pairing.press-button`, or null. */
  readonly help: string | null;
  /** The parameters of that text by name, each at most `limits.nameChars` long. */
  readonly helpValues?: Readonly<Record<string, string>>;
}

/**
 * Attributes of one device (names and units: `attributes` in @ledge/model). Missing attributes are unchanged. A device's
 * first state after a start restores what is known. A momentary attribute, `button`, says that it happens now: an adapter
 * never reports one from a store, nor one that a broker has kept, so rules act on it at once.
 * `at` is the time of the reading in ms since the epoch; now when absent.
 */
export interface Report {
  readonly native: NativeId;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly at?: number;
}

/**
 * `set` sets attributes, already validated against the device's capabilities. `refresh` asks for a new report
 * of all attributes. `identify` makes the device show itself. `snapshot` takes a picture. A device that
 * cannot do one rejects with `unsupported`.
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

/** Durable key-value storage of an adapter. */
export interface AdapterStore {
  get(key: string): unknown;
  /** Resolves when the value is durable. A value is plain data of at most 64 KiB as JSON. */
  put(key: string, value: unknown): Promise<void>;
}

/** Writes a log line. */
export type AdapterLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/**
 * Worth a retry: `unreachable`, `timeout`, `busy`. Permanent: `unsupported`, `refused`, `settings`. The
 * caller has stopped waiting: `cancelled`, `stopped`. `asleep`: the device takes nothing until it wakes up; the hub
 * keeps an absolute `set`, and settings, and sends them again after the device's next report. An adapter reports
 * a device that wakes up, even when nothing has changed.
 */
export type AdapterErrorCode =
  | "unreachable"
  | "timeout"
  | "busy"
  | "asleep"
  | "unsupported"
  | "refused"
  | "settings"
  | "cancelled"
  | "stopped";

/**
 * The only error that `start`, `send`, `pairing`, `groupcast` and requests raise; any other error is a bug.
 */
export class AdapterError extends Error {
  override readonly name = "AdapterError";
  readonly code: AdapterErrorCode;
  constructor(code: AdapterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns the error of a failed adapter call. Treats any other thrown value as `refused`. */
export function adapterErrorOf(error: unknown): AdapterError {
  return error instanceof AdapterError ? error : new AdapterError("refused", String(error), { cause: error });
}
