import type { PortedStick } from "@ledge/api";
import { apiPrefix } from "../version.ts";
import type { CliCommand } from "@ledge/host/cli/command";
import { ask, exitCodes } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";

export const radios: CliCommand = {
  words: "radios",
  usage: "",
  summary: "Serial ports, what is at each, and what it is used for",
  async run(invocation) {
    const found = await ask<PortedStick[]>(invocation, "GET", `${apiPrefix}/hub/sticks`);
    if (invocation.json) invocation.print(JSON.stringify(found));
    else if (found.length === 0) invocation.print("no serial ports");
    else invocation.print(table(["port", "what it is", "used by"], found.map(rowOf)));
    return exitCodes.done;
  },
};

function rowOf(stick: PortedStick): string[] {
  const { port, isThere, usedBy } = stick;
  return [port, isThere === false ? "not plugged in" : described(stick), usedBy ?? "-"];
}

function described({ model, certainty, protocol, driver, manufacturer, product }: PortedStick): string {
  if (model === null) return [manufacturer, product].filter((part) => part !== null).join(" ") || "-";
  return `${certainty === "sure" ? "" : `${certainty}: `}${model} (${protocol}, ${driver})`;
}
