import { type ConfigurationItem, secretShown } from "@ledge/model";
import { AdapterError } from "@ledge/port";
import type { CCAPIs, ZWaveNode } from "zwave-js";
import { asCommandClass, type ValueId } from "../facts.ts";
import { checkOutcome } from "../fault.ts";
import { commandClass } from "../map/command-class.ts";
import { nameAt, type NodeSetting, plainItem } from "./item.ts";

/** Slots that are offered at most. */
const most = 50;
/** The lengths of a code (SDS13783, User Code). */
const shortest = 4;
const longest = 10;
/** `User ID Status` of a slot (SDS13783, User Code). */
const available = 0;
// The library's enums are not loaded with the adapter.
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment
const enabled: Parameters<CCAPIs["User Code"]["set"]>[1] = 1;

/** Returns a code of a lock as a secret setting; an empty text removes the code. */
export function userCodeItem(endpoint: number, user: number): ConfigurationItem {
  return {
    ...plainItem,
    name: nameAt(endpoint, `pinCode.${user}`),
    fieldType: "TEXT",
    label: {
      en: `Code of user ${user}`,
      fi: `Käyttäjän ${user} koodi`,
      sv: `Kod för användare ${user}`,
      de: `Code des Benutzers ${user}`,
    },
    secret: true,
  };
}

/** Returns why a lock cannot take a code; undefined when it can. The text never shows the code. */
export function userCodeProblem(code: string): string | undefined {
  if (code === "") return undefined;
  if (!/^\d+$/.test(code)) return "must have digits only";
  const fits = code.length >= shortest && code.length <= longest;
  return fits ? undefined : `must have ${shortest} to ${longest} digits`;
}

/** Returns a setting for each slot that an interviewed lock says it has. */
export function userCodes(node: ZWaveNode): readonly NodeSetting[] {
  return Array.from({ length: node.getEndpointCount() + 1 }, (_, endpoint) => endpoint).flatMap(
    (endpoint) => {
      const said = node.getValue(valueAt(endpoint, "supportedUsers"));
      const count = typeof said === "number" ? Math.max(0, Math.min(said, most)) : 0;
      return Array.from({ length: count }, (_, index) => userCode(node, endpoint, index + 1));
    },
  );
}

function userCode(node: ZWaveNode, endpoint: number, user: number): NodeSetting {
  const status = node.getValue(valueAt(endpoint, "userIdStatus", user));
  return {
    item: userCodeItem(endpoint, user),
    endpoint,
    value: typeof status === "number" ? shown(status) : undefined,
    problem: (value) => userCodeProblem(String(value)),
    async set(value) {
      const api = node.getEndpoint(endpoint)?.commandClasses["User Code"];
      if (api === undefined) throw new AdapterError("unsupported", "the device has no codes");
      const code = String(value);
      const outcome = await (code === "" ? api.clear(user) : api.set(user, enabled, code));
      if (outcome !== undefined) checkOutcome(outcome);
      const kept = await api.get(user);
      if (kept === undefined) throw new AdapterError("timeout", "the device does not answer");
      const { userIdStatus: keptStatus }: { readonly userIdStatus: number } = kept;
      const isThere = keptStatus !== available;
      const said = typeof kept.userCode === "string" ? kept.userCode : "";
      // Some locks tell stars, or nothing, instead of the code.
      const isOther = isThere && code !== "" && /^\d+$/.test(said) && said !== code;
      if (isThere !== (code !== "") || isOther)
        throw new AdapterError("refused", "the device does not keep it");
      return undefined;
    },
  };
}

function shown(status: number): string {
  return status === available ? "" : secretShown;
}

function valueAt(endpoint: number, property: string, propertyKey?: number): ValueId {
  const key = propertyKey !== undefined && { propertyKey };
  return { commandClass: asCommandClass(commandClass.userCode), endpoint, property, ...key };
}
