import { ask, type CliCommand, CliError, exactlyOne, exitCodes, printAnswer } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import type { RegisterOverview, ShareOverview } from "../console/registers.ts";

const registersPath = "/console/registers";
const sharesPath = "/console/shares";

export const registers: CliCommand = {
  words: "registers",
  usage: "",
  summary: "Lists the device registers of tenants",
  async run(invocation) {
    const found = await ask<RegisterOverview[]>(invocation, "GET", registersPath);
    const rows = found.map((each) => [
      each.deviceRegisterId,
      each.displayName,
      each.tenantId,
      String(each.devices),
      String(each.gateways.length),
      each.resourceId,
    ]);
    const header = ["ID", "NAME", "TENANT", "DEVICES", "GATEWAYS", "RESOURCE"];
    return printAnswer(invocation, found, table(header, rows));
  },
};

export const registersShow: CliCommand = {
  words: "registers show",
  usage: "ID",
  summary: "Shows a device register of a tenant with the hubs that are its gateways",
  check: exactlyOne("which register?"),
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    const all = await ask<RegisterOverview[]>(invocation, "GET", registersPath);
    const one = all.find(({ deviceRegisterId }) => deviceRegisterId === id) ?? unknown(`no register ${id}`);
    const { deviceRegisterId, displayName, tenantId, resourceId, devices, gateways } = one;
    const lines = [
      ["id", deviceRegisterId],
      ["name", displayName],
      ["tenant", tenantId],
      ["resource", resourceId],
      ["devices", String(devices)],
      ["gateways", gateways.join(" ") || "-"],
    ];
    return printAnswer(invocation, one, table(["FIELD", "VALUE"], lines));
  },
};

export const share: CliCommand = {
  words: "share",
  usage: "",
  summary: "Lists what each hub shares with the platform, as its owner has decided",
  async run(invocation) {
    const found = await ask<ShareOverview[]>(invocation, "GET", sharesPath);
    return printAnswer(invocation, found, sharesTable(found));
  },
};

export const shareShow: CliCommand = {
  words: "share show",
  usage: "ID",
  summary: "Shows what a hub shares, and the registers of tenants that show it",
  check: exactlyOne("which hub?"),
  async run(invocation) {
    const [id = ""] = invocation.positionals;
    const all = await ask<ShareOverview[]>(invocation, "GET", sharesPath);
    const one = all.find(({ hubId }) => hubId === id) ?? unknown(`no hub ${id}`);
    return printAnswer(invocation, one, sharesTable([one]));
  },
};

function sharesTable(found: readonly ShareOverview[]): readonly string[] {
  const rows = found.map((each) => [
    each.hubId,
    each.name,
    each.share ?? "?",
    each.registers.join(" ") || "-",
  ]);
  return table(["ID", "NAME", "SHARES", "REGISTERS"], rows);
}

function unknown(message: string): never {
  throw new CliError(exitCodes.refused, message);
}
