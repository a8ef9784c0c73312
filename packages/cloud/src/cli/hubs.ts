import {
  ask,
  type CliCommand,
  CliError,
  exactlyOne,
  exitCodes,
  type Invocation,
  printAnswer,
} from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import { featureName, features } from "@ledge/model";
import type { HubOverview } from "../console/operation.ts";

type Listed = HubOverview & { readonly connected: boolean | null };

export const hubs: CliCommand = {
  words: "hubs",
  usage: "",
  summary: "Lists the registered hubs",
  async run(invocation) {
    const found = await ask<Listed[]>(invocation, "GET", "/console/hubs");
    const rows = found.map((hub) => [
      hub.hubId,
      hub.name ?? "-",
      hub.version,
      hub.connected === null ? "?" : hub.connected ? "yes" : "no",
      hub.clone === null ? "no" : `${hub.clone.kind} since ${new Date(hub.clone.since).toISOString()}`,
      String(hub.users),
      String(hub.invitations),
      `${hub.seqSeen} of ${hub.seq}`,
      new Date(hub.seen).toISOString(),
    ]);
    const header = ["ID", "NAME", "VERSION", "CONNECTED", "TWICE", "USERS", "INVITED", "LIST", "SEEN"];
    return printAnswer(invocation, found, table(header, rows));
  },
};

export const hubsRelease: CliCommand = {
  words: "hubs release",
  usage: "ID",
  summary: "Revokes everybody's access to a hub, so that it can be claimed again",
  check: exactlyOne("which hub?"),
  run: (invocation) => told(invocation, "/console/hubs/release", "is released"),
};

export const hubsRemove: CliCommand = {
  words: "hubs remove",
  usage: "ID",
  summary: "Removes a released hub, so that its id is free for another key",
  check: exactlyOne("which hub?"),
  run: (invocation) => told(invocation, "/console/hubs/remove", "is removed"),
};

export const featureCode: CliCommand = {
  words: "feature-code",
  usage: "--hub ID --feature FEATURE...",
  summary: "Prints an activation code for features of one hub, by name or number",
  options: {
    hub: { type: "string", help: "the hub for the code" },
    feature: { type: "string", multiple: true, help: "a feature; can be repeated" },
  },
  check: ({ options }) => void askedFeatures(options),
  async run(invocation) {
    const asked = askedFeatures(invocation.options);
    const found = await ask<{ code: string }>(invocation, "POST", "/console/feature-code", asked);
    return printAnswer(invocation, found, found.code);
  },
};

function askedFeatures({ hub, feature }: Invocation["options"]): { hubId: string; features: number[] } {
  if (typeof hub !== "string") throw new CliError(exitCodes.usage, "which hub? --hub ID");
  if (!Array.isArray(feature) || feature.length === 0)
    throw new CliError(exitCodes.usage, "which features? --feature FEATURE");
  return { hubId: hub, features: (feature as string[]).map(featureCodeOf) };
}

async function told(invocation: Invocation, path: string, done: string): Promise<number> {
  const hubId = invocation.positionals[0] ?? "";
  await ask(invocation, "POST", path, { hubId });
  return printAnswer(invocation, true, `${hubId} ${done}`);
}

/**
 * Returns the code (hub-api 2.1) of a feature by its name or number.
 * @throws CliError
 */
function featureCodeOf(text: string): number {
  const code = /^\d{1,3}$/.test(text)
    ? Number(text)
    : Object.entries(features).find(([name]) => name === text)?.[1];
  if (code === undefined || featureName(code) === undefined)
    throw new CliError(exitCodes.usage, `no feature ${text}: one of ${Object.keys(features).join(", ")}`);
  return code;
}
