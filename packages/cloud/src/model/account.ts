import { defineEvent, type EventOf, foldedEmail, limits, orNull, personal, reject } from "@ledge/model";
import Type from "typebox";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** Somebody with an email address; `id` is what tokens call `user_id`. */
export interface Account {
  readonly id: string;
  /** As it was written first; accounts are told apart by `foldedEmail` of it. */
  readonly email: string;
  readonly nickname: string;
  readonly phone: string | null;
  /** Whether the profile was saved at least once. */
  readonly defaults: boolean;
  /** Whether somebody has shown to read what is sent to the address. */
  readonly proven: boolean;
  /** `passwordHash`: of a fixed password, for those who have set one. */
  readonly secrets: { readonly passwordHash?: string };
  /** Who it was is not known any more; it stays so that its key is destroyed whatever happens in between. */
  readonly forgotten: boolean;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    account: Account;
  }
}

export type AccountCommand =
  | { type: "ADD_ACCOUNT"; id: string; email: string }
  | { type: "PROVE_ACCOUNT"; id: string }
  /** Null leaves a field as it is; an empty phone number is none. */
  | { type: "SAVE_PROFILE"; id: string; nickname: string | null; phone: string | null }
  /** Null takes the fixed password away. */
  | { type: "SET_PASSWORD"; id: string; passwordHash: string | null }
  /** Only of an account that no hub lists any more. */
  | { type: "FORGET_ACCOUNT"; id: string };

const blank = { email: "", nickname: "", phone: null } as const;
const AccountAdded = personal(
  defineEvent("AccountAdded", 1, { email: Type.String(), nickname: Type.String() }),
  { email: blank.email, nickname: blank.nickname },
);
const AccountProven = defineEvent("AccountProven", 1, {});
const ProfileSaved = personal(
  defineEvent("ProfileSaved", 1, { nickname: Type.String(), phone: orNull(Type.String()) }),
  { nickname: blank.nickname, phone: blank.phone },
);
const PasswordSet = defineEvent("PasswordSet", 1, { passwordHash: Type.String() }, ["passwordHash"]);
const PasswordRemoved = defineEvent("PasswordRemoved", 1, {});
/** The key of the account's personal fields is destroyed: all that the log has of them cannot be read any more. */
export const AccountForgotten = defineEvent("AccountForgotten", 1, {});

export type AccountEvent =
  | EventOf<typeof AccountAdded>
  | EventOf<typeof AccountProven>
  | EventOf<typeof ProfileSaved>
  | EventOf<typeof PasswordSet>
  | EventOf<typeof PasswordRemoved>
  | EventOf<typeof AccountForgotten>;

export const account: CloudDecider<Account, AccountCommand, AccountEvent> = {
  kind: "account",
  commands: ["ADD_ACCOUNT", "PROVE_ACCOUNT", "SAVE_PROFILE", "SET_PASSWORD", "FORGET_ACCOUNT"],
  events: [AccountAdded, AccountProven, ProfileSaved, PasswordSet, PasswordRemoved, AccountForgotten],
  secrets: ["secrets"],
  personal: blank,

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "ADD_ACCOUNT") {
      const { email } = command;
      if (state !== undefined || accountOf(email, world) !== undefined)
        return reject("wrong-state", "this address has an account", "email");
      if (world.size("account") >= limits.accounts)
        return reject("wrong-state", `at most ${limits.accounts} accounts`);
      const nickname = email.slice(0, email.indexOf("@")).slice(0, limits.nameChars);
      return [{ type: "AccountAdded", id, email, nickname }];
    }
    if (state === undefined || state.forgotten) return reject("not-found", `no account ${id}`, "id");
    switch (command.type) {
      case "PROVE_ACCOUNT":
        return state.proven ? [] : [{ type: "AccountProven", id }];
      case "SAVE_PROFILE": {
        const nickname = command.nickname ?? state.nickname;
        const phone = (command.phone ?? state.phone)?.trim() || null;
        if (nickname === state.nickname && phone === state.phone) return [];
        return [{ type: "ProfileSaved", id, nickname, phone }];
      }
      case "SET_PASSWORD": {
        const { passwordHash } = command;
        if (passwordHash !== null) return [{ type: "PasswordSet", id, passwordHash }];
        return state.secrets.passwordHash === undefined ? [] : [{ type: "PasswordRemoved", id }];
      }
      case "FORGET_ACCOUNT":
        for (const [hub, { users, invitations, transfer }] of world.all("authorizations")) {
          const isListed = [...users, ...invitations].some(({ user }) => user === id) || transfer?.to === id;
          if (isListed) return reject("wrong-state", `hub ${hub} lists this account`);
        }
        return [{ type: "AccountForgotten", id }];
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "AccountAdded") {
      const { id, email, nickname } = event;
      return {
        id,
        email,
        nickname,
        phone: null,
        defaults: false,
        proven: false,
        secrets: {},
        forgotten: false,
        timestamp,
      };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "AccountProven":
        return { ...state, proven: true, timestamp };
      case "ProfileSaved":
        return { ...state, nickname: event.nickname, phone: event.phone, defaults: true, timestamp };
      case "PasswordSet":
        return { ...state, secrets: { passwordHash: event.passwordHash }, timestamp };
      case "PasswordRemoved":
        return { ...state, secrets: {}, timestamp };
      case "AccountForgotten":
        return { ...state, ...blank, proven: false, secrets: {}, forgotten: true, timestamp };
    }
  },
};

/** Whether there is an account, of somebody who is not forgotten. */
export function isAccount(id: string, world: Pick<CloudWorld, "get">): boolean {
  return world.get("account", id)?.forgotten === false;
}

function accountOf(email: string, world: CloudWorld): string | undefined {
  const folded = foldedEmail(email);
  for (const [id, { forgotten, email: held }] of world.all("account"))
    if (!forgotten && foldedEmail(held) === folded) return id;
  return undefined;
}
