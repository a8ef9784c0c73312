import type { Command, Decider, Declared, DomainEvent } from "@ledge/model";
import { declaredBy, timer } from "@ledge/model";
import { account } from "./account.ts";
import { authorizations } from "./authorizations.ts";
import { client } from "./client.ts";
import { deviceRegister } from "./device-register.ts";
import { egress } from "./egress.ts";
import { installation } from "./installation.ts";
import { login } from "./login.ts";
import { oauthArtifact } from "./oauth-artifact.ts";
import { operation } from "./operation.ts";
import { registerDevice } from "./register-device.ts";
import { registration } from "./registration.ts";
import { sessions } from "./sessions.ts";
import { signingKey } from "./signing-key.ts";
import { site } from "./site.ts";
import type { CloudStates } from "./states.ts";
import { subscription } from "./subscription.ts";
import { templates } from "./templates.ts";
import { tenant } from "./tenant.ts";

/** Every aggregate of a cloud. */
export const cloudAggregates = [
  installation,
  signingKey,
  account,
  login,
  sessions,
  registration,
  authorizations,
  operation,
  registerDevice,
  deviceRegister,
  tenant,
  subscription,
  site,
  egress,
  templates,
  client,
  oauthArtifact,
  timer,
] as unknown as readonly Decider<CloudStates[keyof CloudStates], Command, DomainEvent, CloudStates>[];

/** The personal and secret fields of a cloud's events and states. */
export const cloudDeclared: Declared = declaredBy(cloudAggregates);

/** Every event type of a cloud, by name. */
export const cloudEvents: Declared["events"] = cloudDeclared.events;
