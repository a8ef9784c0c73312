// What each endpoint of the 1.0 API is about, and the right that it needs, written out apart from the rows.
import type { Right } from "../../graph/rights.ts";

/**
 * What an endpoint is about: the caller alone; the tenant in which the caller works; something that stands in the
 * tenant; or a home, which is reached through a register of the tenant or of the hub.
 */
export type About = "caller" | "working" | "tenant" | "register" | "site" | "home";

const ofTenant = "/Tenants/:tenantId";
const subscription = "/Subscriptions/:subscriptionId";
const group = `${subscription}/ResourceGroups/:resourceGroupName`;
const resource = `${group}/Providers/:resourceProvider/:resourceName`;
const register = "/Registers/:deviceRegisterId";
const device = `${register}/Devices/:deviceId`;
const site = "/Sites/:siteId";

const lists: Readonly<Record<string, readonly string[]>> = {
  "caller R": ["GET /Tenants", "POST /Tenants", "GET /Tenants/Active", "GET /Subscriptions"],
  "working A": ["POST /Subscriptions"],
  "tenant R": [
    "PUT /Tenants/Active",
    `GET ${ofTenant}`,
    "GET /Tenant/:tenantId",
    `GET ${ofTenant}/Templates/:templateType`,
    `GET ${subscription}`,
    `GET ${subscription}/ResourceGroups`,
    `GET ${group}`,
    `GET ${group}/Resources`,
    `GET ${group}/Resources/:resourceName`,
    `GET ${resource}`,
  ],
  "tenant A": [
    `POST ${ofTenant}/Templates/:templateType`,
    `PUT ${ofTenant}/Templates/:templateType/:templateId`,
    `DELETE ${ofTenant}/Templates/:templateType/:templateId`,
    `POST ${ofTenant}/DeviceTemplates/:deviceType`,
    `PUT ${ofTenant}/DeviceTemplates/:deviceType/:templateId`,
    `DELETE ${ofTenant}/DeviceTemplates/:deviceType/:templateId`,
    `POST ${subscription}/ResourceGroups`,
    `DELETE ${group}`,
    `POST ${group}/Resources`,
    `DELETE ${resource}`,
  ],
  "tenant O": [`DELETE ${subscription}`],
  "register R": [
    `GET ${register}/Devices`,
    `GET ${device}`,
    `GET ${device}/State`,
    `GET ${device}/Configuration`,
    `GET ${register}/Templates`,
    `GET ${register}/Templates/:deviceType`,
  ],
  "register A": [
    `POST ${register}/Devices`,
    `PUT ${device}`,
    `DELETE ${device}`,
    `PUT ${device}/Configuration`,
    `POST ${register}/Hubs`,
  ],
  "home R": [`GET ${device}/Users`, `GET ${device}/Users/:userId`, `DELETE ${device}/Users/:userId`],
  "home C": [`POST ${device}/Commands`, `POST ${device}/Execute`],
  "home A": [`POST ${device}/Users`, `POST ${device}/Restart`, `POST ${device}/Reboot`],
  "site R": [
    `GET ${site}`,
    `GET ${site}/Entities`,
    `GET ${site}/Properties`,
    `GET ${site}/Schema`,
    `GET ${site}/Templates`,
    `GET ${site}/Templates/:templateId`,
  ],
  "site A": [
    `PATCH ${site}`,
    `POST ${site}/Entities`,
    `PATCH ${site}/Entities`,
    `DELETE ${site}/Entities`,
    `PUT ${site}/Properties`,
    `PUT ${site}/Schema`,
    `GET ${site}/EgressTargets`,
    `POST ${site}/EgressTargets`,
    `GET ${site}/EgressTargets/:targetId`,
    `PUT ${site}/EgressTargets/:targetId`,
    `DELETE ${site}/EgressTargets/:targetId`,
  ],
};

/** Scopes that a token needs, where the kind of endpoint does not say it. */
const oddScopes: Readonly<Record<string, readonly string[]>> = {
  "POST /Tenants": ["internal"],
  [`POST ${device}/Commands`]: ["devices.control"],
  [`POST ${device}/Execute`]: ["devices.control"],
  [`POST ${site}/EgressTargets`]: ["platform.write", "devices.read"],
  [`PUT ${site}/EgressTargets/:targetId`]: ["platform.write", "devices.read"],
};

/** What is said of an endpoint. */
export interface Said {
  readonly about: About;
  readonly right: Right;
  /** The scopes of which a token needs all. */
  readonly scopes: readonly string[];
}

/** Each endpoint, as the rows write it, and what is said of it. */
export const rightsByEndpoint: ReadonlyMap<string, Said> = new Map(
  Object.entries(lists).flatMap(([said, endpoints]) => {
    const [about, right] = said.split(" ") as [About, Right];
    return endpoints.map((endpoint): [string, Said] => [
      endpoint,
      { about, right, scopes: scopesOf(endpoint, about) },
    ]);
  }),
);

function scopesOf(endpoint: string, about: About): readonly string[] {
  const odd = oddScopes[endpoint];
  if (odd !== undefined) return odd;
  const isOfHomes = about === "register" || about === "home";
  if (endpoint.startsWith("GET ")) return isOfHomes ? ["devices.read"] : ["platform.read"];
  return isOfHomes ? ["devices.control", "platform.write"] : ["platform.write"];
}
