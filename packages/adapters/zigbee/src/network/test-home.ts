import { until } from "@ledge/testkit";
import { devices, serveStick, SimulatedAir, sticks } from "@ledge/testkit/zigbee";
import type {
  CoordinatorStick,
  CoordinatorStickOptions,
  ServedStick,
  SimulatedKind,
  StickImage,
} from "@ledge/testkit/zigbee";
import type { Controller, Models } from "zigbee-herdsman";
import type { ZigbeeSettings } from "../settings.ts";
import { NetworkRig } from "./test-network.ts";

type Member = ReturnType<typeof devices.socket>;

/** A formed network with two routers, and the state of its stick and store. */
export interface Home {
  readonly air: SimulatedAir;
  readonly served: ServedStick<CoordinatorStick>;
  readonly settings: ZigbeeSettings;
  readonly members: readonly Member[];
  readonly nvram: StickImage;
  readonly stored: ReadonlyMap<string, unknown>;
  /** Makes another stick of the same kind, in factory state by default. */
  make(options?: Omit<CoordinatorStickOptions, "air">): CoordinatorStick;
  /** Plugs in a stick: by default the one from when the network was formed. */
  plug(stick?: CoordinatorStick): Promise<CoordinatorStick>;
  /** Returns a rig with the store from that time, changed by `change`. */
  rig(change?: (stored: Map<string, unknown>) => void): NetworkRig;
  close(): Promise<void>;
}

/** Forms a network on a new stick and lets two devices join. */
export async function formHome(kind: SimulatedKind = "zstack"): Promise<Home> {
  const air = new SimulatedAir();
  const make = (options: Omit<CoordinatorStickOptions, "air"> = {}): CoordinatorStick =>
    sticks[kind]({ air, ...options });
  const served = await serveStick(make());
  const settings: ZigbeeSettings = { radio: { path: served.path, stick: kind } };
  const rig = new NetworkRig(settings);
  const controller = await rig.up();
  const members = [devices.socket("0x000d6f0000000001"), devices.socket("0x000d6f0000000002")];
  for (const member of members) {
    air.add(member);
    await join(air, controller, member);
  }
  await rig.network.stop();
  const [nvram, stored] = [served.stick.save(), new Map(rig.stored)];
  await rig.close();
  return {
    air,
    served,
    settings,
    members,
    nvram,
    stored,
    make,
    async plug(stick = make({ nvram })) {
      await served.unplug();
      await served.plug(stick);
      return stick;
    },
    rig(change) {
      const changed = new Map(stored);
      change?.(changed);
      return new NetworkRig(settings, changed);
    },
    close: () => served.close(),
  };
}

export async function join(air: SimulatedAir, controller: Controller, member: Member): Promise<void> {
  await controller.permitJoin(60);
  air.join(member.ieee);
  await until(
    "its interview",
    () => String(controller.getDeviceByIeeeAddr(member.ieee)?.interviewState) === "SUCCESSFUL",
  );
  await controller.permitJoin(0);
}

/** Returns the endpoint of a member of a home; undefined for a controller that does not know it. */
export function memberEndpoint(
  { members }: Pick<Home, "members">,
  controller: Controller | undefined,
  index = 0,
): Models.Endpoint | undefined {
  return controller?.getDeviceByIeeeAddr(members[index]?.ieee ?? "")?.getEndpoint(1);
}
