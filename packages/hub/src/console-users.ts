import type { Row } from "@ledge/api";
import { Refused, row } from "@ledge/api";
import Type from "typebox";
import type { ConsoleHost } from "./console.ts";

/** Rows for the `ledge` command about who may do what on the hub. */
export function userRows(host: Pick<ConsoleHost, "claim" | "issuer">): readonly Row[] {
  return [claimOpenRow(host), featureCodeRow(host)];
}

function claimOpenRow({ claim }: Pick<ConsoleHost, "claim">): Row {
  return row({
    method: "POST",
    path: "/console/claim/open",
    access: "SUPER_ADMIN",
    summary: "Lets the hub be claimed for a while",
    result: Type.Literal(true),
    handle({ hub }) {
      if (hub.kernel.get("hub", hub.hubId)?.state === "claimed")
        return new Refused(409, "this hub is claimed already");
      claim.open();
      return true as const;
    },
  });
}

function featureCodeRow({ issuer }: Pick<ConsoleHost, "issuer">): Row {
  return row({
    method: "POST",
    path: "/console/feature-code",
    access: "SUPER_ADMIN",
    summary: "Issues an activation code for features of this hub",
    body: Type.Object({
      features: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { maxItems: 100 }),
    }),
    result: Type.Object({ code: Type.String() }),
    handle({ hub, body: { features } }) {
      if (issuer === undefined) return new Refused(403, "this profile has no issuer of its own");
      return { code: issuer.activationCode(hub.hubId, features, hub.clock.wall()) };
    },
  });
}
