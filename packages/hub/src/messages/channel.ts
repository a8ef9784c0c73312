import type { AlarmLevel, HubUser, MessageChannel } from "@ledge/model";

/** A message as one recipient gets it. */
export interface OutgoingMessage {
  /** The same each time that it is tried: a message may arrive twice where the hub was stopped in between. */
  readonly id: string;
  readonly level: AlarmLevel;
  /** In the recipient's language, or the hub's. */
  readonly text: string;
  /** The text's name and what stands in it, for programs. */
  readonly textId: string;
  readonly sourceId: string;
  /** ms since the epoch. */
  readonly queuedAt: number;
  /** The hub's name. */
  readonly hub: string;
  /** Null where a channel has no recipients. */
  readonly to: Recipient | null;
}

export interface Recipient {
  /** The user's id. */
  readonly user: string;
  readonly email: string;
  readonly phone: string | null;
  /** Ids with which the user's clients poll. */
  readonly clients: readonly string[];
}

/** A way on which messages leave the hub. */
export interface Channel {
  readonly name: MessageChannel;
  /** Whether it can reach a user; null where it has no recipients. */
  readonly reaches: ((user: HubUser) => boolean) | null;
  /**
   * Resolves when the message has been taken.
   * @throws ChannelError
   */
  send(message: OutgoingMessage): Promise<void>;
}

/**
 * - `refused`: this message will never be taken.
 * - `later`: this message was not taken now.
 * - `down`: nothing is taken now.
 */
export type ChannelFault = "refused" | "later" | "down";

/** A message was not taken. The message of the error stays in the log: nothing personal, no secret. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly fault: ChannelFault;

  constructor(fault: ChannelFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
