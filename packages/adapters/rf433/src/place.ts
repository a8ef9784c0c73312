import type { Sending } from "./rflink.ts";
import type { Signal } from "./signal.ts";

/** Where signals are heard: at a gateway, or by a receiver. */
export interface Place {
  readonly name: string;
  start(): void;
  stop(): Promise<void>;
  /** Sends an order. Resolves when it was on the air. Absent where nothing is sent. @throws AdapterError */
  send?(sending: Sending, signal: AbortSignal): Promise<void>;
  /** Sends a line with which a receiver learns a code. @throws AdapterError */
  teach?(line: string, signal: AbortSignal): Promise<void>;
}

export interface PlaceEvents {
  readonly onSignal: (signal: Signal) => void;
  /** Called when the place begins to hear, and when it is lost. */
  readonly onChange: (isUp: boolean) => void;
}
