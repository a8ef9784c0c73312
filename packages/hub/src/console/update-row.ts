import { existsSync } from "node:fs";
import { HubUpdate, Refused, type Row, row } from "@ledge/api";
import { limits } from "@ledge/model";
import Type from "typebox";
import type { ConsoleHost } from "./console-host.ts";

/** Installs a bundle that is a file of this machine. */
export function updateRow({ updates }: Pick<ConsoleHost, "updates">): Row {
  return row({
    method: "POST",
    path: "/console/update",
    access: "SUPER_ADMIN",
    summary: "Installs a bundle; the machine reboots",
    body: Type.Object({ file: Type.String({ minLength: 1, maxLength: limits.pathChars }) }),
    result: HubUpdate,
    handle: async ({ body: { file } }) => {
      if (updates === undefined) return new Refused(422, "this machine has no updates of its own");
      if (!existsSync(file)) return new Refused(422, `there is no file ${file}`);
      return (await updates.begin("INSTALL", file)) ?? updates.status();
    },
  });
}
