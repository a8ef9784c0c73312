import type { ServedDevice } from "../server/exposed.ts";

/** The devices of a home, as the hub tells its server of them. */
export const home: readonly ServedDevice[] = [
  served("s", "Room", ["TEMPERATURE", "HUMIDITY"], { temperature: 21.5, humidity: 40 }),
  served("l", "Lamp", ["ON_OFF", "BRIGHTNESS", "CONTROL_LIGHT"], { isOn: false, brightness: 0.25 }, "LIGHT"),
  served("t", "Heating", ["CONTROL_TEMPERATURE", "CONTROL_MODE", "CONTROL_PRESET"], {
    targetTemp: 20,
    mode: 2,
    preset: 0,
  }),
  served("m", "Room", ["MOTION"], { motion: false, fanMode: 3 }, "MOTION"),
  served("d", "Door", ["LOCK"], { locked: true }),
  served("a", "Siren", ["ON_OFF", "GENERATE_ALERT"], { isOn: false, sirenOn: true }, "ALARM_DEVICE"),
  served("m2", "Room", ["MOTION"], { motion: true }, "MOTION"),
];

export function served(
  id: string,
  name: string,
  capabilities: readonly string[],
  state: object,
  kind = "MULTI_SENSOR",
): ServedDevice {
  return { id, name, class: kind, capabilities, state: { reachable: true, ...state } };
}
