import type { Device } from "@ledge/model";
import type { CliCommand } from "@ledge/host/cli/command";
import { apiPrefix } from "../version.ts";
import { ask, exitCodes } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";

const quiet: ReadonlySet<string> = new Set(["type", "reachable", "lastSeen"]);

export const devices: CliCommand = {
  words: "devices",
  usage: "",
  summary: "The devices and what they read",
  async run(invocation) {
    const found = await ask<Record<string, Device>>(invocation, "GET", `${apiPrefix}/devices`);
    if (invocation.json) {
      invocation.print(JSON.stringify(found));
      return exitCodes.done;
    }
    const rows = Object.values(found).map(({ id, type, name, state }) => {
      const values = Object.entries(state).filter(
        ([key, value]) => !quiet.has(key) && value !== null && value !== -1,
      );
      const text = values.map(
        ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      );
      return [id, type, name, state["reachable"] === true ? "yes" : "no", text.join(" ")];
    });
    invocation.print(table(["id", "class", "name", "reachable", "state"], rows));
    return exitCodes.done;
  },
};
