import Type from "typebox";
import { lazyValidator } from "./lazy-validator.ts";
import { allows, guestRoles } from "./access.ts";
import { type AlarmLevel, importance } from "./alarm-texts.ts";
import type { Decider, Decision, Reader, World } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";
import type { Feature } from "./feature.ts";
import { hasFeature } from "./feature.ts";
import { limits } from "./limits.ts";
import { disturbed } from "./notification.ts";
import { Id } from "./schema.ts";
import { sourceOf, spend } from "./sender.ts";
import { isText } from "./texts.ts";
import type { HubUser } from "./user.ts";

/** The channels on which a message leaves the hub, and the feature that each needs. */
const channelFeatures = {
  push: "PN_MESSAGING",
  sms: "SMS_MESSAGING",
  email: "SEND_EMAIL",
  journal: null,
} as const satisfies Readonly<Record<string, Feature | null>>;

export type MessageChannel = keyof typeof channelFeatures;

/** A channel, or one server of a user's. */
export type MessageWay = MessageChannel | `target:${string}`;

/** Returns the way to a target. */
export function wayTo(target: string): MessageWay {
  return `target:${target}`;
}

/** Returns the id of the target that a way leads to; undefined for a channel. */
export function targetOf(way: string): string | undefined {
  return way.startsWith("target:") ? way.slice("target:".length) : undefined;
}

export const messageChannels = Object.keys(channelFeatures) as readonly MessageChannel[];

const Channel = Type.Union(messageChannels.map((name) => Type.Literal(name)));
const Level = Type.Union([Type.Literal("info"), Type.Literal("warn"), Type.Literal("err")]);
const Parameter = Type.Union([Type.String(), Type.Number()]);

/** The id of a text in texts.ts, with its parameters. Parameters stay in the log, so they must not be personal. */
const MessageText = Type.Object({
  id: Type.String(),
  parameters: Type.Record(Type.String(), Parameter),
});
export type MessageText = Type.Static<typeof MessageText>;

/** Sends a message to users after the commit; a source that sends too often is held back. */
export const SendMessage = Type.Object({
  type: Type.Literal("SEND_MESSAGE"),
  channels: Type.Array(Channel, { minItems: 1, maxItems: messageChannels.length, uniqueItems: true }),
  /** The ids of users; empty: the users that the level concerns. */
  to: Type.Array(Id, { maxItems: limits.users }),
  level: Level,
  text: Type.Object({
    id: Type.String(),
    parameters: Type.Record(Type.String({ maxLength: limits.nameChars }), Parameter, {
      maxProperties: limits.messageParameters,
    }),
  }),
  /** The rule, device or scene that sends it. */
  sourceId: Id,
});
export type SendMessage = Type.Static<typeof SendMessage>;

/** A message that is not yet sent on all of its channels. */
export interface Message {
  readonly id: string;
  /** The channels on which it is still to be sent. */
  readonly channels: readonly MessageWay[];
  readonly to: readonly string[];
  readonly level: AlarmLevel;
  readonly text: MessageText;
  readonly sourceId: string;
  /** When it was queued (ms since the epoch). */
  readonly queuedAt: number;
}

declare module "./states.ts" {
  interface States {
    message: Message;
  }
}

/** Sends a message to some targets alone. */
export interface SendToTargets extends Pick<SendMessage, "level" | "text" | "sourceId"> {
  readonly type: "SEND_TO_TARGETS";
  readonly targets: readonly string[];
}

export type MessageCommand =
  | SendMessage
  | SendToTargets
  | { readonly type: "NOTE_MESSAGE_SENT"; readonly id: string; readonly channel: MessageWay }
  | {
      readonly type: "NOTE_MESSAGE_FAILED";
      readonly id: string;
      readonly channel: MessageWay;
      /** Without addresses and numbers, because it stays in the log. */
      readonly reason: string;
    };

/** `left` are the requested channels whose feature is off. */
const MessageQueued = telemetry(
  defineEvent("MessageQueued", 1, {
    channels: Type.Array(Type.String()),
    left: Type.Array(Type.String()),
    to: Type.Array(Type.String()),
    level: Level,
    text: MessageText,
    sourceId: Type.String(),
  }),
  () => ["text"],
);
const MessageSent = telemetry(defineEvent("MessageSent", 1, { channel: Type.String() }), ({ channel }) => [
  `channels.${channel}`,
]);
const MessageFailed = telemetry(
  defineEvent("MessageFailed", 1, { channel: Type.String(), reason: Type.String() }),
  ({ channel }) => [`channels.${channel}`],
);
/** Too many messages were waiting, and this one mattered least. */
const MessageDropped = telemetry(defineEvent("MessageDropped", 1, { sourceId: Type.String() }));

export type MessageQueued = EventOf<typeof MessageQueued>;
export type MessageDropped = EventOf<typeof MessageDropped>;
export type MessageEvent =
  | MessageQueued
  | EventOf<typeof MessageSent>
  | EventOf<typeof MessageFailed>
  | MessageDropped;

const wellFormed = lazyValidator(SendMessage);

/** One instance per message, until it is sent or given up on all channels. */
export const message: Decider<Message, MessageCommand, MessageEvent> = {
  kind: "message",
  commands: ["SEND_MESSAGE", "SEND_TO_TARGETS", "NOTE_MESSAGE_SENT", "NOTE_MESSAGE_FAILED"],
  events: [MessageQueued, MessageSent, MessageFailed, MessageDropped],

  target: (command) =>
    command.type === "SEND_MESSAGE" || command.type === "SEND_TO_TARGETS" ? undefined : command.id,

  decide(command, state, world) {
    if (command.type === "SEND_MESSAGE") return send(command, world);
    if (command.type === "SEND_TO_TARGETS") return sendToTargets(command, world);
    const { id, channel } = command;
    // It was already noted, or was dropped.
    if (state?.channels.includes(channel) !== true) return [];
    if (command.type === "NOTE_MESSAGE_SENT")
      return [{ type: "MessageSent", id, channel } satisfies MessageEvent];
    const reason = command.reason.slice(0, limits.alarmFactChars);
    return [{ type: "MessageFailed", id, channel, reason } satisfies MessageEvent];
  },

  evolve(state, event, timestamp) {
    if (event.type === "MessageQueued") {
      const { id, to, level, text, sourceId } = event;
      const channels = event.channels as readonly MessageWay[];
      if (channels.length === 0) return undefined;
      return { id, channels, to, level, text, sourceId, queuedAt: timestamp };
    }
    if (state === undefined || event.type === "MessageDropped") return undefined;
    const channels = state.channels.filter((channel) => channel !== event.channel);
    return channels.length === 0 ? undefined : { ...state, channels };
  },
};

/**
 * Returns the recipients of a message at this moment: users with access that it names, or that its level
 * concerns.
 */
export function recipientsOf(
  { to, level, sourceId }: Pick<Message, "to" | "level" | "sourceId">,
  read: Pick<Reader, "get" | "all">,
): HubUser[] {
  const { hidden } = sourceOf(sourceId, read);
  return [...read.all("user")].flatMap(([id, user]) => {
    const { role } = user.user_info;
    const isMeant =
      to.length > 0
        ? to.includes(id)
        : allows(disturbed[level], role) && !(hidden && (role & guestRoles) !== 0);
    return isMeant && !user.revoked ? [user] : [];
  });
}

function send(command: SendMessage, world: World): Decision<MessageEvent> {
  if (!wellFormed.Check(command)) {
    const [error] = wellFormed.Errors(command);
    const field = error?.instancePath.slice(1).replaceAll("/", ".");
    return reject("invalid", `invalid message: ${field} ${error?.message}`, field);
  }
  const { to, level, text, sourceId } = command;
  if (!isText(text.id)) return reject("invalid", `no text ${text.id}`, "text.id");
  const isOn = (channel: MessageChannel): boolean => {
    const feature = channelFeatures[channel];
    return feature === null || hasFeature(feature, world);
  };
  const wanted = command.channels as readonly MessageChannel[];
  const channels = wanted.filter((channel) => isOn(channel));
  const pushed = channels.includes("push") ? targetsOf(recipientsOf(command, world), world) : [];
  const left = wanted.filter((channel) => !isOn(channel));
  return queue({ channels: [...channels, ...pushed], left, to, level, text, sourceId }, world);
}

function sendToTargets(
  { targets, level, text, sourceId }: SendToTargets,
  world: World,
): Decision<MessageEvent> {
  const known = targets.flatMap((id) => world.get("messageTarget", id) ?? []);
  const missing = targets.find((id) => world.get("messageTarget", id) === undefined);
  if (missing !== undefined) return reject("not-found", `no message target ${missing}`, "targetId");
  if (!isText(text.id)) return reject("invalid", `no text ${text.id}`, "text.id");
  const ways = known.map(({ id }) => wayTo(id));
  const isOn = hasFeature("PN_MESSAGING", world);
  const to = [...new Set(known.map(({ user }) => user))];
  return queue({ channels: isOn ? ways : [], left: isOn ? [] : ways, to, level, text, sourceId }, world);
}

function targetsOf(users: readonly HubUser[], world: World): MessageWay[] {
  const ids = new Set(users.map(({ id }) => id));
  return [...world.all("messageTarget")].flatMap(([id, { user }]) => (ids.has(user) ? [wayTo(id)] : []));
}

/** Queues a message, unless its source has sent too many. */
function queue(
  { text, ...what }: Omit<MessageQueued, "type" | "id"> & { readonly channels: readonly MessageWay[] },
  world: World,
): Decision<MessageEvent> {
  // Danger is never held back, as in a fire every detector may have to report; the queue bounds it.
  const { isFree, events } =
    what.level === "err" ? { isFree: true, events: [] } : spend(what.sourceId, world);
  if (!isFree) return events;
  const queued: MessageQueued = {
    type: "MessageQueued",
    id: world.newId(),
    ...what,
    text: { id: text.id, parameters: cut(text.parameters) },
  };
  // The message comes first, because an accepted command is known by the id of its first event.
  return [queued, ...makeRoom(queued, world), ...events];
}

/** Cuts long texts from devices: a message names a case, it does not document it. */
function cut(parameters: MessageText["parameters"]): MessageText["parameters"] {
  const parts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === "string" ? value.slice(0, limits.alarmFactChars) : value,
  ]);
  return Object.fromEntries(parts);
}

type Ranked = Pick<Message, "id" | "level" | "queuedAt">;

/** Orders messages for sending: higher levels first, within a level older ones. */
export function byImportance(a: Ranked, b: Ranked): number {
  return importance[b.level] - importance[a.level] || byAge(a, b);
}

/** Ids decide last, because the order of states in memory changes with a restart. */
function byAge(a: Ranked, b: Ranked): number {
  return a.queuedAt - b.queuedAt || (a.id < b.id ? -1 : 1);
}

/**
 * Drops the oldest message of the lowest level when the queue is full, or the new one if all others matter
 * more.
 */
function makeRoom({ id, channels, level, sourceId }: MessageQueued, world: World): MessageDropped[] {
  if (channels.length === 0 || world.size("message") < limits.messagesQueued) return [];
  const others = [...world.all("message")].map(([, other]) => other);
  const [least] = others.toSorted((a, b) => importance[a.level] - importance[b.level] || byAge(a, b));
  const isNewLeast = least === undefined || importance[level] < importance[least.level];
  const dropped = isNewLeast ? { id, sourceId } : { id: least.id, sourceId: least.sourceId };
  return [{ type: "MessageDropped", ...dropped }];
}
