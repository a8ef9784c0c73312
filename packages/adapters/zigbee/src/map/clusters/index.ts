import type { ClusterMap } from "../cluster.ts";
import { battery } from "./battery.ts";
import { color } from "./color.ts";
import { covering } from "./covering.ts";
import { deviceTemperature } from "./device-temperature.ts";
import { diagnostics } from "./diagnostics.ts";
import { doorLock } from "./door-lock.ts";
import { electrical } from "./electrical.ts";
import { fan } from "./fan.ts";
import { iasZone } from "./ias-zone.ts";
import { levelControl } from "./level.ts";
import { sensors } from "./measurement.ts";
import { occupancy } from "./occupancy.ts";
import { onOff } from "./on-off.ts";
import { metering } from "./metering.ts";
import { thermostat } from "./thermostat.ts";
import { warning } from "./warning.ts";

/** All supported clusters. Frames are sent in this order: a lamp is switched on before it gets a colour. */
export const clusters: readonly ClusterMap[] = [
  onOff,
  levelControl,
  color,
  covering,
  doorLock,
  thermostat,
  fan,
  warning,
  electrical,
  metering,
  deviceTemperature,
  ...sensors,
  occupancy,
  iasZone,
  battery,
  diagnostics,
];
