import type { Command, Decider, DomainEvent, Timer, World } from "@ledge/model";
import type { Account } from "./account.ts";
import type { HubAuthorizations } from "./authorizations.ts";
import type { Installation } from "./installation.ts";
import type { Login } from "./login.ts";
import type { Registration } from "./registration.ts";
import type { Sessions } from "./sessions.ts";
import type { SigningKey } from "./signing-key.ts";

/** The state of every kind of aggregate of a cloud. */
export interface CloudStates {
  installation: Installation;
  signingKey: SigningKey;
  account: Account;
  login: Login;
  sessions: Sessions;
  registration: Registration;
  authorizations: HubAuthorizations;
  timer: Timer;
}

/** An aggregate of a cloud. */
export type CloudDecider<State, C extends Command, E extends DomainEvent> = Decider<State, C, E, CloudStates>;

/** What an aggregate of a cloud may know of the others. */
export type CloudWorld = World<CloudStates>;
