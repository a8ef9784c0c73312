import type { FromAdapter, ToAdapter } from "./messages.ts";

/** One end of an ordered line of messages. What is posted arrives as a copy; nothing is shared. */
export interface Channel<Out, In> {
  /** Never blocks. After the line has closed a message is lost without an error. */
  post(message: Out): void;
  /** Takes what arrives, from the first message on. Once only. */
  open(receiver: Receiver<In>): void;
  /** While held, nothing is taken from the line: the other end has to wait. */
  hold(held: boolean): void;
  /** Ends the line for both ends. Idempotent. */
  close(): void;
}

export interface Receiver<In> {
  message(message: In): void;
  /** The line has ended: the other process is gone or has closed it. Called once. */
  closed(): void;
  /** What arrives is no message: nothing more will come, and the line is of no use. */
  broken?(reason: string): void;
}

/** The adapter's end. */
export type AdapterChannel = Channel<FromAdapter, ToAdapter>;

/** The hub's end. */
export type HubChannel = Channel<ToAdapter, FromAdapter>;
