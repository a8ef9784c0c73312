import type { ConfigurationMetadata } from "@zwave-js/core";
import type { Parameter } from "./parameters.ts";

/** Returns a parameter as the library describes it. */
export function parameterFrom(
  place: Pick<Parameter, "endpoint" | "number" | "mask">,
  metadata: ConfigurationMetadata,
): Parameter {
  const { label, description, unit, min, max, allowed, states, allowManualEntry, readable, writeable } =
    metadata;
  const usual = metadata.default;
  return {
    ...place,
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(unit !== undefined && { unit }),
    ...(typeof min === "number" && { min }),
    ...(typeof max === "number" && { max }),
    ...(typeof usual === "number" && { default: usual }),
    ...(allowed !== undefined && { allowed }),
    ...(states !== undefined && { states }),
    takesOthers: allowManualEntry ?? states === undefined,
    isReadable: readable,
    isWriteable: writeable,
    isDestructive: metadata.destructive === true,
  };
}
