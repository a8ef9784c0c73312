import { allows, type Command, Email, Id, limits, type LocalKey, Name } from "@ledge/model";
import Type from "typebox";
import { hubOf } from "../call.ts";
import { refusedToPages } from "../origin.ts";
import type { HubPorts } from "../ports.ts";
import { forbidden, notFound, Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submit } from "../submit.ts";

const code = Type.String({ minLength: 1, maxLength: 32 });

/** LOGIN_KEY: a key of the hub itself, and the role that it gives. Times in ms since the epoch. */
export const LoginKey = Type.Object({
  type: Type.Literal("LOGIN_KEY"),
  key: Type.String(),
  keyId: Id,
  role: Type.Integer(),
  expires: Type.Integer(),
});
type LoginKey = Type.Static<typeof LoginKey>;

/** LOGIN: a browser that waits to be let in, as those see it who may let it in. */
const Login = Type.Object({
  type: Type.Literal("LOGIN"),
  code: Type.String(),
  name: Type.String(),
  /** The network address that it came from. */
  address: Type.String(),
  expires: Type.Integer(),
});

/** Getting in without the cloud, on the hub's own network only (decision 102). */
export const logins = [
  row({
    method: "GET",
    path: "/hub/login",
    summary: "How to get in: the hub's cloud, and until when a hub without an owner can be claimed",
    access: "ANONYMOUS",
    remote: "refused",
    result: Type.Object({
      type: Type.Literal("HUB_LOGIN"),
      cloud: Type.Union([Type.String(), Type.Null()]),
      claimableUntil: Type.Union([Type.Integer(), Type.Null()]),
    }),
    handle({ hub }) {
      const openForMs = hubOf(hub).state === "claimed" ? 0 : hub.claim.openForMs();
      const claimableUntil = openForMs > 0 ? Math.round(hub.clock.wall() + openForMs) : null;
      return { type: "HUB_LOGIN" as const, cloud: hub.meta().cloud, claimableUntil };
    },
  }),
  row({
    method: "POST",
    path: "/hub/setup",
    summary: "Makes the caller the owner of a hub that has none, with the code that the hub shows",
    access: "ANONYMOUS",
    remote: "refused",
    body: Type.Object({ code, nickname: Name, email: Type.Optional(Email), name: Name }),
    result: LoginKey,
    async handle(call) {
      const { hub, body, address } = call;
      if (hubOf(hub).state === "claimed") return new Refused(422, "this hub is claimed already");
      const refused =
        refusedToPages(call, "claim this hub") ??
        keyless(hub) ??
        closedTo(hub) ??
        hub.logins.admit(address) ??
        hub.claim.wrongCode(body.code);
      if (refused !== undefined) return refused;
      const { email = "", nickname, name } = body;
      const done = await submit(call, [
        { type: "CLAIM_HUB", id: hub.hubId, email, nickname } as Command,
        { type: "ISSUE_LOCAL_KEY", user: null, name, isPanel: false } as Command,
      ]);
      return done instanceof Refused ? done : keyOf(hub, idIn(done[1]));
    },
  }),
  row({
    method: "POST",
    path: "/hub/logins",
    summary:
      "Begins to wait to be let in; the code is for somebody who is in, the secret for /hub/logins/poll",
    access: "ANONYMOUS",
    remote: "refused",
    body: Type.Object({ name: Name }),
    result: Type.Object({
      type: Type.Literal("LOGIN_BEGUN"),
      secret: Type.String(),
      code: Type.String(),
      expires: Type.Integer(),
      /** Seconds between two questions of /hub/logins/poll. */
      interval: Type.Integer(),
    }),
    handle(call) {
      const { hub, address } = call;
      const refused =
        refusedToPages(call, "begin a login") ?? unclaimed(hub) ?? keyless(hub) ?? hub.logins.admit(address);
      if (refused !== undefined) return refused;
      const begun = hub.logins.begin(call.body.name, address);
      if (begun instanceof Refused) return begun;
      const { secret, login } = begun;
      const expires = wallOf(login.until, hub);
      return {
        type: "LOGIN_BEGUN" as const,
        secret,
        code: login.code,
        expires,
        interval: limits.localLoginPollS,
      };
    },
  }),
  row({
    method: "GET",
    path: "/hub/logins",
    summary: "Who waits with a code to be let in",
    access: "IDENTIFIED_USER",
    remote: "refused",
    query: Type.Object({ code }),
    result: Login,
    handle({ hub, caller, query }) {
      const login = hub.logins.waiting(query.code, caller.origin);
      if (login instanceof Refused) return login;
      const { name, address, until } = login;
      return { type: "LOGIN" as const, code: login.code, name, address, expires: wallOf(until, hub) };
    },
  }),
  row({
    method: "POST",
    path: "/hub/logins/approve",
    summary:
      "Lets a browser in: as the caller, as a user with a lower role, or as a panel with a guest's role",
    access: "IDENTIFIED_USER",
    remote: "refused",
    body: Type.Object({ code, userId: Type.Optional(Id), panel: Type.Optional(Type.Boolean()) }),
    result: Type.Object({ type: Type.Literal("LOGIN_APPROVED"), keyId: Id, userId: Id, name: Type.String() }),
    async handle(call) {
      const { hub, caller, body } = call;
      const { userId = caller.user, panel: isPanel = false } = body;
      const refused = isPanel ? forAdmins(call) : notFor(call, userId);
      if (refused !== undefined) return refused;
      const login = hub.logins.waiting(body.code, caller.origin);
      if (login instanceof Refused) return login;
      const { name } = login;
      const issue = { type: "ISSUE_LOCAL_KEY", user: userId, name, isPanel } as Command;
      const done = await submit(call, [issue]);
      if (done instanceof Refused) return done;
      const keyId = idIn(done[0]);
      login.keyId = keyId;
      const record = hub.kernel.get("localKey", keyId) as LocalKey;
      return { type: "LOGIN_APPROVED" as const, keyId, userId: record.user, name };
    },
  }),
  row({
    method: "POST",
    path: "/hub/logins/poll",
    summary: "The key of a browser that was let in, once; before that, that it still waits",
    access: "ANONYMOUS",
    remote: "refused",
    body: Type.Object({ secret: Type.String({ minLength: 1, maxLength: 64 }) }),
    result: Type.Union([
      LoginKey,
      Type.Object({ type: Type.Literal("LOGIN_WAITS"), expires: Type.Integer(), interval: Type.Integer() }),
    ]),
    handle({ hub, body: { secret } }) {
      const login = hub.logins.of(secret);
      if (login === undefined) return notFound("this login is over: begin a new one", undefined, "secret");
      const { keyId, until } = login;
      if (keyId === undefined)
        return {
          type: "LOGIN_WAITS" as const,
          expires: wallOf(until, hub),
          interval: limits.localLoginPollS,
        };
      // First of all, so that two questions at a time get one key.
      hub.logins.end(secret);
      return keyOf(hub, keyId);
    },
  }),
];

/** Signs the key of a record. A key that was revoked meanwhile is none. */
export async function keyOf(hub: HubPorts, keyId: string): Promise<LoginKey | Refused> {
  const record = hub.kernel.get("localKey", keyId);
  const user = record && hub.kernel.get("user", record.user);
  if (record === undefined || user === undefined || user.revoked) return notFound("this key was revoked");
  const refused = keyless(hub);
  if (refused !== undefined) return refused;
  const key = await hub.localKeys.sign(record, user);
  return { type: "LOGIN_KEY", key, keyId, role: user.user_info.role, expires: record.expires };
}

function keyless({ localKeys }: HubPorts): Refused | undefined {
  const problem = localKeys.problem();
  return problem === undefined ? undefined : new Refused(503, `the hub cannot sign keys: ${problem}`);
}

function closedTo({ claim }: HubPorts): Refused | undefined {
  const closed = claim.closed();
  return closed === undefined ? undefined : forbidden(closed);
}

function unclaimed(hub: HubPorts): Refused | undefined {
  return hubOf(hub).state === "claimed" ? undefined : forbidden("claim the hub first");
}

/** Nobody lets others in with more than they have themselves, or as somebody of the same rank. */
function notFor({ hub, caller }: Call, userId: string | null): Refused | undefined {
  if (userId === null || userId === caller.user) return undefined;
  const user = hub.kernel.get("user", userId);
  if (!allows("USER_ADMIN", caller.role)) return forbidden("only admins let in others than themselves");
  if (user === undefined) return notFound(`no user ${userId}`, undefined, "userId");
  return user.user_info.role < caller.role
    ? undefined
    : forbidden("you can let in users with a lower role than yours");
}

function forAdmins({ caller }: Call): Refused | undefined {
  return allows("USER_ADMIN", caller.role) ? undefined : forbidden("only admins let in panels");
}

function idIn(result: object | undefined): string {
  const { id } = (result ?? {}) as { readonly id?: string };
  if (id === undefined) throw new Error("a key was issued without an id");
  return id;
}

/** Returns a time of the monotonic clock as one of the wall clock. */
function wallOf(monotonic: number, { clock }: HubPorts): number {
  return Math.round(clock.wall() + monotonic - clock.monotonic());
}
