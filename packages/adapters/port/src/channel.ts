import type { FromAdapter, ToAdapter } from "./messages.ts";

/** One end of an ordered message channel. Messages arrive as copies; the ends share nothing. */
export interface Channel<Out, In> {
  /** Sends a message. Never blocks. After the channel has closed, it drops the message silently. */
  post(message: Out): void;
  /** Starts to receive, from the first message on. Call it once. */
  open(receiver: Receiver<In>): void;
  /** Stops or resumes reading. While held, the other end has to wait. */
  hold(held: boolean): void;
  /** Closes the channel at both ends. Idempotent. */
  close(): void;
}

/** Receives what arrives at one end of a channel. */
export interface Receiver<In> {
  message(message: In): void;
  /** The channel has ended: the other process is gone or has closed it. Called once. */
  closed(): void;
  /** The other end sent something invalid. Nothing more arrives; the channel is unusable. */
  broken?(reason: string): void;
}

/** The adapter's end. */
export type AdapterChannel = Channel<FromAdapter, ToAdapter>;

/** The hub's end. */
export type HubChannel = Channel<ToAdapter, FromAdapter>;
