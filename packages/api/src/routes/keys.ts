import { allows, type Command, Id, type LocalKey } from "@ledge/model";
import Type from "typebox";
import { notFound, Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submit, submitFor } from "../submit.ts";
import { keyOf, LoginKey } from "./logins.ts";

/** LOCAL_KEY: a key that the hub has signed itself. Times in ms since the epoch. */
const LocalKeyObject = Type.Object({
  type: Type.Literal("LOCAL_KEY"),
  id: Id,
  userId: Id,
  name: Type.String(),
  issuedAt: Type.Integer(),
  expires: Type.Integer(),
  /** Whether it is the key of this request. */
  current: Type.Boolean(),
});

export const keys = [
  row({
    method: "GET",
    path: "/hub/keys",
    summary: "Keys that the hub has signed itself: the caller's own, or for admins those of all users",
    access: "GUEST",
    result: Type.Record(Type.String(), LocalKeyObject),
    handle(call) {
      const { kernel } = call.hub;
      const now = kernel.now();
      const shown = [...kernel.all("localKey")].filter(([, key]) => key.expires > now && mayList(key, call));
      return Object.fromEntries(shown.map(([id, key]) => [id, objectOf(key, call)]));
    },
  }),
  row({
    method: "DELETE",
    path: "/hub/keys",
    summary: "Revokes a key: one of the caller's own, or for admins one of a user with a lower role",
    access: "GUEST",
    query: Type.Object({ keyId: Id }),
    result: Type.Literal(true),
    handle(call) {
      const { keyId } = call.query;
      const key = call.hub.kernel.get("localKey", keyId);
      if (key === undefined || !mayRevoke(key, call)) return notFound(`no key ${keyId}`, undefined, "keyId");
      return submitFor(call, [{ type: "REVOKE_LOCAL_KEY", id: keyId } as Command], true as const);
    },
  }),
  row({
    method: "POST",
    path: "/hub/keys/renew",
    summary: "Renews the key of this request in its last 30 days",
    access: "GUEST",
    remote: "refused",
    result: LoginKey,
    async handle(call) {
      const { keyId } = call;
      if (keyId === undefined || call.hub.kernel.get("localKey", keyId) === undefined)
        return new Refused(422, "only a key that the hub has signed itself is renewed here");
      const done = await submit(call, [{ type: "RENEW_LOCAL_KEY", id: keyId } as Command]);
      return done instanceof Refused ? done : keyOf(call.hub, keyId);
    },
  }),
];

function mayList({ user }: LocalKey, { caller }: Pick<Call, "caller">): boolean {
  return user === caller.user || allows("USER_ADMIN", caller.role);
}

function mayRevoke({ user: id }: LocalKey, { caller, hub }: Call): boolean {
  if (id === caller.user) return true;
  const role = hub.kernel.get("user", id)?.user_info.role ?? 0;
  return allows("USER_ADMIN", caller.role) && role < caller.role;
}

function objectOf({ id, user, name, issuedAt, expires }: LocalKey, { keyId }: Call) {
  return { type: "LOCAL_KEY" as const, id, userId: user, name, issuedAt, expires, current: id === keyId };
}
