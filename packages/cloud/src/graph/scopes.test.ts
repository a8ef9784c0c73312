import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Message, Served } from "../http/test-served.ts";
import { type OAuthScope, type PlatformScope, platformScopes } from "../model/oauth-scopes.ts";
import type { MadeClient } from "../oauth/clients.ts";
import { makeClient, ownToken, startServed } from "../oauth/test-flow.ts";
import { graphRows } from "./rows.ts";
import { scopesFor } from "./scopes.ts";
import { leastMessage } from "./test-messages.ts";

/** Types that ask for something else than their base and kind say, written out apart from the rule. */
const odd: Readonly<Record<string, string>> = {
  CreateTenantCommand: "internal",
  CreateEgressTargetSiteCommand: "platform.write devices.read",
  UpdateEgressTargetSiteCommand: "platform.write devices.read",
  ApplyPresetsHubCommand: "devices.control",
  CloseAlarmHubCommand: "devices.control",
  RemoveAlarmHubCommand: "devices.control",
  ControlDevicesHubCommand: "devices.control",
  ControlGroupsHubCommand: "devices.control",
  ControlRulesHubCommand: "devices.control",
  ControlScenesHubCommand: "devices.control",
  SendDeviceRegisterCommand: "devices.control",
  ExecuteDeviceRegisterCommand: "devices.control",
  SubscribeHubCommand: "devices.read",
  UnsubscribeHubCommand: "devices.read",
  SubscribeDeviceRegisterCommand: "devices.read",
  UnsubscribeDeviceRegisterCommand: "devices.read",
  SubscribeSiteCommand: "platform.read",
  UnsubscribeSiteCommand: "platform.read",
  SubscribeOperationCommand: "platform.read or devices.read",
  UnsubscribeOperationCommand: "platform.read or devices.read",
};

/** The scopes of all other types. */
function expected(base: string): string {
  if (base === "OperationQuery") return "platform.read or devices.read";
  if (base === "OperationCommand") return "platform.write or devices.control";
  const isOfHomes = /^(?:Hubs?|DeviceRegister)(?:Query|Command)$/.test(base);
  if (base.endsWith("Query")) return isOfHomes ? "devices.read" : "platform.read";
  return isOfHomes ? "devices.control platform.write" : "platform.write";
}

test("each type asks for the scopes that the list says", () => {
  for (const row of graphRows) {
    const said = scopesFor(row)
      .map((all) => all.join(" "))
      .join(" or ");
    assert.equal(said, odd[row.type] ?? expected(row.base), row.type);
  }
});

let served: Served;
let client: MadeClient;
before(async () => {
  served = await startServed();
  client = await makeClient(served, "maker@a.example", platformScopes);
});
after(() => served.stop());

const messageOf = (row: (typeof graphRows)[number]): Message =>
  leastMessage(row, { hubId: "none", deviceRegisterId: "none", path: "/hub/tz", email: "x@a.example" });

test("a token carries out a type exactly when it has the scopes for it", async () => {
  const sets: (readonly PlatformScope[])[] = [
    [],
    ...platformScopes.map((scope) => [scope]),
    ["devices.control", "platform.write"],
    ["devices.read", "platform.write"],
    platformScopes,
  ];
  for (const scopes of sets) {
    // A token without a scope of the platform may still be asked for.
    const asked: readonly OAuthScope[] = scopes;
    const token = await ownToken(served.base, client, asked.join(" "));
    for (const row of graphRows) {
      const { error } = await served.graph(token, messageOf(row));
      const isNarrowed = error?.details?.["scope"] !== undefined;
      const reaches = scopesFor(row).some((all) => all.every((scope) => scopes.includes(scope)));
      assert.equal(isNarrowed, !reaches, `${row.type} with ${scopes.join(" ")}`);
      if (isNarrowed) assert.equal(error?.code, "E_FORBIDDEN");
    }
    // A minute for the next set.
    await served.test.clock.pass(60_000);
  }
});

test("scopes give no right that the account lacks", async () => {
  const { hub } = await served.claimed("home@a.example");
  const token = await ownToken(served.base, client, platformScopes.join(" "));
  for (const type of ["GetHubQuery", "SetShareHubCommand", "RestartHubCommand"]) {
    const { error } = await served.graph(token, { type, hubId: hub.id, share: "none" });
    assert.equal(error?.code, "E_NOT_FOUND", type);
  }
});
