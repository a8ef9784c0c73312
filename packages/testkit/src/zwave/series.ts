import { FunctionType } from "@zwave-js/serial";
import { getDefaultSupportedFunctionTypes, type MockControllerOptions } from "@zwave-js/testing";
import { LongRange } from "./long-range.ts";
import { RawCommands } from "./raw-commands.ts";

/** The chips of sticks. */
export type Series = 500 | 700 | 800;

/** Ids in the network of another controller: its own, and the stick's. */
export const otherId = 1;
export const memberId = 5;
/** What a stick says of its role: in a network of its own, and in that of another controller. */
export const primary = {
  isSecondary: false,
  isUsingHomeIdFromOtherNetwork: false,
  wasRealPrimary: true,
  isStaticUpdateController: true,
  sucNodeId: 0,
} as const;
const secondary = {
  isSecondary: true,
  isUsingHomeIdFromOtherNetwork: true,
  wasRealPrimary: false,
  isStaticUpdateController: false,
  sucNodeId: otherId,
} as const;

/** What a stick of the 500 series says of itself: it has no bridge, and its chip is a ZW0500. */
export const series500 = {
  libraryVersion: "Z-Wave 6.07",
  zwaveChipType: { type: 0x05, version: 0x00 },
} as const;
/** What one of the 800 series says of itself. */
const series800 = {
  libraryVersion: "Z-Wave 7.22",
  zwaveChipType: { type: 0x08, version: 0x00 },
} as const;
const ofLaterSeries: ReadonlySet<FunctionType> = new Set([
  FunctionType.SendDataBridge,
  FunctionType.SendDataMulticastBridge,
]);

/** Returns what a stick says that it can do. */
export function capabilitiesOf(
  series: Series,
  isMember: boolean,
  hasMemory: boolean,
): NonNullable<MockControllerOptions["capabilities"]> {
  return {
    ...(isMember ? secondary : primary),
    ...(series === 500 && series500),
    ...(series === 800 && series800),
    supportedFunctionTypes: [
      ...getDefaultSupportedFunctionTypes().filter((type) => series !== 500 || !ofLaterSeries.has(type)),
      FunctionType.RemoveFailedNode,
      FunctionType.IsFailedNode,
      ...RawCommands.functions,
      ...(hasMemory ? RawCommands.ofMemory : []),
      ...(series === 800 ? LongRange.functions : []),
    ],
  };
}
