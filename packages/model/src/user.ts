import Type from "typebox";
import { grantableRoles, roles } from "./access.ts";
import type { Decider, Decision, Rejection, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import type { DeviceEvent } from "./device-events.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, personal, telemetry } from "./event.ts";
import type { Language } from "./language.ts";
import { languages } from "./language.ts";
import { limits } from "./limits.ts";
import { withoutPersonal } from "./personal.ts";
import { preferencesRemoved } from "./preferences.ts";
import { Id, Name, unchangedIfNull } from "./schema.ts";
import { uiDevices } from "./ui-device.ts";

const SpokenLanguage = Type.Unsafe<Language>(Type.Union(languages.map((known) => Type.Literal(known))));

/**
 * HUB_USER (hub-api 2.3). Its state also has `roleSince`, when the role last changed (older cursors get a
 * full answer), and `forgotten`, whether the personal data is destroyed.
 */
export const HubUser = Type.Object({
  type: Type.Literal("HUB_USER"),
  id: Id,
  user_info: Type.Object({
    type: Type.Literal("USER_INFO"),
    user: Type.Object({
      type: Type.Literal("USER"),
      uid: Id,
      email: Type.String(),
      nickname: Type.String(),
      phone: Type.Union([Type.String(), Type.Null()]),
      defaults: Type.Boolean(),
      /** An addition to the API: the language of messages to them; missing while unknown. */
      language: Type.Optional(Type.Union([SpokenLanguage, Type.Null()])),
    }),
    role: Type.Integer(),
  }),
  revoked: Type.Boolean(),
  connected: Type.Boolean(),
  timestamp: Type.Integer(),
});
export type HubUser = Type.Static<typeof HubUser> & {
  readonly roleSince: number;
  readonly forgotten: boolean;
  /** The role in the cloud's last list; null for a user who is not in it. */
  readonly listed: number | null;
  /**
   * HubKeys of the cloud under a list with a lower number are refused: the number of the list that last gave
   * them access, 0 when the cloud does not say.
   */
  readonly keysFrom: number;
  /** HubKeys issued before this time (ms) are refused: when the hub itself last reinstated the user. */
  readonly keysSince: number;
};

declare module "./states.ts" {
  interface States {
    user: HubUser;
  }
}

/** What an owner changes about another user: the role, or whether access is revoked. */
export const CmdUser = Type.Object({
  type: Type.Literal("CMD_USER"),
  id: Id,
  role: unchangedIfNull(Type.Integer()),
  revoked: unchangedIfNull(Type.Boolean()),
});

/** What users set about themselves; an empty phone number means none. The language is that of messages to them. */
export const CmdUserProfile = Type.Object({
  type: Type.Literal("CMD_USER_PROFILE"),
  nickname: unchangedIfNull(Name),
  phone: unchangedIfNull(Type.String({ maxLength: limits.phoneChars, pattern: "^[-+0-9 ()./]*$" })),
  language: unchangedIfNull(SpokenLanguage),
});

export type UserCommand =
  | Type.Static<typeof CmdUser>
  | (Type.Static<typeof CmdUserProfile> & { id: string })
  | { type: "ADD_USER"; id: string; email: string; nickname: string; phone: string | null; role: number }
  | { type: "SET_USER_ROLE"; id: string; role: number }
  | { type: "REVOKE_USER"; id: string }
  /** Revokes a user for good and destroys the personal data. */
  | { type: "FORGET_USER"; id: string }
  | { type: "SET_USER_CONNECTED"; id: string; connected: boolean }
  /** A client of theirs asks for texts in this language. It counts until they choose another. */
  | { type: "NOTE_USER_LANGUAGE"; id: string; language: Language };

/** What clients see instead of a forgotten user's own fields. */
const blank = { email: "", nickname: "", phone: null, language: null } as const;
const personalState = {
  "user_info.user.email": blank.email,
  "user_info.user.nickname": blank.nickname,
  "user_info.user.phone": blank.phone,
  "user_info.user.language": blank.language,
};

export const UserAdded = personal(
  defineEvent("UserAdded", 1, {
    email: Type.String(),
    nickname: Type.String(),
    phone: Type.Union([Type.String(), Type.Null()]),
    role: Type.Integer(),
  }),
  { email: blank.email, nickname: blank.nickname, phone: blank.phone },
);
const UserRoleChanged = defineEvent("UserRoleChanged", 1, { role: Type.Integer() });
const UserRevoked = defineEvent("UserRevoked", 1, {});
const UserReinstated = defineEvent("UserReinstated", 1, {});
/** The cloud's list gives the user another role, or none. */
const UserListed = defineEvent("UserListed", 1, {
  role: Type.Union([Type.Integer(), Type.Null()]),
  /** The number of the list that gave them access. */
  granted: Type.Optional(Type.Integer()),
});
/** The key of a user's personal fields was destroyed: the log's copies are unreadable for good. */
export const UserForgotten = defineEvent("UserForgotten", 1, {});
const UserProfileSaved = personal(
  defineEvent("UserProfileSaved", 1, {
    nickname: Type.String(),
    phone: Type.Union([Type.String(), Type.Null()]),
  }),
  { nickname: blank.nickname, phone: blank.phone },
);
const UserLanguageSet = personal(
  defineEvent("UserLanguageSet", 1, { language: Type.Union([Type.String(), Type.Null()]) }),
  { language: blank.language },
);
/** Presence is not audited: it is telemetry. */
const UserConnected = telemetry(defineEvent("UserConnected", 1, {}), () => ["connected"]);
const UserDisconnected = telemetry(defineEvent("UserDisconnected", 1, {}), () => ["connected"]);

export type UserEvent =
  | EventOf<typeof UserAdded>
  | EventOf<typeof UserRoleChanged>
  | EventOf<typeof UserRevoked>
  | EventOf<typeof UserReinstated>
  | EventOf<typeof UserListed>
  | EventOf<typeof UserForgotten>
  | EventOf<typeof UserProfileSaved>
  | EventOf<typeof UserLanguageSet>
  | EventOf<typeof UserConnected>
  | EventOf<typeof UserDisconnected>;

/** Users of the hub and their rights. */
export const user: Decider<HubUser, UserCommand, UserEvent> = {
  kind: "user",
  commands: [
    "ADD_USER",
    "CMD_USER",
    "CMD_USER_PROFILE",
    "SET_USER_ROLE",
    "REVOKE_USER",
    "FORGET_USER",
    "SET_USER_CONNECTED",
    "NOTE_USER_LANGUAGE",
  ],
  events: [
    UserAdded,
    UserRoleChanged,
    UserRevoked,
    UserReinstated,
    UserListed,
    UserForgotten,
    UserProfileSaved,
    UserLanguageSet,
    UserConnected,
    UserDisconnected,
  ],
  delta: {
    type: "USER_DELTA",
    hidesFromGuests: true,
    render: (state, { forGuests }) => (forGuests ? shownToGuests(state) : served(state)),
  },
  personal: personalState,

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "ADD_USER") {
      const { email, nickname, phone, role } = command;
      if (state?.revoked === false) return reject("wrong-state", `user ${id} exists already`, "id");
      // Until that is on disk, the forgotten user's personal key still exists; a new user must not inherit it.
      if (state?.forgotten === true && state.timestamp === world.now)
        return reject("wrong-state", `user ${id} is being forgotten`, "id");
      if (!grantableRoles.has(role)) return reject("invalid", `role ${role} cannot be granted`, "role");
      if (state === undefined && world.size("user") >= limits.users)
        return reject("invalid", `at most ${limits.users} users`);
      return [{ type: "UserAdded", id, email, nickname, phone, role } satisfies UserEvent];
    }
    if (state === undefined) return reject("not-found", `no user ${id}`, "id");
    if (command.type === "FORGET_USER") return decideForgotten(state, world);
    if (state.forgotten) return reject("wrong-state", `user ${id} was forgotten`, "id");
    switch (command.type) {
      case "SET_USER_ROLE":
        return decideRole(state, command.role);
      case "REVOKE_USER":
        return decideRevoked(state, true);
      case "CMD_USER": {
        const role = decideRole(state, command.role ?? state.user_info.role);
        const revoked = decideRevoked(state, command.revoked ?? state.revoked);
        if (isRejection(role)) return role;
        return isRejection(revoked) ? revoked : [...role, ...revoked];
      }
      case "CMD_USER_PROFILE":
        return [...decideProfile(state, command), ...decideLanguage(state, command.language)];
      case "NOTE_USER_LANGUAGE":
        return spoken(state) === undefined ? decideLanguage(state, command.language) : [];
      case "SET_USER_CONNECTED":
        if (command.connected && state.revoked) return reject("wrong-state", `user ${id} is revoked`);
        if (state.connected === command.connected) return [];
        return [{ type: command.connected ? "UserConnected" : "UserDisconnected", id } satisfies UserEvent];
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "UserAdded") {
      const { id, email, nickname, phone, role } = event;
      const profile = { type: "USER", uid: id, email, nickname, phone, defaults: false } as const;
      const user_info = { type: "USER_INFO", user: profile, role } as const;
      return {
        type: "HUB_USER",
        id,
        user_info,
        revoked: false,
        connected: false,
        roleSince: timestamp,
        forgotten: false,
        listed: null,
        keysFrom: 0,
        keysSince: state === undefined ? 0 : timestamp,
        timestamp,
      };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "UserRoleChanged": {
        const user_info = { ...state.user_info, role: event.role };
        return { ...state, user_info, roleSince: timestamp, timestamp };
      }
      case "UserRevoked":
        return { ...state, revoked: true, connected: false, roleSince: timestamp, timestamp };
      case "UserReinstated":
        return { ...state, revoked: false, roleSince: timestamp, keysSince: timestamp, timestamp };
      case "UserListed":
        return { ...state, ...keysOf(state, event.granted ?? 0), listed: event.role, timestamp };
      case "UserForgotten":
        return { ...withoutPersonal(state, personalState), forgotten: true, timestamp };
      case "UserProfileSaved": {
        const { nickname, phone } = event;
        const saved = { ...state.user_info.user, nickname, phone, defaults: true };
        return { ...state, user_info: { ...state.user_info, user: saved }, timestamp };
      }
      case "UserLanguageSet": {
        const language = languages.find((known) => known === event.language) ?? null;
        const saved = { ...state.user_info.user, language };
        return { ...state, user_info: { ...state.user_info, user: saved }, timestamp };
      }
      case "UserConnected":
        return { ...state, connected: true, timestamp };
      case "UserDisconnected":
        return { ...state, connected: false, timestamp };
    }
  },
};

/** Once the cloud sends grant numbers, that number alone tells old keys from new ones. */
function keysOf({ keysSince }: HubUser, granted: number): Pick<HubUser, "keysFrom" | "keysSince"> {
  return { keysFrom: granted, keysSince: granted === 0 ? keysSince : 0 };
}

/** Returns the language of messages to a user; undefined while unknown. */
export function spoken({ user_info }: HubUser): Language | undefined {
  return user_info.user.language ?? undefined;
}

function served(state: HubUser): object {
  const { roleSince: _, forgotten: __, listed: ___, keysFrom: ____, keysSince: _____, ...shown } = state;
  return shown;
}

/** Guests see who else is at home, but not their addresses. */
function shownToGuests(state: HubUser): object {
  const { user_info } = state;
  const { language: _, ...known } = user_info.user;
  return served({ ...state, user_info: { ...user_info, user: { ...known, email: "", phone: null } } });
}

function decideRole(state: HubUser, role: number): UserEvent[] | Rejection {
  const held = state.user_info.role;
  if (held === role) return [];
  if (!grantableRoles.has(role)) return reject("invalid", `role ${role} cannot be granted`, "role");
  if (held === roles.OWNER_ADMIN) return reject("wrong-state", "ownership moves by transfer only");
  return [{ type: "UserRoleChanged", id: state.id, role }];
}

function decideRevoked({ id, revoked, user_info }: HubUser, wanted: boolean): UserEvent[] | Rejection {
  if (revoked === wanted) return [];
  if (user_info.role === roles.OWNER_ADMIN) return reject("wrong-state", "the owner cannot be revoked");
  return [{ type: wanted ? "UserRevoked" : "UserReinstated", id }];
}

/** Forgets a user, with their clients, which would identify them. */
function decideForgotten(state: HubUser, world: World): Decision<UserEvent | DeviceEvent> {
  const { id, forgotten } = state;
  if (forgotten) return [];
  const revoked = decideRevoked(state, true);
  if (isRejection(revoked)) return revoked;
  const clients = uiDevices(world).filter(({ user: of }) => of === id);
  const removed = clients.map((client): DeviceEvent => {
    return { type: "DeviceRemoved", id: client.id, groups: world.get("device", client.id)?.groups ?? [] };
  });
  return [...revoked, { type: "UserForgotten", id }, ...preferencesRemoved(id, world), ...removed];
}

function decideProfile(
  { id, user_info: { user: held } }: HubUser,
  wanted: Type.Static<typeof CmdUserProfile>,
): UserEvent[] {
  const nickname = wanted.nickname ?? held.nickname;
  const phone = (wanted.phone ?? held.phone)?.trim() || null;
  if (held.defaults && nickname === held.nickname && phone === held.phone) return [];
  return [{ type: "UserProfileSaved", id, nickname, phone }];
}

function decideLanguage(state: HubUser, wanted: Language | null | undefined): UserEvent[] {
  const language = wanted ?? spoken(state);
  return language === undefined || language === spoken(state)
    ? []
    : [{ type: "UserLanguageSet", id: state.id, language }];
}
