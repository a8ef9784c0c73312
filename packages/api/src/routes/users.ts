import { CmdUser, CmdUserProfile, HubUser, Id, type Command } from "@ledge/model";
import Type from "typebox";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor, submitForObjects } from "../submit.ts";

export const users = [
  row({
    method: "PUT",
    path: "/hub/users",
    summary: "Changes the roles of users, revokes and reinstates them",
    access: "OWNER_ADMIN",
    body: CmdUser,
    list: true,
    result: Type.Array(HubUser),
    handle: (call) => submitForObjects<Type.Static<typeof HubUser>>(call, call.body, "user"),
  }),
  row({
    method: "DELETE",
    path: "/hub/users",
    summary:
      "Revokes a user for good and forgets who it was: what the log has of that cannot be read any more",
    access: "OWNER_ADMIN",
    query: Type.Object({ userId: Id }),
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "FORGET_USER", id: call.query.userId } as Command], true as const),
  }),
  row({
    method: "PUT",
    path: "/hub/users/profile",
    summary: "The caller's own nickname and phone number",
    access: "GUEST",
    body: CmdUserProfile,
    result: Type.Literal(true),
    handle(call) {
      const { user: id } = call.caller;
      if (id === null) return notFound("the console has no profile");
      return submitFor(call, [{ ...call.body, type: "CMD_USER_PROFILE", id } as Command], true as const);
    },
  }),
];
