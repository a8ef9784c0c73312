export * from "./access.ts";
export * from "./activator.ts";
export * from "./adapter.ts";
export * from "./adopted-keys.ts";
export * from "./aircon.ts";
export * from "./alarm.ts";
export * from "./alarm-texts.ts";
export * from "./aggregates.ts";
export * from "./alert.ts";
export type { ListedUser } from "./authorization-list.ts";
export * from "./attribute-texts.ts";
export * from "./autoconfig.ts";
export * from "./bacnet.ts";
export * from "./binding.ts";
export * from "./capability.ts";
export * from "./categories.ts";
export * from "./cascade.ts";
export * from "./command.ts";
export * from "./configuration.ts";
export * from "./configuration-item.ts";
export * from "./custom-rule.ts";
export * from "./decider.ts";
export * from "./device-access.ts";
export { deviceClassOf } from "./device-class.ts";
export * from "./device-state.ts";
export * from "./device-content.ts";
export * from "./device.ts";
export type { DeviceEvent, DeviceRemoved, DeviceReplaced, DeviceReported } from "./device-events.ts";
export { CmdReplaceDevice } from "./replacement.ts";
export * from "./device-object.ts";
export * from "./email.ts";
export * from "./event.ts";
export {
  type Extra,
  extraAttribute,
  ExtraDescription,
  type Extras,
  type ExtraValue,
  extraOf,
  extrasProblem,
  isExtra,
  isReadable,
  shownIn,
  withShown,
} from "./extra.ts";
export * from "./lazy-validator.ts";
export * from "./personal.ts";
export * from "./feature.ts";
export * from "./feature-switch.ts";
export * from "./group.ts";
export * from "./hub.ts";
export { HubFacts, HubHealth, type HubTrouble } from "./hub-health.ts";
export { troublesOf } from "./hub-troubles.ts";
export type { Hub, PublicKey, TrustedCloud } from "./hub-state.ts";
export * from "./issue.ts";
export * from "./language.ts";
export * from "./unprintable.ts";
export * from "./limits.ts";
export * from "./local-key.ts";
export * from "./location.ts";
export * from "./sharing.ts";
export * from "./zigbee2mqtt-files.ts";
export * from "./message.ts";
export * from "./message-target.ts";
export * from "./modbus-server.ts";
export * from "./mqtt-broker.ts";
export * from "./notification.ts";
export * from "./output.ts";
export { HomePreferencesSet, type Preferences, PreferencesSet } from "./preferences.ts";
export * from "./preset.ts";
export * from "./reading.ts";
export * from "./price.ts";
export * from "./remote-calls.ts";
export * from "./restorable.ts";
export * from "./room.ts";
export * from "./rule.ts";
export { ruleStopTexts } from "./rule-alarm-texts.ts";
export { RuleDiagram } from "./rule-diagram.ts";
export * from "./rule-run.ts";
export * from "./rule-template.ts";
export * from "./scan.ts";
export * from "./scene.ts";
export * from "./scene-object.ts";
export * from "./schedule.ts";
export * from "./schema.ts";
export * from "./seen.ts";
export * from "./sender.ts";
export * from "./states.ts";
export * from "./stick.ts";
export * from "./texts.ts";
export * from "./timer.ts";
export * from "./twin.ts";
export * from "./ui-device.ts";
export * from "./upcasters.ts";
export * from "./upgrade.ts";
export * from "./user.ts";
export * from "./zone.ts";
export * from "./zone-locations.ts";
export * from "./why.ts";
export * from "./why-texts.ts";
