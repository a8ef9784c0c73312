import {
  ask,
  type CliCommand,
  CliError,
  exitCodes,
  type Invocation,
  printAnswer,
} from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { SiteOverview, TenantOverview } from "../console/tenants.ts";

export const tenants: CliCommand = {
  words: "tenants",
  usage: "",
  summary: "Lists the tenants, and of the personal ones those in which something stands",
  async run(invocation) {
    const found = await ask<TenantOverview[]>(invocation, "GET", "/console/tenants");
    const rows = found.map(({ id, displayName, personal, owners, roles, subscriptions }) => [
      id,
      displayName,
      personal ? "yes" : "no",
      owners.join(" "),
      String(roles),
      String(subscriptions),
    ]);
    const header = ["ID", "NAME", "PERSONAL", "OWNERS", "ROLES", "SUBSCRIPTIONS"];
    return printAnswer(invocation, found, table(header, rows));
  },
};

export const tenantsCreate: CliCommand = {
  words: "tenants create",
  usage: "NAME --owner ID|EMAIL",
  summary: "Creates a tenant for several people, with its first owner",
  options: { owner: { type: "string", help: "the account that owns it and gives roles to others" } },
  check: (asked) => void newTenant(asked),
  async run(invocation) {
    const made = await ask<{ id: string; owner: string }>(
      invocation,
      "POST",
      "/console/tenants/create",
      newTenant(invocation),
    );
    return printAnswer(invocation, made, `${made.id} is created, and ${made.owner} owns it`);
  },
};

export const sites: CliCommand = {
  words: "sites",
  usage: "",
  summary: "Lists the sites",
  async run(invocation) {
    const found = await ask<SiteOverview[]>(invocation, "GET", "/console/sites");
    const rows = found.map(({ siteId, displayName, tenantId, resourceId, entities }) => [
      siteId,
      displayName,
      tenantId,
      String(entities),
      resourceId,
    ]);
    const header = ["ID", "NAME", "TENANT", "ENTITIES", "RESOURCE"];
    return printAnswer(invocation, found, table(header, rows));
  },
};

function newTenant({ positionals, options: { owner } }: Pick<Invocation, "positionals" | "options">): {
  displayName: string;
  owner: string;
} {
  const [displayName, ...more] = positionals;
  if (displayName === undefined || more.length > 0) throw new CliError(exitCodes.usage, "which name?");
  if (typeof owner !== "string") throw new CliError(exitCodes.usage, "who owns it? --owner ID|EMAIL");
  return { displayName, owner };
}
