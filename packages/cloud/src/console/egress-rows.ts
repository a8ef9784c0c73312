import { Refused } from "@ledge/link";
import { limits } from "@ledge/model";
import Type from "typebox";
import { type Row, row } from "../http/row.ts";
import { named } from "../model/resource-id.ts";
import { refusalOf } from "../model/submitting.ts";
import { deadLettersOf, targetsOf } from "./egress.ts";

const siteId = Type.String({ minLength: 1, maxLength: limits.registerIdMaxChars });
const Target = Type.Object({
  siteId,
  targetId: Type.String({ minLength: 1, maxLength: limits.egressTargetIdMaxChars }),
});

/** What the console answers about the egress of sites. */
export const egressRows: readonly Row[] = [
  row({
    method: "GET",
    path: "/console/egress",
    who: "anyone",
    fields: Type.Object({ siteId: Type.Optional(siteId) }),
    handle: ({ cloud, fields }) => targetsOf(cloud, fields.siteId),
  }),
  row({
    method: "GET",
    path: "/console/egress/dead-letters",
    who: "anyone",
    fields: Target,
    handle({ cloud, fields }) {
      const target = named(cloud.kernel.get("egress", fields.siteId)?.targets ?? {}, fields.targetId);
      return target === undefined ? noTarget(fields) : deadLettersOf(target);
    },
  }),
  row({
    method: "POST",
    path: "/console/egress/replay",
    who: "anyone",
    from: "json",
    fields: Type.Object({
      ...Target.properties,
      batchId: Type.Optional(Type.String({ minLength: 1, maxLength: limits.idChars })),
    }),
    async handle({ cloud: { kernel }, fields: { siteId: id, targetId, batchId } }) {
      const which = batchId === undefined ? {} : { batchId };
      const refused = await refusalOf(kernel, "console", { type: "REPLAY_EGRESS", id, targetId, ...which });
      if (refused !== undefined) return refused;
      const target = named(kernel.get("egress", id)?.targets ?? {}, targetId);
      return { waiting: target?.deadLetters.filter(({ isReplayed }) => isReplayed).length ?? 0 };
    },
  }),
];

function noTarget({
  siteId: site,
  targetId,
}: {
  readonly siteId: string;
  readonly targetId: string;
}): Refused {
  return new Refused(404, `no egress target ${targetId} in site ${site}`);
}
