import type { HubUser, Message, MessageCommand, MessageWay } from "@ledge/model";
import { byImportance, limits, recipientsOf, spoken, targetOf, textOf, uiDevices } from "@ledge/model";
import type { Channel, OutgoingMessage, Recipient } from "./channel.ts";
import { ChannelError } from "./channel.ts";
import type { OutboxHost } from "./outbox-host.ts";

/** A message on its way through one channel. */
interface Errand {
  readonly id: string;
  tries: number;
  /** How often it was not taken while the channel worked. */
  setbacks: number;
  /** Recipients who have received the message or will not get it. */
  readonly settled: Set<string>;
  /** The reasons why recipients will not get it. */
  readonly refusals: string[];
}

/**
 * Sends the messages of one channel, one at a time. Those with the fewest tries go first, among them the most
 * important.
 */
export class Lane {
  readonly #name: MessageWay;
  readonly #channel: Channel | string;
  readonly #host: OutboxHost;
  readonly #errands = new Map<string, Errand>();
  /** Failed tries since the last success. */
  #failures = 0;
  #running: Promise<void> | undefined;
  #cancelRest: (() => void) | undefined;
  #isStopped = false;
  #isAbandoned = false;

  /** @param channel the channel, or the reason why there is none */
  constructor(name: MessageWay, channel: Channel | string, host: OutboxHost) {
    this.#name = name;
    this.#channel = channel;
    this.#host = host;
  }

  /** Whether it has nothing to send. */
  get isIdle(): boolean {
    return this.#errands.size === 0 && this.#running === undefined;
  }

  add(id: string): void {
    if (this.#errands.has(id)) return;
    this.#errands.set(id, { id, tries: 0, setbacks: 0, settled: new Set(), refusals: [] });
    this.#run();
  }

  /** Ends a pause: what kept the channel from taking messages may be over. */
  wake(): void {
    this.#cancelRest?.();
    this.#cancelRest = undefined;
    this.#failures = 0;
    this.#run();
  }

  /** Resolves when the current send is recorded, or when it has taken too long. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelRest?.();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#host.clock.after(limits.closeGraceMs, resolve);
    await Promise.race([this.#running, late]);
    cancel();
    this.#isAbandoned = true;
  }

  #run(): void {
    if (this.#isStopped || this.#running !== undefined || this.#cancelRest !== undefined) return;
    this.#running = this.#sendAll()
      .catch((error: unknown) => {
        this.#host.logger.error({ error, channel: this.#name }, "a message could not be processed");
        this.#rest();
      })
      .finally(() => {
        this.#running = undefined;
        // Messages may have arrived while the last one was recorded.
        if (this.#errands.size > 0) this.#run();
      });
  }

  async #sendAll(): Promise<void> {
    while (!this.#isStopped) {
      const next = this.#next();
      if (next === undefined) return;
      if (await this.#send(...next)) this.#failures = 0;
      else return this.#rest();
    }
  }

  /** Returns the next message to send, and forgets messages that are no longer queued. */
  #next(): [errand: Errand, message: Message] | undefined {
    const waiting: [Errand, Message][] = [];
    for (const errand of this.#errands.values()) {
      const message = this.#host.kernel.get("message", errand.id);
      if (message?.channels.includes(this.#name) === true) waiting.push([errand, message]);
      else this.#errands.delete(errand.id);
    }
    const [first] = waiting.toSorted(([a, of], [b, other]) => a.tries - b.tries || byImportance(of, other));
    return first;
  }

  /** @returns true when it is settled; false means that nothing is to be sent for a while */
  async #send(errand: Errand, message: Message): Promise<boolean> {
    const channel = this.#channel;
    if (typeof channel === "string") {
      // Whoever has a server of a user's needs no other way for push.
      const hasTarget = message.channels.some((way) => targetOf(way) !== undefined);
      return this.#settle(errand, channel, hasTarget ? "debug" : "warn");
    }
    const { kernel, logger } = this.#host;
    if (kernel.now() - message.queuedAt > limits.messageAgeMs) return this.#settle(errand, "too old");
    errand.tries++;
    const fault = await this.#sendToAll(channel, errand, message);
    if (fault === undefined) return this.#settle(errand, refusal(errand));
    if (fault.fault === "later" && ++errand.setbacks >= limits.messageTries)
      return this.#settle(errand, `not taken in ${limits.messageTries} tries: ${fault.message}`);
    if (this.#failures === 0)
      logger.warn(
        { channel: this.#name, reason: fault.message },
        "the channel takes no messages now: they wait",
      );
    return false;
  }

  /** @returns the error that requires another try; undefined when none is needed */
  async #sendToAll(channel: Channel, errand: Errand, message: Message): Promise<ChannelError | undefined> {
    const { reaches } = channel;
    const users =
      reaches === null ? [null] : recipientsOf(message, this.#host.kernel).filter((user) => reaches(user));
    if (users.length === 0 && errand.settled.size === 0) errand.refusals.push("it reaches nobody");
    let again: ChannelError | undefined;
    for (const user of users) {
      const id = user?.id ?? "";
      if (errand.settled.has(id)) continue;
      if (this.#isStopped) return again ?? new ChannelError("down", "the hub stops");
      const fault = await attempt(channel, this.#outgoing(message, user));
      if (fault?.fault === "down") return fault;
      if (fault?.fault === "later") again = fault;
      else errand.settled.add(id);
      if (fault?.fault === "refused") errand.refusals.push(fault.message);
    }
    return again;
  }

  /** Builds the message for a recipient. The address is read from the state now, because the log holds none. */
  #outgoing({ id, level, text, sourceId, queuedAt }: Message, user: HubUser | null): OutgoingMessage {
    const { kernel } = this.#host;
    const language = (user === null ? undefined : spoken(user)) ?? this.#host.language;
    const [hub = "Ledge"] = [...kernel.all("hub")].map(([, { name }]) => name);
    const said = textOf(text.id, language, text.parameters);
    const to = user === null ? null : this.#recipient(user);
    return { id, level, text: said, textId: text.id, sourceId, queuedAt, hub, to };
  }

  #recipient({ id, user_info: { user } }: HubUser): Recipient {
    const clients = uiDevices(this.#host.kernel).flatMap(({ user: of, client }) =>
      of === id ? [client] : [],
    );
    return { user: id, email: user.email, phone: user.phone, clients };
  }

  /** @param problem the reason for giving up; undefined when it was sent */
  async #settle(
    { id }: Errand,
    problem: string | undefined,
    level: "debug" | "warn" = "warn",
  ): Promise<true> {
    this.#errands.delete(id);
    if (this.#isAbandoned) return true;
    const about = { id, channel: this.#name };
    const note: MessageCommand =
      problem === undefined
        ? { type: "NOTE_MESSAGE_SENT", ...about }
        : { type: "NOTE_MESSAGE_FAILED", ...about, reason: problem };
    if (problem !== undefined)
      this.#host.logger[level]({ ...about, reason: problem }, "a message was not sent");
    await this.#host.notes.note(note);
    return true;
  }

  #rest(): void {
    if (this.#isStopped) return;
    const { clock, random } = this.#host;
    const backoffMs = Math.min(
      limits.messageBackoffMinMs * 2 ** this.#failures++,
      limits.messageBackoffMaxMs,
    );
    // A random spread, so that hubs that lost the same server do not return at the same moment.
    this.#cancelRest = clock.after(backoffMs * (1 - random() / 2), () => {
      this.#cancelRest = undefined;
      this.#run();
    });
  }
}

async function attempt(channel: Channel, message: OutgoingMessage): Promise<ChannelError | undefined> {
  try {
    await channel.send(message);
    return undefined;
  } catch (error) {
    // The text of any other error might name a recipient.
    return error instanceof ChannelError ? error : new ChannelError("later", (error as Error).name);
  }
}

function refusal({ refusals, settled }: Errand): string | undefined {
  const [first] = refusals;
  return first === undefined || settled.size <= 1 ? first : `${refusals.length} of ${settled.size}: ${first}`;
}
