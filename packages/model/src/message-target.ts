import Type from "typebox";
import { guestRoles } from "./access.ts";
import { type AlarmLevel, importance } from "./alarm-texts.ts";
import type { Decider, Decision, Reader, World } from "./decider.ts";
import { reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { Id, Name, orNull } from "./schema.ts";

/** Servers that bring messages to phones. */
export const targetKinds = ["ntfy", "gotify", "matrix"] as const;
export type TargetKind = (typeof targetKinds)[number];

/** Which alarms go to a target: those of a level and above, or none. */
export const targetAlarms = ["none", "info", "warn", "err"] as const;

const Kind = Type.Enum([...targetKinds]);
const Alarms = Type.Enum([...targetAlarms]);
const Url = Type.String({ pattern: "^https?://[^\\s@?#]+$", maxLength: 512 });
const Topic = Type.String({ minLength: 1, maxLength: 255 });
const Token = Type.String({ pattern: "^[\\x21-\\x7e]+$", maxLength: limits.targetTokenChars });

/** MESSAGE_TARGET: where messages to a user go. The token is never shown. */
export const MessageTarget = Type.Object({
  type: Type.Literal("MESSAGE_TARGET"),
  id: Id,
  user: Id,
  kind: Kind,
  name: Type.String(),
  /** The server's address, with the path under which it stands, if any. */
  url: Type.String(),
  /** The topic of ntfy, the id of the room in Matrix; null for Gotify, where the token says which application. */
  topic: orNull(Type.String()),
  hasToken: Type.Boolean(),
  alarms: Alarms,
  /** Whether its server may be in the home's own network. */
  local: Type.Boolean(),
  timestamp: Type.Integer(),
});

/** What a client says of a target; left out is unchanged. */
export const CmdMessageTarget = Type.Object({
  type: Type.Optional(Type.Literal("MESSAGE_TARGET")),
  id: Type.Optional(Id),
  /** Default: the caller. */
  user: Type.Optional(Id),
  kind: Type.Optional(Kind),
  name: Type.Optional(Name),
  url: Type.Optional(Url),
  topic: Type.Optional(orNull(Topic)),
  /** Null: none. */
  token: Type.Optional(orNull(Token)),
  alarms: Type.Optional(Alarms),
});
export type CmdMessageTarget = Type.Static<typeof CmdMessageTarget>;

/** A target. `token` may be sealed: a backup without secrets leaves it so. */
export interface Target {
  readonly id: string;
  readonly user: string;
  readonly kind: TargetKind;
  readonly name: string;
  readonly url: string;
  readonly topic: string | null;
  readonly token: unknown;
  readonly alarms: (typeof targetAlarms)[number];
  readonly local: boolean;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface States {
    messageTarget: Target;
  }
}

export type MessageTargetCommand =
  | (Omit<CmdMessageTarget, "type"> & {
      readonly type: "SET_MESSAGE_TARGET";
      /** Whether whoever sets it may name servers of the home's own network. */
      readonly local: boolean;
    })
  | { readonly type: "REMOVE_MESSAGE_TARGET"; readonly id: string };

/** `local`: its server may be in the home's own network. */
const MessageTargetSet = defineEvent(
  "MessageTargetSet",
  1,
  {
    user: Type.String(),
    kind: Type.String(),
    name: Type.String(),
    url: Type.String(),
    topic: orNull(Type.String()),
    token: Type.Unknown(),
    alarms: Type.String(),
    local: Type.Boolean(),
  },
  ["token"],
);
const MessageTargetRemoved = defineEvent("MessageTargetRemoved", 1, {});

export type MessageTargetEvent = EventOf<typeof MessageTargetSet> | EventOf<typeof MessageTargetRemoved>;

/** Servers to which the hub sends messages for its users, set up by the API. */
export const messageTarget: Decider<Target, MessageTargetCommand, MessageTargetEvent> = {
  kind: "messageTarget",
  commands: ["SET_MESSAGE_TARGET", "REMOVE_MESSAGE_TARGET"],
  events: [MessageTargetSet, MessageTargetRemoved],
  secrets: ["token"],

  target: ({ id }) => id,

  decide(command, state, world) {
    if (command.type === "SET_MESSAGE_TARGET") return decideSet(command, state, world);
    if (state === undefined) return reject("not-found", `no message target ${command.id}`, "id");
    return [{ type: "MessageTargetRemoved", id: command.id } satisfies MessageTargetEvent];
  },

  evolve(_state, event, timestamp) {
    if (event.type === "MessageTargetRemoved") return undefined;
    const { type: _, kind, alarms, ...set } = event;
    return {
      ...set,
      kind: targetKinds.find((known) => known === kind) ?? "ntfy",
      alarms: targetAlarms.find((known) => known === alarms) ?? "none",
      timestamp,
    };
  },
};

type SetTarget = Extract<MessageTargetCommand, { type: "SET_MESSAGE_TARGET" }>;

function decideSet(
  command: SetTarget,
  state: Target | undefined,
  world: World,
): Decision<MessageTargetEvent> {
  const missing = (field: string): Decision => reject("invalid", "is missing", field);
  if (command.id !== undefined && state === undefined)
    return reject("not-found", `no message target ${command.id}`, "id");
  if (state === undefined && world.size("messageTarget") >= limits.messageTargets)
    return reject("invalid", `at most ${limits.messageTargets} message targets`);
  const { kind = state?.kind, user = state?.user, name = state?.name ?? kind, url = state?.url } = command;
  if (kind === undefined) return missing("kind");
  if (user === undefined) return missing("user");
  if (world.get("user", user) === undefined) return reject("not-found", `no user ${user}`, "user");
  if (url === undefined) return missing("url");
  const origin = URL.parse(url)?.origin;
  if (origin === undefined) return reject("invalid", "is no address", "url");
  const topic = command.topic === undefined ? (state?.topic ?? null) : command.topic;
  const problem = topicProblem(kind, topic);
  if (problem !== undefined) return reject("invalid", problem, "topic");
  // A token goes to the server for which it was given, and to no other that somebody names later.
  const isSameServer = state !== undefined && URL.parse(state.url)?.origin === origin && state.kind === kind;
  const kept = isSameServer ? state.token : null;
  if (state !== undefined && state.token !== null && !isSameServer && command.token === undefined)
    return reject("invalid", "must be given again for another server", "token");
  const token = command.token === undefined ? kept : command.token;
  if (token === null && kind !== "ntfy") return missing("token");
  const { alarms = state?.alarms ?? "warn" } = command;
  // Only whoever gives the address says with their rights what it may be.
  const local = command.url === undefined ? (state?.local ?? false) : command.local;
  const id = command.id ?? world.newId();
  return [
    {
      type: "MessageTargetSet",
      id,
      user,
      kind,
      name,
      url: url.replace(/\/+$/, ""),
      topic,
      token,
      alarms,
      local,
    },
  ];
}

function topicProblem(kind: TargetKind, topic: string | null): string | undefined {
  if (kind === "gotify")
    return topic === null ? undefined : "is not for gotify: the token says which application";
  if (topic === null) return "is missing";
  if (kind === "ntfy")
    return /^[-_A-Za-z0-9]{1,64}$/.test(topic) ? undefined : "must be up to 64 letters, digits, - and _";
  return /^![^\s/?#]+$/.test(topic) ? undefined : "must be the id of a room, such as !abc:example.org";
}

/** Returns the targets to which an alarm goes: of users who see it, from their level on. */
export function targetsOfAlarm(
  level: AlarmLevel,
  isHidden: boolean,
  read: Pick<Reader, "get" | "all">,
): readonly Target[] {
  return [...read.all("messageTarget")].flatMap(([, target]) => {
    const { alarms } = target;
    const user = read.get("user", target.user);
    if (alarms === "none" || importance[level] < importance[alarms] || user === undefined || user.revoked)
      return [];
    return isHidden && (user.user_info.role & guestRoles) !== 0 ? [] : [target];
  });
}
