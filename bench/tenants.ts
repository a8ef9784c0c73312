// What a tenant takes of a cloud's memory while nobody asks for it.
import { openBenchCloud, siteCommands, targetCommand } from "./egress/cloud-with-sites.ts";
import type { Figure } from "./figure.ts";
import { CloudProcess } from "./relay/cloud-process.ts";
import { issuer } from "./relay/sessions.ts";

/** The first ones bring what the process takes once. */
const [few, many] = [500, 2500];
const entities = 10;
const devices = 10;

type Command = { readonly type: string } & Readonly<Record<string, unknown>>;

/** @returns figures of the group `tenants` */
export async function tenantFigures(): Promise<readonly Figure[]> {
  const about = `growth of the PSS of the cloud's process from ${few} to ${many} at its start, from logs that are there; least of 4 readings`;
  const told = { unit: "kB", limit: null, gated: false } as const;
  return [
    {
      name: "tenants memory of an empty one",
      value: await growth(emptyTenant),
      ...told,
      how: `an account, a tenant of its own and a subscription; ${about}`,
    },
    {
      name: "tenants memory of a furnished one",
      value: await growth((index) => [...emptyTenant(index), ...furniture(index)]),
      ...told,
      how: `beside it a site with ${entities} entities and an egress target, and a register with ${devices} devices; ${about}`,
    },
  ];
}

async function growth(commands: (index: number) => readonly Command[]): Promise<number> {
  const sizes: number[] = [];
  for (const count of [few, many]) {
    const cloud = await CloudProcess.start(async (data) => {
      const bench = await openBenchCloud(data, issuer);
      await bench.submit(Array.from({ length: count }, (_, index) => commands(index)).flat());
      await bench.cloud.close();
    });
    try {
      sizes.push(await cloud.pssKb());
    } finally {
      await cloud.stop();
    }
  }
  const [before = NaN, after = NaN] = sizes;
  return (after - before) / (many - few);
}

function emptyTenant(index: number): Command[] {
  const [owner, id] = [`owner${index}`, `tenant${index}`];
  const subscription = {
    type: "CREATE_SUBSCRIPTION",
    id: `sub${index}`,
    tenant: id,
    displayName: "Homes",
    tags: {},
  };
  return [
    { type: "ADD_ACCOUNT", id: owner, email: `${owner}@example.org` },
    { type: "CREATE_TENANT", id, displayName: `Tenant ${index}`, owner },
    subscription,
  ];
}

function furniture(index: number): Command[] {
  const [subscription, site, register] = [`sub${index}`, `site-${index}`, `meters-${index}`];
  const place = { subscription, group: "homes", name: "Meters" };
  const resource = {
    type: "ADD_RESOURCE",
    id: subscription,
    group: "homes",
    displayName: "",
    tags: {},
  };
  const entity = {
    type: "CREATE_SITE_ENTITY",
    id: site,
    parent: "a",
    entityType: "lamp",
    attributes: [{ $type: "Int", name: "watts", value: 9 }],
    device: null,
  };
  const texts = { nativeId: "", serialNumber: "", model: "M1", manufacturer: "Bench", tags: {} };
  const device = {
    type: "ADD_REGISTER_DEVICE",
    register,
    by: `owner${index}`,
    metadata: { isActive: true, ...texts },
  };
  const routing = { gatewayId: null, protocol: null };
  return [
    { type: "CREATE_RESOURCE_GROUP", id: subscription, name: "homes", location: "", tags: {} },
    { ...resource, name: "Villa", provider: "Vendor.Sites", itemId: site },
    { ...resource, name: "Meters", provider: "Vendor.DeviceRegister", itemId: register },
    ...siteCommands(site, subscription),
    ...Array.from({ length: entities - 1 }, (_, at) => ({
      ...entity,
      name: `e${at}`,
      displayName: `Lamp ${at}`,
    })),
    targetCommand(site, "main", { url: "https://hooks.example/" }),
    { type: "CREATE_DEVICE_REGISTER", id: register, place, displayName: "Meters" },
    ...Array.from({ length: devices }, (_, at) => ({
      ...device,
      device: `meter-${at}`,
      about: { name: `Meter ${at}`, type: "METER", capabilities: ["ENERGY"], routing },
    })),
  ];
}
