import { Id } from "@ledge/model";
import Type from "typebox";
import { readFirst } from "../adapter-answers.ts";
import type { HubPorts } from "../ports.ts";
import { Refused } from "../refused.ts";
import { row } from "../row.ts";

const Ieee = Type.String();

/** A node as its adapter tells of it. */
const nodeFields = {
  ieee: Ieee,
  /** Its address in the network, which may change. */
  nwk: Type.Integer(),
  type: Type.String(),
  manufacturer: Type.Union([Type.String(), Type.Null()]),
  model: Type.Union([Type.String(), Type.Null()]),
  lastSeen: Type.Union([Type.Number(), Type.Null()]),
  answered: Type.Union([Type.Boolean(), Type.Null()]),
  missing: Type.Boolean(),
};
const AdapterNode = Type.Object(nodeFields);
const Link = Type.Object({
  from: Ieee,
  to: Ieee,
  lqi: Type.Integer({ minimum: 0, maximum: 255 }),
  depth: Type.Integer(),
  relationship: Type.String(),
  routes: Type.Array(Type.Integer()),
});
const mapFields = { at: Type.Number(), complete: Type.Boolean(), links: Type.Array(Link) };
const AdapterMap = Type.Object({ ...mapFields, nodes: Type.Array(AdapterNode) });
const NetworkMap = Type.Object({
  type: Type.Literal("ZIGBEE_NETWORK_MAP"),
  ...mapFields,
  nodes: Type.Array(
    Type.Object({ ...nodeFields, deviceIds: Type.Array(Id), name: Type.Union([Type.String(), Type.Null()]) }),
  ),
});

/** The hub API tells of a network only whether it is there: who hears whom, and who is missing, is added. */
export const zigbeeMap = [
  row({
    method: "GET",
    path: "/hub/zigbeemap",
    summary:
      "The nodes of the Zigbee network, which of them hear each other, and who is missing on a new stick",
    access: "USER_ADMIN",
    result: NetworkMap,
    async handle(call) {
      const map = await readFirst<Type.Static<typeof AdapterMap>>(
        call,
        { type: "GET_ZIGBEE_MAP" },
        { at: call.hub.kernel.now(), complete: true, links: [], nodes: [] },
      );
      if (map instanceof Refused) return map;
      const devices = await devicesOf(
        call.hub,
        map.nodes.map(({ ieee }) => ieee),
      );
      return {
        type: "ZIGBEE_NETWORK_MAP" as const,
        ...map,
        nodes: map.nodes.map((node) => ({
          ...node,
          deviceIds: devices.get(node.ieee)?.ids ?? [],
          name: devices.get(node.ieee)?.name ?? null,
        })),
      };
    },
  }),
];

interface Devices {
  readonly ids: string[];
  readonly name: string | null;
}

/** The hub's devices by the address of their node: one with two switches is two devices, `ieee` and `ieee/2`. */
async function devicesOf(hub: HubPorts, nodes: readonly string[]): Promise<ReadonlyMap<string, Devices>> {
  const { kernel } = hub;
  const [protocol] = await hub.offering("GET_ZIGBEE_MAP");
  const known = new Set(nodes);
  const devices = new Map<string, Devices>();
  for (const [id, { protocol: of, native, removed }] of kernel.all("binding")) {
    if (of !== protocol || removed) continue;
    const ieee = known.has(native) ? native : native.slice(0, native.indexOf("/"));
    const others = devices.get(ieee);
    if (others) others.ids.push(id);
    else devices.set(ieee, { ids: [id], name: kernel.get("device", id)?.name ?? null });
  }
  return devices;
}
