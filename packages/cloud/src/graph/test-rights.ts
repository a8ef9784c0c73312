import type { Right } from "./rights.ts";
import type { Targets } from "./targets.ts";

/** The types of messages by what they are about and the right that they need, written out apart from the rows. */
export const typesByRight: Readonly<
  Record<keyof Targets, Readonly<Partial<Record<Right, readonly string[]>>>>
> = {
  caller: {
    R: [
      "CreateTenantCommand",
      "GetActiveTenantQuery",
      "ListHubsQuery",
      "ListOperationQuery",
      "ListSubscriptionQuery",
      "ListTenantQuery",
    ],
  },
  hub: {
    R: [
      "AlarmsHubQuery",
      "ApplyPresetsHubCommand",
      "AuditHubQuery",
      "CallHubCommand",
      "CallHubQuery",
      "CloseAlarmHubCommand",
      "ConfigurationHubQuery",
      "ConfigureHubCommand",
      "ControlDevicesHubCommand",
      "ControlGroupsHubCommand",
      "ControlRulesHubCommand",
      "ControlScenesHubCommand",
      "DevicesHubQuery",
      "GetHubQuery",
      "GetUserHubQuery",
      "GroupsHubQuery",
      "HistoryHubQuery",
      "ListUsersHubQuery",
      "MetadataHubQuery",
      "OrderRoomsHubCommand",
      "OutcomeHubQuery",
      "PollHubQuery",
      "RemoveAlarmHubCommand",
      "RemoveDevicesHubCommand",
      "RemoveGroupHubCommand",
      "RemoveRoomHubCommand",
      "RemoveRuleHubCommand",
      "RemoveSceneHubCommand",
      "RevokeUserHubCommand",
      "RoomsHubQuery",
      "RuleTemplatesHubQuery",
      "RulesHubQuery",
      "SaveDevicesHubCommand",
      "SaveGroupsHubCommand",
      "SaveRoomsHubCommand",
      "SaveRulesHubCommand",
      "SaveScenesHubCommand",
      "SaveZonesHubCommand",
      "ScenesHubQuery",
      "SubscribeHubCommand",
      "UndoHubCommand",
      "UnsubscribeHubCommand",
      "UsersHubQuery",
      "WhatIfHubQuery",
      "WhyHubQuery",
      "ZonesHubQuery",
    ],
    A: [
      "InviteUserHubCommand",
      "RebootHubCommand",
      "RestartHubCommand",
      "SetUserRoleHubCommand",
      "SyncHubCommand",
    ],
    O: ["LeaveDeviceRegisterHubCommand", "SetShareHubCommand"],
  },
  register: {
    R: [
      "GetDeviceConfigurationDeviceRegisterQuery",
      "GetDeviceDeviceRegisterQuery",
      "GetDeviceRegisterQuery",
      "GetDeviceStateDeviceRegisterQuery",
      "ListDevicesDeviceRegisterQuery",
      "ListTemplatesDeviceRegisterQuery",
      "SubscribeDeviceRegisterCommand",
      "UnsubscribeDeviceRegisterCommand",
    ],
    C: ["ExecuteDeviceRegisterCommand", "SendDeviceRegisterCommand"],
    A: [
      "AddDeviceDeviceRegisterCommand",
      "RegisterHubDeviceRegisterCommand",
      "RemoveDeviceDeviceRegisterCommand",
      "SetDeviceConfigurationDeviceRegisterCommand",
      "UpdateDeviceDeviceRegisterCommand",
    ],
  },
  gateway: {
    R: [
      "GetHubUserDeviceRegisterQuery",
      "ListHubUsersDeviceRegisterQuery",
      "RevokeHubUserDeviceRegisterCommand",
    ],
    A: [
      "InviteHubUserDeviceRegisterCommand",
      "RebootHubDeviceRegisterCommand",
      "RestartHubDeviceRegisterCommand",
    ],
  },
  anyTenant: {
    R: ["GetTenantQuery", "SetActiveTenantCommand"],
  },
  tenant: {
    R: ["ListTemplatesTenantQuery"],
    A: [
      "AddTemplateTenantCommand",
      "CreateSubscriptionCommand",
      "RemoveTemplateTenantCommand",
      "UpdateTemplateTenantCommand",
    ],
    O: [
      "AssignRoleTenantCommand",
      "CreateClientCommand",
      "ListClientQuery",
      "ListRolesTenantQuery",
      "RemoveRoleTenantCommand",
    ],
  },
  subscription: {
    R: ["GetSubscriptionQuery", "ListResourceGroupQuery"],
    A: ["CreateResourceGroupCommand"],
    O: ["DeleteSubscriptionCommand"],
  },
  resourceGroup: {
    R: ["GetResourceGroupQuery", "ListResourceQuery"],
    A: ["CreateResourceCommand", "DeleteResourceGroupCommand"],
  },
  resource: {
    R: ["GetResourceQuery"],
    A: ["DeleteResourceCommand"],
  },
  site: {
    R: [
      "FindEntitiesSiteQuery",
      "GetPropertiesSiteQuery",
      "GetSchemaSiteQuery",
      "GetSiteQuery",
      "GetTemplateSiteQuery",
      "ListTemplatesSiteQuery",
      "SubscribeSiteCommand",
      "UnsubscribeSiteCommand",
    ],
    A: [
      "CreateEgressTargetSiteCommand",
      "CreateEntitySiteCommand",
      "DeleteEgressTargetSiteCommand",
      "DeleteEntitySiteCommand",
      "GetEgressTargetSiteQuery",
      "ListEgressTargetsSiteQuery",
      "RotateEgressSecretSiteCommand",
      "SetPropertiesSiteCommand",
      "SetSchemaSiteCommand",
      "UpdateEgressTargetSiteCommand",
      "UpdateEntitySiteCommand",
      "UpdateSiteCommand",
    ],
  },
  client: {
    O: ["DeleteClientCommand", "RotateSecretClientCommand"],
  },
  operation: {
    R: [
      "CancelOperationCommand",
      "GetOperationQuery",
      "SubscribeOperationCommand",
      "UnsubscribeOperationCommand",
    ],
  },
};

const rights = new Map(
  Object.values(typesByRight).flatMap((lists) =>
    Object.entries(lists).flatMap(([right, types]) => types.map((type) => [type, right as Right] as const)),
  ),
);

/** Returns the right that a type needs. */
export function rightTo(type: string): Right {
  const right = rights.get(type);
  if (right === undefined) throw new Error(`${type} is in no list`);
  return right;
}
