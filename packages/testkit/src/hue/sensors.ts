// Remotes and sensors of a simulated bridge, as its two interfaces tell of them.

/** What a button does; the two that end a press by themselves last. */
export type ButtonEvent = "initial_press" | "repeat" | "long_release" | "short_release";

/** A dimmer switch with four buttons, or a sensor of motion, warmth and light. */
export interface SimulatedSensor {
  /** The first of its ids; a motion sensor has three. */
  readonly id: number;
  readonly name: string;
  readonly kind: "dimmer" | "motion";
  battery: number;
  reachable: boolean;
  motion: boolean;
  /** °C */
  temperature: number;
  /** As the bridge counts: 10,000 times the logarithm of lux, plus 1. */
  light: number;
  pressed: { readonly button: number; readonly event: ButtonEvent; readonly at: number } | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const codes: readonly ButtonEvent[] = ["initial_press", "repeat", "short_release", "long_release"];
const buttons = [1, 2, 3, 4] as const;

/** Returns `sensors` of the first interface, with one of the bridge itself. */
export function firstSensors(sensors: readonly SimulatedSensor[]): Json {
  const own = { type: "Daylight", name: "Daylight", state: { daylight: true }, config: { on: true } };
  return Object.fromEntries([["1", own] as const, ...sensors.flatMap((sensor) => firstParts(sensor))]);
}

function firstParts(sensor: SimulatedSensor): readonly (readonly [string, Json])[] {
  const { id, name, kind, battery, reachable, motion, temperature, light, pressed } = sensor;
  const part = (at: number, type: string, state: Json, own = name): readonly [string, Json] => [
    String(id + at),
    {
      type,
      name: own,
      modelid: modelOf(sensor),
      manufacturername: "Signify Netherlands B.V.",
      uniqueid: `00:17:88:01:02:00:00:${id}-02-${at}`,
      state,
      config: { on: true, battery, reachable },
    },
  ];
  if (kind === "dimmer") {
    const code = pressed === undefined ? null : pressed.button * 1000 + codes.indexOf(pressed.event);
    return [part(0, "ZLLSwitch", { buttonevent: code, lastupdated: String(pressed?.at ?? "none") })];
  }
  return [
    part(0, "ZLLTemperature", { temperature: Math.round(temperature * 100) }, "Hue temperature sensor 1"),
    part(1, "ZLLPresence", { presence: motion }),
    part(2, "ZLLLightLevel", { lightlevel: light }, "Hue ambient light sensor 1"),
  ];
}

/** Returns the resources of the second interface for one sensor. */
export function secondResources(sensor: SimulatedSensor): readonly Json[] {
  const { id, name, kind, battery, reachable, motion, temperature, light, pressed } = sensor;
  const rid = `sensor-${id}`;
  const owner = { rid, rtype: "device" };
  const service = (type: string, at: number | undefined, more: Json): Json => ({
    id: `${rid}-${type}-${String(more["metadata"] === undefined ? "" : (more["metadata"] as Json)["control_id"])}`,
    ...(at !== undefined && { id_v1: `/sensors/${id + at}` }),
    type,
    owner,
    ...more,
  });
  const device = {
    id: rid,
    type: "device",
    metadata: { name },
    product_data: { manufacturer_name: "Signify Netherlands B.V.", model_id: modelOf(sensor) },
  };
  const services =
    kind === "dimmer"
      ? buttons.map((button) =>
          service("button", 0, {
            metadata: { control_id: button },
            button: {
              event_values: codes,
              ...(pressed?.button === button && {
                last_event: pressed.event,
                button_report: { event: pressed.event, updated: String(pressed.at) },
              }),
            },
          }),
        )
      : [
          service("temperature", 0, { temperature: { temperature, temperature_valid: true } }),
          service("motion", 1, { motion: { motion, motion_valid: true } }),
          service("light_level", 2, { light: { light_level: light, light_level_valid: true } }),
        ];
  return [
    device,
    ...services,
    service("device_power", undefined, { power_state: { battery_level: battery } }),
    service("zigbee_connectivity", undefined, { status: reachable ? "connected" : "connectivity_issue" }),
  ];
}

function modelOf({ kind }: SimulatedSensor): string {
  return kind === "dimmer" ? "RWL022" : "SML003";
}

/** Returns a dimmer switch and a motion sensor. */
export function exampleSensors(): SimulatedSensor[] {
  const common = {
    battery: 80,
    reachable: true,
    motion: false,
    temperature: 21.5,
    light: 20_001,
    pressed: undefined,
  };
  return [
    { id: 2, name: "Bedside", kind: "dimmer", ...common },
    { id: 5, name: "Porch", kind: "motion", ...common },
  ];
}
