import type { ComponentType } from "preact";
import { type ReadonlySignal, signal } from "@preact/signals";

/** The screens by the first part of the route; their code is loaded when it is needed, or the page has nothing to do. */
const loads: Readonly<Record<string, () => Promise<ComponentType>>> = {
  home: async () => (await import("../screens/home/home.tsx")).Home,
  devices: async () => (await import("../screens/devices/devices.tsx")).Devices,
  device: async () => (await import("../screens/device/device.tsx")).DeviceScreen,
  pair: async () => (await import("../screens/pair/pair.tsx")).Pair,
  rules: async () => (await import("../screens/rules/rules.tsx")).Rules,
  rule: async () => (await import("../screens/rule/rule.tsx")).RuleScreen,
  custom: async () => (await import("../screens/custom/custom.tsx")).CustomScreen,
  scenes: async () => (await import("../screens/scenes/scenes.tsx")).Scenes,
  scene: async () => (await import("../screens/scene/scene.tsx")).SceneScreen,
  group: async () => (await import("../screens/group/group.tsx")).GroupScreen,
  timeline: async () => (await import("../screens/timeline/timeline.tsx")).TimelineScreen,
  alarms: async () => (await import("../screens/alarms/alarms.tsx")).Alarms,
  people: async () => (await import("../screens/people/people.tsx")).People,
  network: async () => (await import("../screens/network/network.tsx")).NetworkScreen,
  energy: async () => (await import("../screens/energy/energy.tsx")).EnergyScreen,
  health: async () => (await import("../screens/health/health.tsx")).HealthScreen,
  system: async () => (await import("../screens/system/system.tsx")).SystemScreen,
  features: async () => (await import("../screens/features/features.tsx")).FeaturesScreen,
  messages: async () => (await import("../screens/messages/messages.tsx")).MessagesScreen,
  broker: async () => (await import("../screens/broker/broker.tsx")).BrokerScreen,
  api: async () => (await import("../screens/api/api.tsx")).ApiScreen,
  panel: async () => (await import("../screens/panel/panel.tsx")).PanelScreen,
  more: async () => (await import("../screens/more/more.tsx")).More,
};

const loaded = new Map<string, ReadonlySignal<ComponentType | undefined>>();

export function isScreen(name: string): boolean {
  return Object.hasOwn(loads, name);
}

/** Returns the view of a screen; undefined while its code is on its way. */
export function screenOf(name: string): ReadonlySignal<ComponentType | undefined> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const view = signal<ComponentType | undefined>(undefined);
  loaded.set(name, view);
  const load = Object.hasOwn(loads, name) ? loads[name] : undefined;
  void load?.().then(
    (found) => (view.value = found),
    () => loaded.delete(name),
  );
  return view;
}

/** Loads the code of every screen, so that navigation asks the hub for nothing. */
export function loadAll(): void {
  for (const name of Object.keys(loads)) screenOf(name);
}
