import { secretShown } from "@ledge/model";
import { AdapterError, pinCodeItem, pinCodeProblem, pinCodesOffered } from "@ledge/port";
import type { CCAPIs, ZWaveNode } from "zwave-js";
import { asCommandClass, type ValueId } from "../facts.ts";
import { checkOutcome } from "../fault.ts";
import { commandClass } from "../map/command-class.ts";
import { nameAt, type NodeSetting } from "./item.ts";

/** The lengths of a code (SDS13783, User Code). */
const shortest = 4;
const longest = 10;
/** `User ID Status` of a slot (SDS13783, User Code). */
const available = 0;
// The library's enums are not loaded with the adapter.
// oxlint-disable-next-line typescript/no-unsafe-enum-assignment
const enabled: Parameters<CCAPIs["User Code"]["set"]>[1] = 1;

/** Returns a setting for each slot that an interviewed lock says it has. */
export function userCodes(node: ZWaveNode): readonly NodeSetting[] {
  return Array.from({ length: node.getEndpointCount() + 1 }, (_, endpoint) => endpoint).flatMap(
    (endpoint) => {
      const said = node.getValue(valueAt(endpoint, "supportedUsers"));
      const count = typeof said === "number" ? Math.max(0, Math.min(said, pinCodesOffered)) : 0;
      return Array.from({ length: count }, (_, index) => userCode(node, endpoint, index + 1));
    },
  );
}

function userCode(node: ZWaveNode, endpoint: number, user: number): NodeSetting {
  const status = node.getValue(valueAt(endpoint, "userIdStatus", user));
  return {
    item: pinCodeItem(nameAt(endpoint, `pinCode.${user}`), user),
    endpoint,
    value: typeof status === "number" ? shown(status) : undefined,
    problem: (value) => pinCodeProblem(String(value), shortest, longest),
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
