/** How an object of BTHome v2 is read; https://bthome.io/format lists them. */
export type BthomeObject =
  | {
      readonly kind: "number";
      readonly quantity: string;
      readonly bytes: number;
      readonly isSigned: boolean;
      readonly factor: number;
      readonly unit: string | null;
    }
  | { readonly kind: "boolean"; readonly quantity: string }
  | { readonly kind: "text" | "raw"; readonly quantity: string }
  | { readonly kind: "packet" | "button" | "dimmer" }
  | { readonly kind: "version"; readonly bytes: number };

const uint = (quantity: string, bytes: number, factor = 1, unit: string | null = null): BthomeObject => ({
  kind: "number",
  quantity,
  bytes,
  isSigned: false,
  factor,
  unit,
});
const sint = (quantity: string, bytes: number, factor = 1, unit: string | null = null): BthomeObject => ({
  kind: "number",
  quantity,
  bytes,
  isSigned: true,
  factor,
  unit,
});
const bool = (quantity: string): BthomeObject => ({ kind: "boolean", quantity });

/** Objects by id. */
export const bthomeObjects: Readonly<Record<number, BthomeObject>> = {
  0x00: { kind: "packet" },
  0x01: uint("battery", 1, 1, "%"),
  0x02: sint("temperature", 2, 0.01, "°C"),
  0x03: uint("humidity", 2, 0.01, "%"),
  0x04: uint("pressure", 3, 1, "Pa"),
  0x05: uint("illuminance", 3, 0.01, "lx"),
  0x06: uint("mass", 2, 0.01, "kg"),
  0x07: uint("mass_lb", 2, 0.01, "lb"),
  0x08: sint("dewpoint", 2, 0.01, "°C"),
  0x09: uint("count", 1),
  0x0a: uint("energy", 3, 0.001, "kWh"),
  0x0b: uint("power", 3, 0.01, "W"),
  0x0c: uint("voltage", 2, 0.001, "V"),
  0x0d: uint("pm25", 2, 1, "µg/m³"),
  0x0e: uint("pm10", 2, 1, "µg/m³"),
  0x0f: bool("generic"),
  0x10: bool("power_on"),
  0x11: bool("opening"),
  0x12: uint("co2", 2, 1, "ppm"),
  0x13: uint("tvoc", 2, 1, "µg/m³"),
  0x14: uint("moisture", 2, 0.01, "%"),
  0x15: bool("battery_low"),
  0x16: bool("battery_charging"),
  0x17: bool("carbon_monoxide"),
  0x18: bool("cold"),
  0x19: bool("connectivity"),
  0x1a: bool("door"),
  0x1b: bool("garage_door"),
  0x1c: bool("gas_detected"),
  0x1d: bool("heat"),
  0x1e: bool("light"),
  0x1f: bool("unlocked"),
  0x20: bool("moisture_detected"),
  0x21: bool("motion"),
  0x22: bool("moving"),
  0x23: bool("occupancy"),
  0x24: bool("plug"),
  0x25: bool("presence"),
  0x26: bool("problem"),
  0x27: bool("running"),
  0x28: bool("safety"),
  0x29: bool("smoke"),
  0x2a: bool("sound"),
  0x2b: bool("tamper"),
  0x2c: bool("vibration"),
  0x2d: bool("window"),
  0x2e: uint("humidity", 1, 1, "%"),
  0x2f: uint("moisture", 1, 1, "%"),
  0x3a: { kind: "button" },
  0x3c: { kind: "dimmer" },
  0x3d: uint("count", 2),
  0x3e: uint("count", 4),
  0x3f: sint("rotation", 2, 0.1, "°"),
  0x40: uint("distance_mm", 2, 1, "mm"),
  0x41: uint("distance", 2, 0.1, "m"),
  0x42: uint("duration", 3, 0.001, "s"),
  0x43: uint("current", 2, 0.001, "A"),
  0x44: uint("speed", 2, 0.01, "m/s"),
  0x45: sint("temperature", 2, 0.1, "°C"),
  0x46: uint("uv_index", 1, 0.1),
  0x47: uint("volume", 2, 0.1, "l"),
  0x48: uint("volume", 2, 0.001, "l"),
  0x49: uint("volume_flow_rate", 2, 0.001, "m³/h"),
  0x4a: uint("voltage", 2, 0.1, "V"),
  0x4b: uint("gas", 3, 0.001, "m³"),
  0x4c: uint("gas", 4, 0.001, "m³"),
  0x4d: uint("energy", 4, 0.001, "kWh"),
  0x4e: uint("volume", 4, 0.001, "l"),
  0x4f: uint("water", 4, 0.001, "l"),
  0x50: uint("timestamp", 4, 1, "s"),
  0x51: uint("acceleration", 2, 0.001, "m/s²"),
  0x52: uint("gyroscope", 2, 0.001, "°/s"),
  0x53: { kind: "text", quantity: "text" },
  0x54: { kind: "raw", quantity: "raw" },
  0x55: uint("volume_storage", 4, 0.001, "l"),
  0x56: uint("conductivity", 2, 1, "µS/cm"),
  0x57: sint("temperature", 1, 1, "°C"),
  0x58: sint("temperature", 1, 0.35, "°C"),
  0x59: sint("count", 1),
  0x5a: sint("count", 2),
  0x5b: sint("count", 4),
  0x5c: sint("power", 4, 0.01, "W"),
  0x5d: sint("current", 2, 0.001, "A"),
  0x5e: uint("direction", 2, 0.01, "°"),
  0x5f: uint("precipitation", 2, 0.1, "mm"),
  0x60: uint("channel", 1),
  0x61: uint("rotational_speed", 2, 1, "rpm"),
  0x62: sint("speed", 4, 0.000001, "m/s"),
  0x63: sint("acceleration", 4, 0.000001, "m/s²"),
  0x64: uint("light_level", 1),
  0xf0: { kind: "version", bytes: 2 },
  0xf1: { kind: "version", bytes: 4 },
  0xf2: { kind: "version", bytes: 3 },
};

/** Events of a button by number; 0 says that nothing happened. */
export const buttonEvents: Readonly<Record<number, string>> = {
  0x01: "press",
  0x02: "double_press",
  0x03: "triple_press",
  0x04: "long_press",
  0x05: "long_double_press",
  0x06: "long_triple_press",
  0x80: "hold_press",
  // Shelly's first firmware.
  0xfe: "hold_press",
};

/** Events of a knob by number. */
export const dimmerEvents: Readonly<Record<number, string>> = { 0x01: "rotate_left", 0x02: "rotate_right" };
