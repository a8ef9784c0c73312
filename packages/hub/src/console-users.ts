import type { Row } from "@ledge/api";
import { Refused, row } from "@ledge/api";
import Type from "typebox";
import type { ConsoleHost } from "./console.ts";

/** Rows for the `ledge` command about who may do what on the hub. */
export function userRows(host: Pick<ConsoleHost, "claim">): readonly Row[] {
  return [claimOpenRow(host)];
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
