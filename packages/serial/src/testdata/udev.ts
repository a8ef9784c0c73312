import { matchesGlob } from "node:path";
import type { SerialPort } from "../list.ts";
import { udevRules } from "../udev-rules.ts";

/** The properties that udev knows about a port after 60-serial.rules. */
function environmentOf({ vendorId, productId, byId, interfaceNumber }: SerialPort): Map<string, string> {
  const [, bus, serial] = /^([a-z]+)-(.+)-if[0-9a-f]{2}(?:-port\d+)?$/.exec(byId ?? "") ?? [];
  const known = {
    SUBSYSTEM: "tty",
    ACTION: "add",
    "ENV{ID_BUS}": bus,
    "ENV{ID_SERIAL}": serial,
    "ENV{ID_VENDOR_ID}": vendorId,
    "ENV{ID_MODEL_ID}": productId,
    "ENV{ID_USB_INTERFACE_NUM}": interfaceNumber?.toString(16).padStart(2, "0"),
  };
  return new Map(Object.entries(known).flatMap(([key, value]) => (value ? [[key, value]] : [])));
}

/**
 * Returns the stick that the rules recognise at a port. Interprets the subset of udev's rules that they use.
 */
export function rulesSay(port: SerialPort): string | undefined {
  const environment = environmentOf(port);
  let goto: string | undefined;
  for (const line of udevRules().split("\n")) {
    const tokens = [...line.matchAll(/([A-Z]+(?:\{\w+\})?)(==|!=|\+=|=)"([^"]*)"/g)];
    if (line.startsWith("#") || tokens.length === 0) continue;
    if (goto !== undefined) {
      if (line !== `LABEL="${goto}"`) continue;
      goto = undefined;
    }
    const holds = tokens.every(([, key = "", operator, value = ""]) => {
      const fits = value === "?*" ? environment.has(key) : matchesGlob(environment.get(key) ?? "", value);
      return operator === "==" ? fits : operator !== "!=" || !fits;
    });
    if (!holds) continue;
    for (const [, key = "", operator, value = ""] of tokens) {
      if (key === "GOTO") goto = value;
      else if (operator === "=") environment.set(key, value);
    }
  }
  return environment.get("ENV{LEDGE_STICK}");
}
