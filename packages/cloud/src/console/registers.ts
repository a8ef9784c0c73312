import { type Share, shares } from "@ledge/model";
import type { Cloud } from "../cloud.ts";
import { plainName } from "../mail/shown-name.ts";
import { resourceId } from "../model/resource-id.ts";

/** A register of a tenant as the operator sees it. */
export interface RegisterOverview {
  readonly deviceRegisterId: string;
  readonly displayName: string;
  readonly tenantId: string;
  /** Its id among resources. */
  readonly resourceId: string;
  /** How many devices people have added by hand. */
  readonly devices: number;
  /** The hubs that are gateways. */
  readonly gateways: readonly string[];
}

/** What a hub shares with the platform. */
export interface ShareOverview {
  readonly hubId: string;
  readonly name: string;
  /** As the hub has last said; null before it has. */
  readonly share: Share | null;
  /** The registers of tenants that show what it shares. */
  readonly registers: readonly string[];
}

/** Returns the registers of tenants, but for those that are being deleted. */
export function registersOf({ kernel, tenancy }: Pick<Cloud, "kernel" | "tenancy">): RegisterOverview[] {
  const devices = new Map<string, number>();
  for (const [, { register, about }] of kernel.all("registerDevice"))
    if (about !== undefined) devices.set(register, (devices.get(register) ?? 0) + 1);
  return [...kernel.all("deviceRegister")].flatMap(([id, { place, about, gateways, isDeleted }]) => {
    const { subscription, group, name } = place;
    const overview = {
      deviceRegisterId: id,
      displayName: about.displayName,
      tenantId: tenancy.subscription(subscription)?.tenant ?? "",
      resourceId: resourceId(subscription, group, "Vendor.DeviceRegister", name),
      devices: devices.get(id) ?? 0,
      gateways: Object.keys(gateways),
    };
    return isDeleted ? [] : [overview];
  });
}

/** Returns what each hub shares. */
export async function sharesOf({
  kernel,
  tenancy,
  registers,
}: Pick<Cloud, "kernel" | "tenancy" | "registers">): Promise<ShareOverview[]> {
  const found: ShareOverview[] = [];
  for (const [hubId, { name }] of kernel.all("registration")) {
    const { note } = (await registers.cursorOf(hubId)) ?? {};
    const share = shares.find((one) => one === note) ?? null;
    const own = plainName(name ?? "Ledge");
    found.push({ hubId, name: own, share, registers: tenancy.gateways.registersOf(hubId) });
  }
  return found;
}
