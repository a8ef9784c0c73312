import type { Row } from "@ledge/api";
import { Refused, row } from "@ledge/api";
import type { IssuerKey } from "@ledge/link";
import { generateIssuerKey } from "@ledge/link";
import { alarmId } from "@ledge/model";
import Type from "typebox";
import type { ConsoleHost } from "./console-host.ts";
import { parseIdentity } from "../secrets/identity-key.ts";

/** The endpoint that restores the identity key of a backup, or makes a new one. */
export function identityRow({ identity }: Pick<ConsoleHost, "identity">): Row {
  return row({
    method: "POST",
    path: "/console/identity",
    access: "SUPER_ADMIN",
    summary: "Puts the hub's identity key back, or makes a new one when there is no key in the body",
    body: Type.Object({ key: Type.Optional(Type.String()) }),
    result: Type.Object({ fingerprint: Type.String() }),
    async handle({ hub, body: { key: text } }) {
      const { kernel, hubId, clock } = hub;
      const known = kernel.get("hub", hubId)?.keys.identity ?? null;
      const key = await keyOf(text, known);
      if (typeof key === "string") return new Refused(422, key);
      identity.replace(key, clock.wall());
      const commands = [{ type: "ADOPT_KEY", id: hubId, use: "identity", fingerprint: key.kid }] as const;
      await kernel.submit({ commands, origin: "console" });
      const close = { type: "CLOSE_ALARM", id: alarmId("IDENTITY_LOST", hubId) } as const;
      if (kernel.get("alarm", close.id)?.closed === false)
        await kernel.submit({ commands: [close], origin: "console" });
      return { fingerprint: key.kid };
    },
  });
}

/** The endpoint that makes this hub the newest of all hubs with its identity. */
export function generationRow({ link }: Pick<ConsoleHost, "link">): Row {
  return row({
    method: "POST",
    path: "/console/generation",
    access: "SUPER_ADMIN",
    summary: "Makes this hub the newest of those with its identity, to which its cloud keeps",
    result: Type.Object({ generation: Type.Integer() }),
    async handle({ hub: { kernel, hubId } }) {
      const open = { type: "OPEN_GENERATION", id: hubId, above: link?.clones.newest ?? 0 } as const;
      await kernel.submit({ commands: [open], origin: "console" });
      return { generation: kernel.get("hub", hubId)?.generation ?? 0 };
    },
  });
}

/** Returns the key in a text, or a new key without a text, or the reason why the key is not this hub's. */
async function keyOf(text: string | undefined, known: string | null): Promise<IssuerKey | string> {
  if (text === undefined) return generateIssuerKey();
  const key = parseIdentity(text);
  if (key === undefined) return "this is no identity key";
  return known === null || key.kid === known ? key : "this is not this hub's identity key";
}
