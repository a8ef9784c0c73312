import { Id, limits, Name, unchangedIfNull } from "@ledge/model";
import Type from "typebox";
import { decidedAccess } from "../access.ts";
import { askerOf } from "../past.ts";
import { invalid, Refused } from "../refused.ts";
import { row } from "../row.ts";
import { RuleProposal } from "../rule-proposal.ts";

const Wanted = Type.Object({
  devices: Type.Optional(Type.Array(Id, { maxItems: limits.ruleFieldValues })),
  room: unchangedIfNull(Id),
  max: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.proposals })),
  configType: unchangedIfNull(Name),
});

export const proposals = row({
  method: "POST",
  path: "/rules/proposals",
  summary: "Rules that might be made of devices, the best first, with reasons in the reader's language",
  ...decidedAccess["POST /rules/proposals"],
  body: Wanted,
  result: Type.Array(RuleProposal),
  async handle(call) {
    const { body, caller, language, hub, signal } = call;
    const { devices = [], room = null, max = limits.proposalsUsual, configType = null } = body;
    const { kernel } = hub;
    const device = devices.find((id) => !kernel.readable("device", id, caller));
    if (device !== undefined) return absent("devices", `no device ${device}`);
    if (room !== null && !kernel.readable("room", room, caller)) return absent("room", `no room ${room}`);
    const isKnown = hub.ruleTemplates(language).some((template) => template.configType === configType);
    if (configType !== null && !isKnown)
      return invalid([{ field: "configType", message: `there is no template ${configType}` }]);
    return [...(await hub.proposeRules({ devices, room, max, configType }, askerOf(call), signal))];
  },
});

function absent(field: string, message: string): Refused {
  return new Refused(404, message, [{ field, message }]);
}
