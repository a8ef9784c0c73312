import type { Cloud } from "../cloud.ts";
import type { Account } from "../model/account.ts";
import { timeOf } from "../model/submitting.ts";

type Asked = Pick<Cloud, "kernel" | "directory">;

/** An account as the operator sees it. */
export interface UserOverview {
  readonly id: string;
  readonly email: string;
  readonly nickname: string;
  /** Whether somebody has proved to receive mail at the address. */
  readonly proven: boolean;
  /** The number of hubs that list the account. */
  readonly hubs: number;
  readonly sessions: number;
}

/** A live session; times in ms. */
export interface SessionOverview {
  readonly id: string;
  readonly issued: number;
  readonly expires: number;
}

/** Returns all accounts that are not forgotten. */
export function usersOf(cloud: Asked): UserOverview[] {
  const found: UserOverview[] = [];
  for (const [id, account] of cloud.kernel.all("account")) {
    if (account.forgotten) continue;
    const { email, nickname, proven } = account;
    const hubs = [...cloud.directory.hubsOf(id)].length;
    found.push({ id, email, nickname, proven, hubs, sessions: sessionsOf(cloud, account).length });
  }
  return found;
}

/** Returns the account with an id or an address. */
export function accountNamed({ kernel, directory }: Asked, name: string): Account | undefined {
  const account = kernel.get("account", name) ?? directory.accountOf(name.trim());
  return account?.forgotten === false ? account : undefined;
}

export function sessionsOf({ kernel }: Asked, { id }: Pick<Account, "id">): SessionOverview[] {
  const now = timeOf(kernel);
  const held = kernel.get("sessions", id)?.sessions ?? [];
  return held
    .filter(({ expires }) => expires > now)
    .map(({ jti, issued, expires }) => ({ id: jti, issued, expires }));
}
