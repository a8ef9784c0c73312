import { type Binding, Id, orNull } from "@ledge/model";
import Type from "typebox";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";

/** A network of radios whose devices pass on what others say. */
const Network = Type.Enum(["ZIGBEE", "ZWAVE"]);

/** DEVICE_NETWORK: how the hub reaches a device. */
const DeviceNetwork = Type.Object({
  type: Type.Literal("DEVICE_NETWORK"),
  deviceId: Id,
  /** The protocol of its adapter, such as `hue`; null for a device without an adapter, such as a browser. */
  protocol: orNull(Type.String()),
  /** The network that it is in; null for a device that is reached otherwise. */
  network: orNull(Network),
});

export const deviceNetwork = row({
  method: "GET",
  path: "/devices/network",
  summary: "By which protocol a device is reached, and whether it is in the Zigbee or Z-Wave network",
  access: "USER_ADMIN",
  query: Type.Object({ deviceId: Id }),
  result: DeviceNetwork,
  handle({ caller, query: { deviceId }, hub: { kernel } }) {
    if (!kernel.readable("device", deviceId, caller)) return notFound(`no device ${deviceId}`);
    const binding = kernel.get("binding", deviceId);
    const [protocol, network] = [binding?.protocol ?? null, networkOf(binding)];
    return { type: "DEVICE_NETWORK" as const, deviceId, protocol, network };
  },
});

function networkOf(binding: Binding | undefined): Type.Static<typeof Network> | null {
  if (binding === undefined) return null;
  switch (binding.protocol) {
    case "zigbee":
      return "ZIGBEE";
    case "zwave":
      return "ZWAVE";
    case "sim":
      // The simulated home has devices on a wire beside those of its Zigbee radio.
      return binding.radio === "air" ? "ZIGBEE" : null;
    default:
      return null;
  }
}
