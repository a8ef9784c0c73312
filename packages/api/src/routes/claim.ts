import { type Command, Email } from "@ledge/model";
import Type from "typebox";
import { hubOf } from "../call.ts";
import type { HubPorts } from "../ports.ts";
import { refusedToPages } from "../origin.ts";
import { forbidden, type Refused } from "../refused.ts";
import { type Call, row } from "../row.ts";
import { submitFor } from "../submit.ts";

/** The hub gets its owner (hub-api 3): whoever comes first while it has none, on the local network, says the cloud. */
export const claim = row({
  method: "POST",
  path: "/hub/claim",
  summary: "Makes the holder of an email address the owner of a hub that has none",
  access: "ANONYMOUS",
  remote: "refused",
  query: Type.Object({ email: Email }),
  result: Type.Literal(true),
  handle(call) {
    const refusal = refusedToPages(call, "claim this hub") ?? closedWindow(call.hub, call.listener);
    if (refusal !== undefined) return refusal;
    const { hub, query, listener } = call;
    const make = (userId?: string) => {
      const command = { type: "CLAIM_HUB", id: hub.hubId, email: query.email, userId };
      return submitFor(call, [command as Command], true as const);
    };
    // Whoever is claimed already says so; who reaches the console needs nobody to vouch for them.
    const isSettled = hubOf(hub).state === "claimed" || listener === "console";
    return isSettled ? make() : hub.claim.establish(query.email, make);
  },
});

/** A hub that has its owner says so, whatever the window. Who reaches the console opens the window anyway. */
function closedWindow(hub: HubPorts, listener: Call["listener"]): Refused | undefined {
  if (listener === "console" || hubOf(hub).state === "claimed") return undefined;
  const closed = hub.claim.closed();
  return closed === undefined ? undefined : forbidden(closed);
}
