import type { Command } from "@ledge/model";
import { isReadOnly } from "@ledge/kernel";
import Type from "typebox";
import type { MachineAct } from "../ports.ts";
import { Refused } from "../refused.ts";
import { type Call, type Row, row } from "../row.ts";
import { submit } from "../submit.ts";

/** About the process and the machine that it runs on. */
export const machine = [
  row({
    method: "GET",
    path: "/hub/sync",
    summary: "Writes a snapshot now; what was answered is on disk without it",
    access: "USER_ADMIN",
    result: Type.Literal(true),
    handle({ hub: { kernel, log } }) {
      const { state, reason } = kernel.health;
      if (state !== "serving") return new Refused(507, `nothing can be written now: ${reason ?? state}`);
      kernel.sync().catch((error: unknown) => log("error", "no snapshot was written", { error }));
      return true as const;
    },
  }),
  actRow("restart", "Ends the hub's process and has it started again"),
  actRow("reboot", "Reboots the machine"),
  { ...actRow("shutdown", "Turns the machine off"), since: "1.14.15" },
];

function actRow(act: MachineAct, summary: string): Row {
  return row({
    method: "GET",
    path: `/hub/${act}`,
    summary,
    access: "USER_ADMIN",
    result: Type.Literal(true),
    async handle(call) {
      const { machine: here } = call.hub;
      const reason = here.refusal(act);
      if (reason !== undefined) return new Refused(422, reason);
      const refused = await noted(call, act);
      if (refused !== undefined) return refused;
      here.begin(act);
      return true as const;
    },
  });
}

/** Writes down who has asked, where that can be written: a start may be what a read-only hub needs. */
async function noted(call: Call, act: MachineAct): Promise<Refused | undefined> {
  try {
    const done = await submit(call, [{ type: "NOTE_STOP", id: call.hub.hubId, act } as Command]);
    return done instanceof Refused ? done : undefined;
  } catch (error) {
    if (isReadOnly(error)) return undefined;
    throw error;
  }
}
