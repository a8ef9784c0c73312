import type { Problem } from "@ledge/link";
import { limits } from "@ledge/model";
import { newSecret } from "../egress/signing.ts";
import type { EgressSettings, EgressTarget } from "../model/egress-state.ts";
import { keyOf, named } from "../model/resource-id.ts";
import type { AnyCommand } from "../model/submitting.ts";
import { pageFields, pageOf } from "./cursors.ts";
import {
  type EgressTargetChange,
  EgressTargetChange as Change,
  EgressTargetId,
  egressTargetObject,
  GraphEgressTarget,
  NewEgressTarget,
} from "./egress-object.ts";
import { Failed, invalidFields } from "./errors.ts";
import type { GraphParts } from "./parts.ts";
import { type GraphCall, row } from "./row.ts";
import { failureOf } from "./submitting.ts";

type Call = Pick<GraphCall<"site", unknown>, "caller" | "target" | "parts">;

/** Types about the egress targets of a site. */
export const egressRows = [
  row({
    type: "ListEgressTargetsSiteQuery",
    summary: "Lists the programs that get the events of a site",
    scope: "site",
    right: "A",
    fields: pageFields,
    result: pageOf(GraphEgressTarget),
    handle({ fields, target: { site }, parts: { cloud, cursors } }) {
      const items = Object.values(cloud.kernel.get("egress", site.id)?.targets ?? {});
      const placeOf = ({ id }: EgressTarget) => ({ value: keyOf(id), id });
      const page = cursors.page({ name: `egress ${site.id}`, items, placeOf }, fields);
      return page instanceof Failed ? page : { data: page.data.map(egressTargetObject), links: page.links };
    },
  }),
  row({
    type: "GetEgressTargetSiteQuery",
    summary: "Returns a program that gets the events of a site",
    scope: "site",
    right: "A",
    fields: { targetId: EgressTargetId },
    result: { target: GraphEgressTarget },
    handle: ({ fields: { targetId }, ...call }) => shown(targetId, call),
  }),
  row({
    type: "CreateEgressTargetSiteCommand",
    summary: "Sends the events of a site to a program from now on; the answer tells the signing secret once",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: { target: NewEgressTarget },
    result: { target: GraphEgressTarget },
    async handle({ fields: { target: said }, ...call }) {
      const settings = settingsIn(said, call.parts);
      if (settings instanceof Failed) return settings;
      const secret = newSecret(call.parts.random);
      const { id: targetId, isEnabled = true } = said;
      const command = { type: "CREATE_EGRESS_TARGET", targetId, settings, isEnabled, secret };
      return (await change(command, call)) ?? shown(targetId, call, secret);
    },
  }),
  row({
    type: "UpdateEgressTargetSiteCommand",
    summary: "Replaces a program that gets the events of a site; a header that is `***` keeps its value",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: { targetId: EgressTargetId, target: Change },
    result: { target: GraphEgressTarget },
    async handle({ fields: { targetId, target: said }, ...call }) {
      const { id = targetId, isEnabled = true } = said;
      if (keyOf(id) !== keyOf(targetId))
        return invalidFields([{ field: "target.id", message: "cannot change" }]);
      const settings = settingsIn(said, call.parts);
      if (settings instanceof Failed) return settings;
      const command = { type: "UPDATE_EGRESS_TARGET", targetId, settings, isEnabled };
      return (await change(command, call)) ?? shown(targetId, call);
    },
  }),
  row({
    type: "DeleteEgressTargetSiteCommand",
    summary: "Sends a program no more events of a site",
    scope: "site",
    right: "A",
    fields: { targetId: EgressTargetId },
    async handle({ fields: { targetId }, ...call }) {
      return (await change({ type: "DELETE_EGRESS_TARGET", targetId }, call)) ?? {};
    },
  }),
  row({
    type: "RotateEgressSecretSiteCommand",
    summary: "Makes a new signing secret and tells it once; the former one signs as well for a day",
    scope: "site",
    right: "A",
    addsToLog: true,
    fields: { targetId: EgressTargetId },
    result: { target: GraphEgressTarget },
    async handle({ fields: { targetId }, ...call }) {
      const secret = newSecret(call.parts.random);
      const refused = await change({ type: "ROTATE_EGRESS_SECRET", targetId, secret }, call);
      return refused ?? shown(targetId, call, secret);
    },
  }),
];

function change(command: AnyCommand, call: Call): Promise<Failed | undefined> {
  return failureOf(call, { ...command, id: call.target.site.id });
}

function shown(
  targetId: string,
  { target: { site }, parts }: Call,
  secret?: string,
): { target: ReturnType<typeof egressTargetObject> } | Failed {
  const found = named(parts.cloud.kernel.get("egress", site.id)?.targets ?? {}, targetId);
  if (found === undefined)
    return new Failed("E_NOT_FOUND", `there is no egress target ${targetId}`, { field: "targetId" });
  return { target: { ...egressTargetObject(found), ...(secret !== undefined && { secret }) } };
}

/** Returns the settings of a target, with defaults for what is left out, or why it cannot have them. */
function settingsIn(said: EgressTargetChange, { receivers }: GraphParts): EgressSettings | Failed {
  if ((said.serverScript ?? null) !== null)
    return new Failed(
      "E_NOT_SUPPORTED",
      "serverScript is not run here, and without it the target would get other data than it expects: leave it out",
      { field: "target.serverScript" },
    );
  const { url, method = "POST", headers = {}, requestTimeoutSeconds = null } = said;
  const { fetchMaxEvents = limits.egressFetchUsual, fetchWaitMaxMs = limits.egressWaitUsualMs } = said;
  const wrong: Problem[] = headerProblems(headers);
  const urlProblem = receivers.problemOf(url);
  if (urlProblem !== undefined) wrong.push({ field: "target.url", message: urlProblem });
  if (wrong.length > 0) return invalidFields(wrong);
  return { url, method, headers: { ...headers }, requestTimeoutSeconds, fetchMaxEvents, fetchWaitMaxMs };
}

/** Headers that say how a message is transferred (RFC 9110, 9112), and those that the cloud writes itself. */
const reserved =
  /^(?:connection|content-.*|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|webhook-.*)$/i;

function headerProblems(headers: EgressSettings["headers"]): Problem[] {
  const names = Object.keys(headers);
  const field = "target.headers";
  const problems: Problem[] = names
    .filter((name) => reserved.test(name))
    .map((name) => ({ field, message: `must not have ${name}: the cloud writes it` }));
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    problems.push({ field, message: "has a name twice" });
  return problems;
}
