import { defineEvent, type EventOf, foldedEmail, limits, orNull, personal, reject } from "@ledge/model";
import Type from "typebox";
import { type Language, languageIn } from "./languages.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** Account of a person with an email address. Tokens call its `id` `user_id`. */
export interface Account {
  readonly id: string;
  /** As first written; accounts are compared by `foldedEmail` of it. */
  readonly email: string;
  readonly nickname: string;
  readonly phone: string | null;
  /** The language of mails to the person; null until one is known. */
  readonly language: Language | null;
  /** Whether the profile was saved at least once. */
  readonly defaults: boolean;
  /** Whether somebody has proven that they can read mails to the address. */
  readonly proven: boolean;
  /** `passwordHash`: of the fixed password, if one is set. */
  readonly secrets: { readonly passwordHash?: string };
  /**
   * The personal data is gone. The account stays, so that its key is destroyed even after a crash in between.
   */
  readonly forgotten: boolean;
  /** The tenant whose subscriptions the account lists; null for its personal one. */
  readonly activeTenant: string | null;
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
  /** Null keeps a field; an empty phone number removes it. */
  | { type: "SAVE_PROFILE"; id: string; nickname: string | null; phone: string | null }
  /** A guess does not replace what is known. */
  | { type: "SET_LANGUAGE"; id: string; language: Language; isGuess: boolean }
  /** Null removes the fixed password. */
  | { type: "SET_PASSWORD"; id: string; passwordHash: string | null }
  | { type: "SET_ACTIVE_TENANT"; id: string; tenant: string }
  /** Only for an account that no hub lists any more, and in whose personal tenant nothing stands. */
  | { type: "FORGET_ACCOUNT"; id: string };

const blank = { email: "", nickname: "", phone: null, language: null } as const;
const AccountAdded = personal(
  defineEvent("AccountAdded", 1, { email: Type.String(), nickname: Type.String() }),
  { email: blank.email, nickname: blank.nickname },
);
const AccountProven = defineEvent("AccountProven", 1, {});
const ProfileSaved = personal(
  defineEvent("ProfileSaved", 1, { nickname: Type.String(), phone: orNull(Type.String()) }),
  { nickname: blank.nickname, phone: blank.phone },
);
const AccountLanguageSet = personal(
  defineEvent("AccountLanguageSet", 1, { language: orNull(Type.String()) }),
  {
    language: blank.language,
  },
);
const PasswordSet = defineEvent("PasswordSet", 1, { passwordHash: Type.String() }, ["passwordHash"]);
const PasswordRemoved = defineEvent("PasswordRemoved", 1, {});
const ActiveTenantSet = defineEvent("ActiveTenantSet", 1, { tenant: Type.String() });
/** Destroys the key of the account's personal fields: nobody can read them in the log any more. */
export const AccountForgotten = defineEvent("AccountForgotten", 1, {});

export type AccountEvent =
  | EventOf<typeof AccountAdded>
  | EventOf<typeof AccountProven>
  | EventOf<typeof ProfileSaved>
  | EventOf<typeof AccountLanguageSet>
  | EventOf<typeof PasswordSet>
  | EventOf<typeof PasswordRemoved>
  | EventOf<typeof ActiveTenantSet>
  | EventOf<typeof AccountForgotten>;

export const account: CloudDecider<Account, AccountCommand, AccountEvent> = {
  kind: "account",
  commands: [
    "ADD_ACCOUNT",
    "PROVE_ACCOUNT",
    "SAVE_PROFILE",
    "SET_LANGUAGE",
    "SET_PASSWORD",
    "SET_ACTIVE_TENANT",
    "FORGET_ACCOUNT",
  ],
  events: [
    AccountAdded,
    AccountProven,
    ProfileSaved,
    AccountLanguageSet,
    PasswordSet,
    PasswordRemoved,
    ActiveTenantSet,
    AccountForgotten,
  ],
  secrets: ["secrets"],
  personal: blank,

  target: (command) => command.id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "ADD_ACCOUNT") {
      const { email } = command;
      if (state !== undefined || accountOf(email, world) !== undefined)
        return reject("wrong-state", "this address already has an account", "email");
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
      case "SET_LANGUAGE": {
        const { language, isGuess } = command;
        // Accounts of earlier releases have none.
        const held = state.language ?? null;
        if (language === held || (isGuess && held !== null)) return [];
        return [{ type: "AccountLanguageSet", id, language }];
      }
      case "SET_PASSWORD": {
        const { passwordHash } = command;
        if (passwordHash !== null) return [{ type: "PasswordSet", id, passwordHash }];
        return state.secrets.passwordHash === undefined ? [] : [{ type: "PasswordRemoved", id }];
      }
      case "SET_ACTIVE_TENANT": {
        const { tenant } = command;
        if (tenant === (state.activeTenant ?? id)) return [];
        return [{ type: "ActiveTenantSet", id, tenant }];
      }
      case "FORGET_ACCOUNT":
        if (Object.keys(world.get("templates", id)?.templates ?? {}).length > 0)
          return reject("wrong-state", "templates stand in the account's personal tenant");
        for (const [, { tenant }] of world.all("client"))
          if (tenant === id) return reject("wrong-state", "clients stand in the account's personal tenant");
        for (const [of, { tenant, groups }] of world.all("subscription"))
          if (tenant === id && (of !== id || Object.keys(groups).length > 0))
            return reject("wrong-state", "something stands in the account's personal tenant");
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
        language: null,
        defaults: false,
        proven: false,
        secrets: {},
        forgotten: false,
        activeTenant: null,
        timestamp,
      };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "AccountProven":
        return { ...state, proven: true, timestamp };
      case "ProfileSaved":
        return { ...state, nickname: event.nickname, phone: event.phone, defaults: true, timestamp };
      case "AccountLanguageSet":
        return { ...state, language: languageIn(event.language) ?? null, timestamp };
      case "PasswordSet":
        return { ...state, secrets: { passwordHash: event.passwordHash }, timestamp };
      case "PasswordRemoved":
        return { ...state, secrets: {}, timestamp };
      case "ActiveTenantSet":
        return { ...state, activeTenant: event.tenant, timestamp };
      case "AccountForgotten":
        return { ...state, ...blank, proven: false, secrets: {}, forgotten: true, timestamp };
    }
  },
};

/** Returns whether an account exists and is not forgotten. */
export function isAccount(id: string, world: Pick<CloudWorld, "get">): boolean {
  return world.get("account", id)?.forgotten === false;
}

function accountOf(email: string, world: CloudWorld): string | undefined {
  const folded = foldedEmail(email);
  for (const [id, { forgotten, email: held }] of world.all("account"))
    if (!forgotten && foldedEmail(held) === folded) return id;
  return undefined;
}
