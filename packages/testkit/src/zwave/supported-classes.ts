import type { CommandClasses } from "@zwave-js/core";
import type { MockNode } from "@zwave-js/testing";

/** Returns the command classes that a node names when it joins. */
export function supportedClasses({ implementedCCs }: MockNode): readonly CommandClasses[] {
  return [...implementedCCs]
    .filter(([, { isSupported, version }]) => isSupported && version > 0)
    .map(([id]) => id);
}
