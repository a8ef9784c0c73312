import { GraphHub, hubObject } from "./hub-object.ts";
import {
  GraphUser,
  invitationFields,
  invite,
  revoke,
  roleFields,
  setRole,
  userFields,
  userOf,
  usersOf,
} from "./hub-users.ts";
import Type from "typebox";
import { Failed } from "./errors.ts";
import { GraphOperation } from "./operation-object.ts";
import { beginRestart } from "./restart.ts";
import { row, type Row } from "./row.ts";
import { RegisterId } from "./register-id.ts";
import { failureOf } from "./submitting.ts";
import { beginSync } from "./sync.ts";

/** Types about one hub that the cloud answers itself. */
export const hubRows = [
  row({
    type: "GetHubQuery",
    summary: "Returns a hub",
    scope: "hub",
    right: "R",
    result: { hub: GraphHub },
    handle: async ({ target, parts }) => ({ hub: await hubObject(target, parts) }),
  }),
  row({
    type: "ListUsersHubQuery",
    summary: "Lists the users of a hub; who may not administer it gets only themselves",
    scope: "hub",
    right: "R",
    result: { users: Type.Array(GraphUser) },
    handle: usersOf,
  }),
  row({
    type: "GetUserHubQuery",
    summary: "Returns a user of a hub: any for who may administer it, else oneself",
    scope: "hub",
    right: "R",
    fields: userFields,
    result: { user: GraphUser },
    handle: (call) => userOf(call.fields.userId, call),
  }),
  row({
    type: "InviteUserHubCommand",
    summary: "Invites an address to a hub by mail, or lets a client in at once",
    scope: "hub",
    right: "A",
    addsToLog: true,
    fields: invitationFields,
    handle: (call) => invite(call.fields, call),
  }),
  row({
    type: "SetUserRoleHubCommand",
    summary: "Changes the role of a user of a hub, or of an invitation",
    scope: "hub",
    right: "A",
    addsToLog: true,
    fields: roleFields,
    handle: (call) => setRole(call.fields, call),
  }),
  row({
    type: "RevokeUserHubCommand",
    summary: "Revokes a user's access to a hub, or withdraws an invitation; oneself may leave",
    scope: "hub",
    right: "R",
    fields: userFields,
    handle: (call) => revoke(call.fields.userId, call),
  }),
  restartRow(
    "RestartHubCommand",
    "Restarts a hub's process; the operation is done when the hub answers anew",
  ),
  restartRow("RebootHubCommand", "Reboots a hub's machine; the operation is done when the hub answers anew"),
  row({
    type: "SyncHubCommand",
    summary: "Makes a hub tell its home anew; the operation is done when the register has all of it",
    scope: "hub",
    right: "A",
    result: { operation: GraphOperation },
    handle: beginSync,
  }),
  row({
    type: "LeaveDeviceRegisterHubCommand",
    summary: "Takes a hub back from a register of a tenant in which it is a gateway",
    scope: "hub",
    right: "O",
    fields: { deviceRegisterId: RegisterId },
    async handle(call) {
      const { deviceRegisterId: id } = call.fields;
      const { hubId } = call.target;
      // Of a register in which the hub is not, its owner learns nothing.
      if ((await failureOf(call, { type: "REMOVE_GATEWAY", id, hubId })) !== undefined)
        return new Failed("E_NOT_FOUND", "the hub is not in this register", { field: "deviceRegisterId" });
      await call.parts.leaving.done(id);
      return {};
    },
  }),
];

function restartRow(type: `${string}HubCommand`, summary: string): Row {
  return row({
    type,
    summary,
    scope: "hub",
    right: "A",
    result: { operation: GraphOperation },
    handle: (call) => beginRestart(type, { hubId: call.target.hubId }, call),
  });
}
