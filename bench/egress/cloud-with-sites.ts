import { randomBytes, randomUUID } from "node:crypto";
import { type Cloud, CloudMail, openCloud } from "@ledge/cloud";
import type { EgressSettings } from "@ledge/cloud/egress";
import { createLogger } from "@ledge/host/logger";
import { systemClock } from "@ledge/kernel";
import { limits } from "@ledge/model";

type Command = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A cloud without a listener, in a folder. */
export interface BenchCloud {
  readonly cloud: Cloud;
  readonly mail: CloudMail;
  readonly logger: ReturnType<typeof createLogger>;
  /** Carries commands out, as many at once as a commit takes. @throws Error when one is refused */
  submit(commands: readonly Command[]): Promise<void>;
}

/** @param folder of data, created if it is missing */
export async function openBenchCloud(folder: string, issuer: string): Promise<BenchCloud> {
  const logger = createLogger("warn");
  const cloud = await openCloud({
    folder,
    issuer,
    clock: systemClock,
    newId: randomUUID,
    random: randomBytes,
    logger,
    onFatal: (error) => {
      throw error;
    },
    release: "bench",
  });
  return {
    cloud,
    logger,
    mail: new CloudMail({ send: async () => {} }, () => issuer, logger, systemClock),
    async submit(commands) {
      for (let at = 0; at < commands.length; at += limits.cascadeCommands) {
        const slice = commands.slice(at, at + limits.cascadeCommands);
        const outcome = await cloud.kernel.submit({ commands: slice, origin: "console" });
        if (!outcome.accepted) throw new Error(JSON.stringify(outcome.rejection));
      }
    },
  };
}

/** Commands that make a site of an account with an entity `a`. */
export function siteCommands(id: string, account: string): Command[] {
  const about = { displayName: "a", attributes: [], device: null };
  return [
    {
      type: "CREATE_SITE",
      id,
      place: { subscription: account, group: "homes", name: id },
      displayName: "Site",
      attributes: [],
      properties: { siteType: "other", timeZone: "UTC", features: [] },
      schema: {
        attributes: [{ name: "*" }],
        entities: [{ type: "*", attributes: [{ name: "*" }], parents: ["*"] }],
      },
    },
    { type: "CREATE_SITE_ENTITY", id, parent: "", entityType: "room", name: "a", ...about },
  ];
}

/** The command that makes a target. */
export function targetCommand(
  id: string,
  targetId: string,
  more: Pick<EgressSettings, "url"> & Partial<EgressSettings>,
): Command {
  const usual = { method: "POST", headers: {}, requestTimeoutSeconds: null } as const;
  const settings = {
    ...usual,
    fetchMaxEvents: limits.egressFetchUsual,
    fetchWaitMaxMs: limits.egressWaitUsualMs,
    ...more,
  };
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  return { type: "CREATE_EGRESS_TARGET", id, targetId, settings, isEnabled: true, secret };
}
