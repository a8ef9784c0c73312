import { AdapterError } from "@ledge/port";
import type { Controller, Models } from "zigbee-herdsman";
import type { Reporting } from "./map/unit.ts";
import { configureReporting, endpointOf } from "./node.ts";

/** The other end of a binding: the hub, an endpoint of a device, or a group on the radio. */
export type BindTarget =
  | "hub"
  | { readonly device: string; readonly endpoint: number }
  | { readonly group: number };

/** A binding that a user made or removed. */
export interface HandBinding {
  readonly kind: "bind";
  readonly endpoint: number;
  readonly cluster: string;
  readonly to: BindTarget;
  /** False: it was removed, and the set-up must not make it again. */
  readonly isBound: boolean;
}

/** Reporting that a user configured; `maxSeconds` 65535 turns it off (ZCL 2.5.7.1.6). */
export interface HandReporting extends Reporting {
  readonly kind: "report";
}

/** A part of a device's set-up that a user chose. It is repeated when the device has lost its set-up. */
export type ByHand = HandBinding | HandReporting;

/** Returns a name that is the same for two choices about the same binding or attribute. */
export function subjectOf(choice: ByHand): string {
  const { kind, endpoint, cluster } = choice;
  const about = choice.kind === "bind" ? JSON.stringify(choice.to) : choice.attribute;
  return `${kind} ${endpoint} ${cluster} ${about} by hand`;
}

/** Carries a choice out at the device. Rejects with the library's error when the device refuses. */
export async function carryOut(choice: ByHand, device: Models.Device, controller: Controller): Promise<void> {
  if (choice.kind === "report") {
    await configureReporting(endpointOf(device, choice.endpoint), choice, { sendPolicy: "immediate" });
    return;
  }
  const { endpoint, cluster, to, isBound } = choice;
  const source = endpointOf(device, endpoint);
  const target = targetOf(to, controller);
  if (isBound) await source.bind(cluster, target);
  else await source.unbind(cluster, target, true);
}

/** @throws AdapterError `refused` when the target is not in the network */
export function targetOf(to: BindTarget, controller: Controller): Models.Endpoint | number {
  if (to !== "hub" && "group" in to) return to.group;
  const [hub] = controller.getDevicesByType("Coordinator");
  const device = to === "hub" ? hub : controller.getDeviceByIeeeAddr(to.device);
  const endpoint = device?.getEndpoint(to === "hub" ? 1 : to.endpoint);
  if (endpoint !== undefined) return endpoint;
  const name = to === "hub" ? "the hub" : `${to.device}/${to.endpoint}`;
  throw new AdapterError("refused", `${name} is not in the network`);
}
