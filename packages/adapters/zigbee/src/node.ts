import { AdapterError } from "@ledge/port";
import type { Models } from "zigbee-herdsman";
import type { NodeFacts } from "./map/index.ts";
import type { Reporting } from "./map/unit.ts";

const types: ReadonlySet<string> = new Set(["Router", "EndDevice", "GreenPower"]);

/** Returns what the library's table holds about a device, as plain facts. */
export function factsOf(device: Models.Device): NodeFacts {
  const { ieeeAddr: ieee, manufacturerName, modelID, type, powerSource, endpoints } = device;
  return {
    ieee,
    manufacturer: manufacturerName ?? null,
    model: modelID ?? null,
    type: types.has(type) ? (type as NodeFacts["type"]) : "Unknown",
    powerSource: powerSource ?? null,
    endpoints: endpoints.map(({ ID, profileID, deviceID, inputClusters, outputClusters, clusters }) => ({
      id: ID,
      profile: profileID ?? 0,
      device: deviceID ?? 0,
      input: [...inputClusters],
      output: [...outputClusters],
      values: Object.fromEntries(
        Object.entries(clusters).map(([cluster, { attributes }]) => [cluster, { ...attributes }]),
      ),
    })),
  };
}

/** Whether its receiver is always on, so that it can receive at any time. */
export function isMains({ type, powerSource }: NodeFacts): boolean {
  if (type === "Router") return true;
  return type === "EndDevice" && powerSource !== null && /mains|dc source/i.test(powerSource);
}

/** Whether its interview has succeeded. */
export function isInterviewed({ interviewState }: Models.Device): boolean {
  const state: string = interviewState;
  return state === "SUCCESSFUL";
}

export function isBeingInterviewed({ interviewState }: Models.Device): boolean {
  const state: string = interviewState;
  return state === "IN_PROGRESS";
}

type Values = Readonly<Record<string, unknown>>;
type Options = Readonly<{
  /** Without it a frame to a sleeping device waits until that is heard. */
  sendPolicy?: "immediate";
  timeout?: number;
  disableRecovery?: boolean;
  disableDefaultResponse?: boolean;
}>;

/** An endpoint that accepts cluster names from tables; the library's own types distinguish each cluster. */
export interface NamedEndpoint {
  read(cluster: string, attributes: readonly string[], options: Options): Promise<Values>;
  write(cluster: string, values: Values, options: Options): Promise<void>;
  /** Resolves with the device's answer, including a default response. */
  command(cluster: string, name: string, payload: Values, options: Options): Promise<unknown>;
  commandResponse(
    cluster: string,
    name: string,
    payload: Values,
    options: Options,
    sequence?: number,
  ): Promise<void>;
  /** @param target a number is the address of a group. */
  bind(cluster: string, target: Models.Endpoint | number): Promise<void>;
  unbind(cluster: string, target: Models.Endpoint | number, force: boolean): Promise<void>;
  configureReporting(
    cluster: string,
    items: readonly {
      readonly attribute: string;
      readonly minimumReportInterval: number;
      readonly maximumReportInterval: number;
      readonly reportableChange: number;
    }[],
    options: Options,
  ): Promise<void>;
}

/**
 * Returns an endpoint of a device.
 * @throws AdapterError `refused` when there is no such endpoint.
 */
export function endpointOf(device: Models.Device, id: number): NamedEndpoint {
  const endpoint = device.getEndpoint(id);
  if (endpoint === undefined) throw new AdapterError("refused", `${device.ieeeAddr} has no endpoint ${id}`);
  return named(endpoint);
}

/** Returns an endpoint of the library as one that accepts any cluster name. */
export function named(endpoint: Models.Endpoint): NamedEndpoint {
  return endpoint as unknown as NamedEndpoint;
}

/** Configures the reporting of one attribute. Rejects with the library's error when the device refuses. */
export async function configureReporting(
  endpoint: NamedEndpoint,
  { cluster, attribute, minSeconds, maxSeconds, change }: Omit<Reporting, "endpoint">,
  options: Options,
): Promise<void> {
  const item = {
    attribute,
    minimumReportInterval: minSeconds,
    maximumReportInterval: maxSeconds,
    reportableChange: change,
  };
  await endpoint.configureReporting(cluster, [item], options);
}
