import type {
  AdapterErrorCode,
  AdapterOffers,
  AdapterRequest,
  AirGroup,
  DeviceCommand,
  DeviceDescription,
  FoundDevice,
  NativeId,
  RadioTrouble,
  Report,
} from "./adapter.ts";

/** A call of `Pairing` as data. */
export type PairingAction =
  | { readonly type: "open"; readonly windowMs: number }
  | { readonly type: "close" }
  | { readonly type: "keep" | "discard"; readonly native: NativeId };

/** Messages from the hub to an adapter: plain data that can cross a process boundary. */
export type ToAdapter =
  | {
      readonly type: "start";
      readonly settings: unknown;
      readonly store: readonly [key: string, value: unknown][];
      readonly folder: string;
    }
  | { readonly type: "stop" }
  | {
      readonly type: "send";
      readonly id: number;
      readonly native: NativeId;
      readonly command: DeviceCommand;
      readonly timeoutMs: number;
    }
  /** Answered with an `outcome` that carries a value. */
  | {
      readonly type: "request";
      readonly id: number;
      readonly request: AdapterRequest;
      readonly timeoutMs: number;
    }
  | { readonly type: "pair"; readonly id: number; readonly action: PairingAction; readonly timeoutMs: number }
  | {
      readonly type: "groups";
      readonly id: number;
      readonly groups: readonly AirGroup[];
      readonly timeoutMs: number;
    }
  | {
      readonly type: "cast";
      readonly id: number;
      readonly group: string;
      readonly natives: readonly NativeId[];
      readonly command: DeviceCommand;
      readonly timeoutMs: number;
    }
  /** Cancels any message that an `outcome` answers. */
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "forget"; readonly native: NativeId }
  /** Allows the adapter to send this many more reports. */
  | { readonly type: "credit"; readonly count: number }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "stored"; readonly id: number; readonly error?: string };

/** Messages from an adapter to the hub. */
export type FromAdapter =
  | {
      readonly type: "started";
      readonly protocol: string;
      readonly inFlight: number;
      readonly offers: AdapterOffers;
    }
  /** Another value of `inFlight`, sent before the outcome of the command that changed it. */
  | { readonly type: "inFlight"; readonly count: number }
  | { readonly type: "failed"; readonly code: AdapterErrorCode; readonly message: string }
  | { readonly type: "stopped" }
  | { readonly type: "announce"; readonly device: DeviceDescription }
  | { readonly type: "found"; readonly device: FoundDevice }
  | { readonly type: "lost"; readonly native: NativeId }
  | { readonly type: "trouble"; readonly trouble: RadioTrouble | null }
  /** `dropped`: the number of pulses lost so far because the queue was full. */
  | { readonly type: "reports"; readonly reports: readonly Report[]; readonly dropped: number }
  | { readonly type: "outcome"; readonly id: number; readonly ok: true; readonly value?: unknown }
  | {
      readonly type: "outcome";
      readonly id: number;
      readonly ok: false;
      readonly code: AdapterErrorCode;
      readonly message: string;
    }
  /** The result of a cast at one device, sent before the outcome of the cast. */
  | { readonly type: "answered"; readonly id: number; readonly native: NativeId; readonly ok: true }
  | {
      readonly type: "answered";
      readonly id: number;
      readonly native: NativeId;
      readonly ok: false;
      readonly code: AdapterErrorCode;
      readonly message: string;
    }
  | { readonly type: "pong"; readonly id: number }
  | { readonly type: "store"; readonly id: number; readonly key: string; readonly value: unknown }
  | {
      readonly type: "log";
      readonly level: "debug" | "info" | "warn" | "error";
      readonly message: string;
      readonly fields?: Readonly<Record<string, unknown>>;
    };
