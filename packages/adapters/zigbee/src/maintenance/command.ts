import { limits, lazyValidator } from "@ledge/model";
import type { AnswerRequest } from "@ledge/port";
import { AdapterError, commandsOf, misfitOf, refuseSetting } from "@ledge/port";
import Type from "typebox";
import type { Models } from "zigbee-herdsman";
import { ieeeOf } from "../nodes.ts";
import type { Radio } from "../radio.ts";

/** The native id of one of a device's units, such as `0x00124b0012345678`. */
export const Native = Type.String({ minLength: 1, maxLength: limits.nativeChars });

/**
 * Returns the handler of a protocol command.
 * @param schema of the command; a refusal names the first wrong field.
 */
export function command<Schema extends Type.TObject>(
  schema: Schema,
  handle: (asked: Type.Static<Schema>, signal: AbortSignal) => Promise<unknown>,
): AnswerRequest {
  const validator = lazyValidator(schema);
  return async (request, signal) => {
    const asked: unknown = commandsOf(request)[0];
    if (validator.Check(asked)) return await handle(asked, signal);
    const { steps, reason } = misfitOf(validator, asked);
    return refuseSetting(steps.join(".") || "command", reason);
  };
}

/**
 * Returns a device of the network.
 * @param native the native id of one of its units, such as `0x00124b0012345678`
 * @throws AdapterError `unreachable` while the network is down; `refused` for an unknown device
 */
export function deviceOf(radio: Radio, native: string): Models.Device {
  radio.assertUp();
  const device = radio.device(ieeeOf(native));
  if (device === undefined) throw new AdapterError("refused", `device: ${native} is not in the network`);
  return device;
}
