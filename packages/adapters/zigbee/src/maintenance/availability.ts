import { deviceClasses, limits } from "@ledge/model";
import { AdapterError } from "@ledge/port";
import Type from "typebox";
import type { Availability } from "../availability.ts";
import { isMains } from "../node.ts";
import type { Nodes } from "../nodes.ts";
import { ieeeOf } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import type { Subject, Timeouts } from "../timeouts.ts";
import { command, Native } from "./command.ts";
import type { MaintenanceTable } from "./table.ts";

const Minutes = Type.Union([Type.Integer({ minimum: 1, maximum: limits.zigbeeSilenceMinutes }), Type.Null()]);
/** `of`: active, passive, a class of devices, or a device by the native id of one of its units. */
const SetAvailability = Type.Object({ of: Native, minutes: Minutes });

/** Options of `availabilityCommands`. */
export interface AvailabilityCommandsOptions {
  readonly radio: Radio;
  readonly nodes: Nodes;
  readonly availability: Availability;
  readonly timeouts: Timeouts;
  /** Called when timeouts were set. */
  readonly changed: () => void;
}

/** Returns the commands about how long devices may be silent. */
export function availabilityCommands(
  options: AvailabilityCommandsOptions,
): Pick<MaintenanceTable, "ZIGBEE_GET_AVAILABILITY" | "ZIGBEE_SET_AVAILABILITY"> {
  const { radio, nodes, availability, timeouts, changed } = options;
  return {
    ZIGBEE_GET_AVAILABILITY: command(Type.Object({}), () =>
      Promise.resolve({
        timeouts: timeouts.kept,
        devices: nodes.members().map(({ ieee, facts }) => ({
          device: ieee,
          isActive: isMains(facts),
          reachable: availability.isReachable(ieee),
          lastSeen: radio.device(ieee)?.lastSeen ?? null,
          ...availability.timesOf(ieee),
        })),
      }),
    ),
    ZIGBEE_SET_AVAILABILITY: command(SetAvailability, async ({ of, minutes }) => {
      await timeouts.set(subjectOf(of, nodes), minutes);
      changed();
      return true;
    }),
  };
}

function subjectOf(of: string, nodes: Nodes): { readonly kind: "active" | "passive" } | Subject {
  if (of === "active" || of === "passive") return { kind: of };
  if (Object.hasOwn(deviceClasses, of)) return { kind: "classes", name: of };
  if (nodes.get(ieeeOf(of))?.isMember === true) return { kind: "devices", name: ieeeOf(of) };
  throw new AdapterError("settings", `of: ${of} is neither active, passive, a class nor a device of the hub`);
}
