import { limits } from "@ledge/model";
import { AdapterError, refuseSetting } from "@ledge/port";
import Type from "typebox";
import type { Models } from "zigbee-herdsman";
import type { BindTarget, ByHand } from "../by-hand.ts";
import { carryOut, subjectOf, targetOf } from "../by-hand.ts";
import { faultOf, isFinal } from "../fault.ts";
import { factsOf, isMains } from "../node.ts";
import type { Node, Nodes } from "../nodes.ts";
import { ieeeOf } from "../nodes.ts";
import type { Radio } from "../radio.ts";
import type { SetUp } from "../set-up.ts";
import { command, deviceOf, Native } from "./command.ts";
import { readBindings } from "./binding-table.ts";
import type { MaintenanceTable } from "./table.ts";

const EndpointId = Type.Integer({ minimum: 1, maximum: 254 });
const Name = Type.String({ minLength: 1, maxLength: 64 });
const Seconds = Type.Integer({ minimum: 0, maximum: 0xffff });
const Target = Type.Union([
  Type.Literal("hub"),
  Type.Object({ device: Native, endpoint: EndpointId }, { additionalProperties: false }),
  Type.Object(
    { group: Type.Integer({ minimum: 1, maximum: limits.groupAddress }) },
    { additionalProperties: false },
  ),
]);
const place = { device: Native, endpoint: EndpointId, cluster: Name };
const Bind = Type.Object({ ...place, to: Target });
const SetReporting = Type.Object({
  ...place,
  attribute: Name,
  minSeconds: Seconds,
  maxSeconds: Seconds,
  change: Type.Number({ minimum: 0, maximum: 0xffff_ffff }),
});
const RemoveReporting = Type.Object({ ...place, attribute: Name });

type BindingType =
  | "ZIGBEE_GET_BINDINGS"
  | "ZIGBEE_BIND"
  | "ZIGBEE_UNBIND"
  | "ZIGBEE_SET_REPORTING"
  | "ZIGBEE_REMOVE_REPORTING";

/** Options of `bindingCommands`. */
export interface BindingOptions {
  readonly radio: Radio;
  readonly nodes: Nodes;
  readonly setUp: SetUp;
}

/**
 * Returns the commands that list, make and remove bindings and reporting of a device by hand. A choice is
 * stored, and repeated with the device's set-up.
 */
export function bindingCommands(options: BindingOptions): Pick<MaintenanceTable, BindingType> {
  const { radio } = options;
  const bind = (isBound: boolean) =>
    command(Bind, async ({ device, endpoint, cluster, to }) => {
      const known = { kind: "bind", endpoint, cluster, to: normal(to), isBound } as const;
      await assertCluster(deviceOf(radio, device), endpoint, cluster);
      if (isBound) await radio.use(async (controller) => targetOf(known.to, controller));
      return await choose(options, device, known);
    });
  return {
    ZIGBEE_GET_BINDINGS: command(Type.Object({ device: Native }), async ({ device }) =>
      listOf(options, deviceOf(radio, device)),
    ),
    ZIGBEE_BIND: bind(true),
    ZIGBEE_UNBIND: bind(false),
    ZIGBEE_SET_REPORTING: command(SetReporting, async (wanted) => {
      const { device, endpoint, cluster, attribute, minSeconds, maxSeconds, change } = wanted;
      if (minSeconds > maxSeconds) refuseSetting("minSeconds", "must not be more than maxSeconds");
      await assertAttribute(deviceOf(radio, device), wanted);
      const times = { minSeconds, maxSeconds, change };
      return await choose(options, device, { kind: "report", endpoint, cluster, attribute, ...times });
    }),
    ZIGBEE_REMOVE_REPORTING: command(RemoveReporting, async ({ device, endpoint, cluster, attribute }) => {
      await assertAttribute(deviceOf(radio, device), { endpoint, cluster, attribute });
      const off = { minSeconds: 0, maxSeconds: 0xffff, change: 0 };
      return await choose(options, device, { kind: "report", endpoint, cluster, attribute, ...off });
    }),
  };
}

/** A device is named by its address, whichever of its units was named. */
function normal(to: Type.Static<typeof Target>): BindTarget {
  return to === "hub" || "group" in to ? to : { ...to, device: ieeeOf(to.device) };
}

async function assertCluster(device: Models.Device, id: number, cluster: string): Promise<void> {
  const endpoint = device.getEndpoint(id);
  if (endpoint === undefined) return refuseSetting("endpoint", `${device.ieeeAddr} has no endpoint ${id}`);
  const { Zcl } = await import("zigbee-herdsman");
  const { ID } = Zcl.Utils.getCluster(cluster, device.manufacturerID, device.customClusters);
  const has = endpoint.inputClusters.includes(ID) || endpoint.outputClusters.includes(ID);
  if (!has) refuseSetting("cluster", `the endpoint has no ${cluster}`);
}

async function assertAttribute(
  device: Models.Device,
  { endpoint, cluster, attribute }: { endpoint: number; cluster: string; attribute: string },
): Promise<void> {
  await assertCluster(device, endpoint, cluster);
  const { Zcl } = await import("zigbee-herdsman");
  const found = Zcl.Utils.getCluster(cluster, device.manufacturerID, device.customClusters);
  if (Zcl.Utils.getClusterAttribute(found, attribute, device.manufacturerID) === undefined)
    refuseSetting("attribute", `${cluster} has no ${attribute}`);
}

/** Carries a choice out, at once or when the device wakes, and stores it. */
async function choose(
  { radio, nodes, setUp }: BindingOptions,
  native: string,
  choice: ByHand,
): Promise<{ readonly state: "DONE" | "WAITING" }> {
  const node = nodes.get(ieeeOf(native));
  if (node?.isMember !== true) throw new AdapterError("refused", `device: the hub has no ${native}`);
  const others = node.byHand.filter((each) => subjectOf(each) !== subjectOf(choice));
  if (others.length >= limits.zigbeeByHand)
    throw new AdapterError("refused", `a device has at most ${limits.zigbeeByHand} choices by hand`);
  const isDone = isMains(node.facts) && (await isCarriedOut(radio, node, choice));
  node.byHand = [...others, choice];
  if (isDone) await nodes.store(node);
  else await setUp.goOn(node, subjectOf(choice));
  return { state: isDone ? "DONE" : "WAITING" };
}

/** @throws AdapterError when the device refuses */
async function isCarriedOut(radio: Radio, { ieee }: Node, choice: ByHand): Promise<boolean> {
  try {
    await radio.use(async (controller) => carryOut(choice, deviceOf(radio, ieee), controller));
    return true;
  } catch (error) {
    const fault = faultOf(error);
    if (isFinal(fault)) throw fault;
    return false;
  }
}

/** The bindings are those of the device itself; a sleeping device is not asked. */
async function listOf({ radio, nodes }: BindingOptions, device: Models.Device): Promise<object> {
  const node = nodes.get(device.ieeeAddr);
  const byHand = new Set(node?.byHand.map(subjectOf));
  const read = isMains(factsOf(device)) ? await readBindings(radio, device) : undefined;
  const bindings = read ?? (await rememberedOf(radio, device));
  return {
    device: device.ieeeAddr,
    isRead: read !== undefined,
    endpoints: device.endpoints.map((endpoint) => ({
      endpoint: endpoint.ID,
      input: endpoint.getInputClusters().map(({ name }) => name),
      output: endpoint.getOutputClusters().map(({ name }) => name),
    })),
    bindings: bindings.map((each) => ({
      ...each,
      byHand: byHand.has(subjectOf({ kind: "bind", ...each, isBound: true })),
    })),
    reporting: device.endpoints.flatMap(({ ID: endpoint, configuredReportings }) =>
      configuredReportings.map((each) => {
        const report = {
          endpoint,
          cluster: each.cluster.name,
          attribute: each.attribute.name,
          minSeconds: each.minimumReportInterval,
          maxSeconds: each.maximumReportInterval,
          change: each.reportableChange,
        };
        return { ...report, byHand: byHand.has(subjectOf({ kind: "report", ...report })) };
      }),
    ),
    isSetUp: node?.isSetUp ?? false,
  };
}

/** The bindings that the hub has made, as far as the library knows. */
async function rememberedOf(radio: Radio, device: Models.Device): ReturnType<typeof readBindings> {
  const hub = await radio.use(async (controller) => controller.getDevicesByType("Coordinator")[0]?.ieeeAddr);
  return device.endpoints.flatMap(({ ID: endpoint, binds }) =>
    binds.map(({ cluster, target }) => {
      const to: BindTarget =
        "groupID" in target
          ? { group: target.groupID }
          : target.deviceIeeeAddress === hub
            ? "hub"
            : { device: target.deviceIeeeAddress, endpoint: target.ID };
      return { endpoint, cluster: cluster.name, to };
    }),
  );
}
