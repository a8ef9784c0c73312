import Type from "typebox";
import { type Access, allows, guestRoles } from "./access.ts";
import type { AlarmLevel } from "./alarm-texts.ts";
import { alarmTexts } from "./alarm-texts.ts";
import type { Reader } from "./decider.ts";
import type { UiDevice } from "./ui-device.ts";
import { uiDevices } from "./ui-device.ts";
import type { HubUser } from "./user.ts";

/** An open alarm or alert, and the clients that should show it: those that have not seen it. */
export const Notification = Type.Object({
  type: Type.Literal("NOTIFICATION"),
  category: Type.Union([Type.Literal("alarm"), Type.Literal("alert")]),
  /** The id of the alarm or alert. */
  id: Type.String(),
  level: Type.Union([Type.Literal("info"), Type.Literal("warn"), Type.Literal("err")]),
  /** When it was last raised, ms since the epoch. */
  raisedAt: Type.Integer(),
  /** `uuid` is the id with which the client polls. */
  clients: Type.Array(Type.Object({ user: Type.String(), uuid: Type.String() })),
});
export type Notification = Type.Static<typeof Notification>;

/** An open alarm or alert and whom it concerns: only `userId` if set, otherwise the roles for its level. */
interface Open {
  readonly category: Notification["category"];
  readonly id: string;
  readonly level: AlarmLevel;
  readonly raisedAt: number;
  readonly userId: string | null;
  readonly hidden: boolean;
}

/** Whom each level concerns: danger everybody, faults the residents, the rest the admins. */
export const disturbed: Readonly<Record<AlarmLevel, Access>> = {
  err: "GUEST",
  warn: "IDENTIFIED_USER",
  info: "USER_ADMIN",
};

/** Returns the open notifications, newest first, with the clients that should show each. */
export function notifications(read: Reader): Notification[] {
  const known = uiDevices(read).flatMap((client) => {
    const user = read.get("user", client.user);
    return user === undefined ? [] : [{ client, user }];
  });
  return openOnes(read)
    .toSorted((a, b) => b.raisedAt - a.raisedAt)
    .map((open) => {
      const { category, id, level, raisedAt } = open;
      const clients = known
        .filter(({ client, user }) => concerns(open, user) && !hasSeen(client, raisedAt))
        .map(({ client }) => ({ user: client.user, uuid: client.client }));
      return { type: "NOTIFICATION", category, id, level, raisedAt, clients };
    });
}

function openOnes(read: Reader): Open[] {
  const alarms = [...read.all("alarm")].filter(([, { closed }]) => !closed);
  return [
    ...alarms.map(([id, { kind, hidden = false, timestamp }]): Open => {
      const { level } = alarmTexts(kind, {});
      return { category: "alarm", id, level, raisedAt: timestamp, userId: null, hidden };
    }),
    ...[...read.all("alert")].map(([id, { error, realtime_ms: raisedAt, userId }]): Open => {
      return { category: "alert", id, level: error ? "warn" : "info", raisedAt, userId, hidden: false };
    }),
  ];
}

function concerns({ level, userId, hidden }: Open, user: HubUser): boolean {
  if (user.revoked) return false;
  if (userId !== null) return userId === user.id;
  const { role } = user.user_info;
  return allows(disturbed[level], role) && !(hidden && (role & guestRoles) !== 0);
}

/** A polling client sees it in the poll; one that has left has seen what was raised before. */
function hasSeen({ session, seen }: UiDevice, raisedAt: number): boolean {
  return session || seen > raisedAt;
}
