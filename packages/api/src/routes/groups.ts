import {
  CmdDevice,
  CmdGroup,
  CmdGroupOff,
  CmdGroupOn,
  type Command,
  Group,
  guestRoles,
  Id,
} from "@ledge/model";
import Type from "typebox";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submit, submitFor, submitSwitching, unreadable } from "../submit.ts";

export const groups = [
  row({
    method: "GET",
    path: "/groups",
    summary: "Groups by id",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    result: Type.Record(Type.String(), Group),
    handle: ({ caller, language, hub: { kernel } }) => kernel.dictionary("group", caller, language),
  }),
  row({
    method: "PUT",
    path: "/groups",
    summary: "Creates and changes groups",
    access: "IDENTIFIED_USER",
    body: CmdGroup,
    list: true,
    result: Type.Array(Group),
    async handle(call) {
      const done = await submit(call, call.body);
      if (done instanceof Refused) return done;
      const { kernel } = call.hub;
      return done.flatMap((result) => {
        const id = "id" in result ? result.id : undefined;
        const shown = id === undefined ? undefined : kernel.render("group", id, call.caller, call.language);
        if (shown === undefined) return [];
        // Here alone a group is without the state of its members (hub-api 2.6).
        const { state: _, ...group } = shown as Group & { state?: unknown };
        return [group];
      });
    },
  }),
  row({
    method: "PUT",
    path: "/groups/command",
    summary: "Commands all members of groups",
    access: "GUEST",
    remote: "IDENTIFIED_USER",
    switches: true,
    body: Type.Union([CmdDevice, CmdGroupOn, CmdGroupOff]),
    list: true,
    result: Type.Array(Type.Literal(true)),
    handle(call) {
      const byGuest = (call.caller.role & guestRoles) !== 0;
      const commands = call.body.map((command) => ({
        ...(command.type === "CMD_DEVICE" ? forGroup(command) : command),
        byGuest,
      }));
      const missing = unreadable(
        call,
        "group",
        call.body.map(({ id }) => id),
      );
      return (
        missing ??
        submitSwitching(
          call,
          commands,
          call.body.map(() => true as const),
        )
      );
    },
  }),
  row({
    method: "DELETE",
    path: "/groups",
    summary: "Removes a group",
    access: "IDENTIFIED_USER",
    query: Type.Object({ groupId: Id }),
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "REMOVE_GROUP", id: call.query.groupId } as Command], true as const),
  }),
];

/** CMD_DEVICE on this path carries a group's id (hub-api 4.3). */
function forGroup({ id, state, payload }: Type.Static<typeof CmdDevice>): Command {
  return { type: "SET_GROUP_STATE", id, state: state ?? payload ?? {} } as Command;
}
