import type { AlarmLevel, HubUser, MessageWay } from "@ledge/model";

/** A message for one recipient. */
export interface OutgoingMessage {
  /** The same id at each try, because a message may arrive twice when the hub stopped in between. */
  readonly id: string;
  readonly level: AlarmLevel;
  /** In the recipient's language, or the hub's. */
  readonly text: string;
  /** The text's id and its parameters, for programs. */
  readonly textId: string;
  readonly sourceId: string;
  /** Time in ms since the epoch. */
  readonly queuedAt: number;
  /** The hub's name. */
  readonly hub: string;
  /** Null for a channel without recipients. */
  readonly to: Recipient | null;
}

export interface Recipient {
  /** The user's id. */
  readonly user: string;
  readonly email: string;
  readonly phone: string | null;
  /** Ids of the user's polling clients. */
  readonly clients: readonly string[];
}

/** A way of sending messages: e-mail, push, SMS, the journal. */
export interface Channel {
  readonly name: MessageWay;
  /** Whether the channel can reach a user; null for a channel without recipients. */
  readonly reaches: ((user: HubUser) => boolean) | null;
  /**
   * Resolves when the message has been taken.
   * @throws ChannelError
   */
  send(message: OutgoingMessage): Promise<void>;
}

/**
 * - `refused`: this message will never be taken
 * - `later`: this message was not taken now
 * - `down`: no message is taken now
 */
export type ChannelFault = "refused" | "later" | "down";

/** A message was not taken. The error's text is logged, so it holds no personal data and no secret. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly fault: ChannelFault;

  constructor(fault: ChannelFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
