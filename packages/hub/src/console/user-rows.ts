import type { HubPorts, Row } from "@ledge/api";
import { nowForExpiry, Refused, row } from "@ledge/api";
import type { Command } from "@ledge/model";
import { Email } from "@ledge/model";
import Type from "typebox";
import type { ConsoleHost } from "./console-host.ts";

/** Endpoints for the `ledge` command about users and their keys. */
export function userRows(host: Pick<ConsoleHost, "claim" | "identity">): readonly Row[] {
  return [claimOpenRow(host), transferRow, recoverRow(host)];
}

function claimOpenRow({ claim }: Pick<ConsoleHost, "claim">): Row {
  return row({
    method: "POST",
    path: "/console/claim/open",
    access: "SUPER_ADMIN",
    summary: "Lets the hub be claimed for a while",
    result: Type.Object({ code: Type.String() }),
    handle({ hub }) {
      if (hub.kernel.get("hub", hub.hubId)?.state === "claimed")
        return new Refused(422, "this hub is claimed already");
      claim.open();
      return { code: claim.code };
    },
  });
}

/** Runs a command of the console. Returns the refusal; undefined when it is done. */
async function refusalOf(
  { kernel }: Pick<HubPorts, "kernel">,
  command: Command & Record<string, unknown>,
): Promise<Refused | undefined> {
  const outcome = await kernel.submit({ commands: [command], origin: "console" });
  return outcome.accepted ? undefined : new Refused(422, outcome.rejection.message);
}

const transferRow: Row = row({
  method: "POST",
  path: "/console/owner",
  access: "SUPER_ADMIN",
  summary: "Makes somebody else the owner; who was it is an admin from then on",
  query: Type.Object({ email: Email }),
  result: Type.Literal(true),
  handle: async ({ hub, query: { email } }) =>
    (await refusalOf(hub, { type: "TRANSFER_OWNERSHIP", id: hub.hubId, email })) ?? (true as const),
});

function recoverRow({ identity }: Pick<ConsoleHost, "identity">): Row {
  return row({
    method: "POST",
    path: "/console/recover",
    access: "SUPER_ADMIN",
    summary: "Signs a key of the owner's with the hub's own identity, and tells all users",
    body: Type.Object({ email: Type.Optional(Email) }),
    result: Type.Object({ key: Type.String() }),
    async handle({ hub, body: { email } }) {
      const { kernel, hubId } = hub;
      const { problem } = identity;
      if (problem !== undefined)
        return new Refused(422, `the hub has no key to sign with: ${problem}; see "ledge identity --help"`);
      if (email !== undefined) {
        const unclaimed = await refusalOf(hub, { type: "CLAIM_HUB", id: hubId, email });
        if (unclaimed !== undefined) return unclaimed;
      }
      // The event comes first, so that no key exists without a record of it.
      const refused = await refusalOf(hub, { type: "NOTE_KEY_RECOVERED", id: hubId });
      if (refused !== undefined) return refused;
      const state = kernel.get("hub", hubId);
      const owner = kernel.get("user", state?.owner ?? "");
      if (state === undefined || owner === undefined) return new Refused(422, "this hub has no owner");
      return { key: await identity.sign(state, owner, nowForExpiry(hub)) };
    },
  });
}
