/** Limits of tenants and of what stands in them (platform-api 2.4); part of `limits`. */
export const tenancyLimits = {
  /** Tenants of a cloud beside the personal ones. */
  tenants: 10_000,
  /** Roles that a tenant has given, in all its parts. */
  tenantRoles: 1000,
  tenantSubscriptions: 100,
  subscriptionGroups: 200,
  groupResources: 500,
  /** Names for people: of tenants, subscriptions, resources and sites. */
  displayNameChars: 50,
  /** Names in paths: of resource groups and resources. */
  resourceNameMinChars: 3,
  resourceNameMaxChars: 50,
  /** The id of a resource, with those of all above it. */
  resourceIdChars: 512,
  locationChars: 50,
  tenantIdChars: 50,
  /** Devices that people add by hand to a register, and hubs that are gateways of one. */
  registerDevices: 10_000,
  registerGateways: 500,
  /** Registers of tenants in which one hub is a gateway: each holds a copy of what the hub shares. */
  hubRegisters: 10,
  /** Templates of a tenant, their texts, and the content of one as JSON (platform-api 2.4). */
  tenantTemplates: 500,
  templateIdChars: 100,
  templateNameChars: 100,
  templateBytes: 65_536,
  /** How long the REST API waits for an operation before it answers 202, and how long a client then waits. */
  operationAwaitMs: 30_000,
  operationRetryS: 5,
} as const;
