import { type ActivationProblem, readActivationCode } from "@ledge/link";
import { type Command, limits } from "@ledge/model";
import Type from "typebox";
import { nowForExpiry } from "../expiry.ts";
import { invalid } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor } from "../submit.ts";

const problemMessages: Readonly<Record<ActivationProblem, string>> = {
  malformed: "this is no activation code",
  signature: "the activation code is not genuine",
  hub: "the activation code is for another hub",
  expired: "the activation code has expired",
};

export const activateFeature = row({
  method: "POST",
  path: "/hub/activatefeature",
  summary: "Turns on the features that an activation code names",
  access: "USER_ADMIN",
  query: Type.Object({ code: Type.String({ minLength: 1, maxLength: limits.activationCodeChars }) }),
  result: Type.Literal(true),
  handle(call) {
    const { hubId: id } = call.hub;
    const judge = { keys: call.hub.issuerKeys(), hubId: id, now: nowForExpiry(call.hub) };
    const read = readActivationCode(call.query.code, judge);
    if (typeof read === "string") return invalid([{ field: "code", message: problemMessages[read] }]);
    return submitFor(call, [{ type: "ACTIVATE_FEATURES", id, ...read } as Command], true as const);
  },
});
