import {
  allows,
  CmdMessageTarget,
  Id,
  MessageTarget,
  type MessageTargetCommand,
  type SendToTargets,
  type Target,
} from "@ledge/model";
import Type from "typebox";
import { hubOf } from "../call.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submit, submitFor } from "../submit.ts";

type Shown = Type.Static<typeof MessageTarget>;

/** Servers that bring messages to phones: the hub API knows none, so they are added. */
export const messageTargets = [
  row({
    method: "GET",
    path: "/hub/messagetargets",
    summary: "The servers to which messages for users go, by id",
    access: "USER_ADMIN",
    feature: "PN_MESSAGING",
    result: Type.Record(Type.String(), MessageTarget),
    handle: ({ hub: { kernel } }) =>
      Object.fromEntries([...kernel.all("messageTarget")].map(([id, target]) => [id, shown(target)])),
  }),
  row({
    method: "PUT",
    path: "/hub/messagetargets",
    summary:
      "Sets servers to which messages for users go; the owner alone names one of the home's own network",
    access: "USER_ADMIN",
    feature: "PN_MESSAGING",
    body: CmdMessageTarget,
    list: true,
    result: Type.Array(MessageTarget),
    async handle(call) {
      const { caller, hub, body } = call;
      const local = allows("OWNER_ADMIN", caller.role);
      const mine = caller.user === null ? {} : { user: caller.user };
      const commands = body.map((wanted): MessageTargetCommand => {
        const whose = wanted.id === undefined ? mine : {};
        return { ...whose, ...wanted, type: "SET_MESSAGE_TARGET", local };
      });
      const done = await submit(call, commands);
      if (done instanceof Refused) return done;
      return done.flatMap((result) => {
        const id = result.rejection === undefined ? result.id : undefined;
        const target = hub.kernel.get("messageTarget", id ?? "");
        return target === undefined ? [] : [shown(target)];
      });
    },
  }),
  row({
    method: "DELETE",
    path: "/hub/messagetargets",
    summary: "Removes a server to which messages go",
    access: "USER_ADMIN",
    feature: "PN_MESSAGING",
    query: Type.Object({ targetId: Id }),
    result: Type.Literal(true),
    handle(call) {
      const command: MessageTargetCommand = { type: "REMOVE_MESSAGE_TARGET", id: call.query.targetId };
      return submitFor(call, [command], true as const);
    },
  }),
  row({
    method: "POST",
    path: "/hub/messagetargets/test",
    summary: "Sends a test message to a server",
    access: "USER_ADMIN",
    feature: "PN_MESSAGING",
    query: Type.Object({ targetId: Id }),
    result: Type.Literal(true),
    handle(call) {
      const { targetId } = call.query;
      const { id: sourceId, name } = hubOf(call.hub);
      const text = { id: "TARGET_TEST", parameters: { name } };
      const command: SendToTargets = {
        type: "SEND_TO_TARGETS",
        targets: [targetId],
        level: "info",
        text,
        sourceId,
      };
      return submitFor(call, [command], true as const);
    },
  }),
];

/** Returns a target as clients see it, without its token. */
function shown({ id, user, kind, name, url, topic, token, alarms, local, timestamp }: Target): Shown {
  const hasToken = token !== null;
  return { type: "MESSAGE_TARGET", id, user, kind, name, url, topic, hasToken, alarms, local, timestamp };
}
