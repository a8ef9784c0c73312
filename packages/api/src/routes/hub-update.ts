import type { Command } from "@ledge/model";
import Type from "typebox";
import { HubUpdate } from "../hub-update.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submit } from "../submit.ts";

/** Updates of the machine that the hub runs on. */
export const hubUpdate = [
  row({
    method: "GET",
    path: "/hub/update",
    summary: "How far the hub's own update is, and which release it can go back to",
    access: "USER_ADMIN",
    result: HubUpdate,
    handle: ({ hub: { updates } }) => updates.status(),
  }),
  row({
    method: "POST",
    path: "/hub/update",
    summary: "Looks for a newer release, installs it, or goes back to the previous one; the machine reboots",
    access: "OWNER_ADMIN",
    body: Type.Object({ action: Type.Enum(["CHECK", "INSTALL", "ROLL_BACK"]) }),
    result: HubUpdate,
    async handle(call) {
      const { action } = call.body;
      const { updates, hubId } = call.hub;
      if (action === "CHECK") return (await updates.check()) ?? updates.status();
      const problem = updates.problem(action);
      if (problem !== undefined) return new Refused(422, problem);
      const act = action === "INSTALL" ? "update" : "rollback";
      const noted = await submit(call, [{ type: "NOTE_STOP", id: hubId, act } as Command]);
      if (noted instanceof Refused) return noted;
      return (await updates.begin(action)) ?? updates.status();
    },
  }),
];
