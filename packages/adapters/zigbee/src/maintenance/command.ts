import type { AnswerRequest } from "@ledge/port";
import { AdapterError, commandsOf } from "@ledge/port";
import type Type from "typebox";
import { Compile } from "typebox/compile";
import type { Models } from "zigbee-herdsman";
import { ieeeOf } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import { refuseSetting } from "../refuse.ts";

/**
 * Returns the handler of a protocol command.
 * @param schema of the command; a refusal names the first wrong field.
 */
export function command<Schema extends Type.TObject>(
  schema: Schema,
  handle: (asked: Type.Static<Schema>, signal: AbortSignal) => Promise<unknown>,
): AnswerRequest {
  const validator = Compile(schema);
  return async (request, signal) => {
    const asked: unknown = commandsOf(request)[0];
    if (validator.Check(asked)) return await handle(asked, signal);
    const [error] = validator.Errors(asked);
    const path = error?.instancePath.split("/").slice(1).join(".") ?? "";
    return refuseSetting(path === "" ? missingIn(error) : path, error?.message ?? "is invalid");
  };
}

function missingIn(error: { readonly keyword: string; readonly params: unknown } | undefined): string {
  const { requiredProperties = [] } = (error?.params ?? {}) as { requiredProperties?: readonly string[] };
  return requiredProperties[0] ?? "command";
}

/**
 * Returns a device of the network.
 * @param native the native id of one of its units, such as `0x00124b0012345678`
 * @throws AdapterError `unreachable` while the network is down; `refused` for an unknown device
 */
export async function deviceOf(radio: Radio, native: string): Promise<Models.Device> {
  // Rejects with the reason while the network is down.
  await radio.use(() => Promise.resolve());
  const device = radio.device(ieeeOf(native));
  if (device === undefined) throw new AdapterError("refused", `device: ${native} is not in the network`);
  return device;
}
