import { componentsOfHue, componentsOfWhite } from "./color.ts";
import { deviceModes, setpoint } from "./climate.ts";
import { commandClass } from "./command-class.ts";
import { lockMode } from "./locks.ts";
import { fullLevel } from "./switches.ts";
import type { Unit } from "./units.ts";
import type { AttributeValues } from "./value.ts";

/** A value to be set at a node: its command class, its property, and what it shall be. */
export interface Order {
  readonly commandClass: number;
  readonly property: string;
  readonly propertyKey?: number;
  readonly value: unknown;
  /** How long a change may take (ms). */
  readonly transitionMs?: number;
}

/** The longest that a level may take to change: 127 minutes (SDS13781, Multilevel Switch). */
const longestMs = 127 * 60_000;
const anyTone = 0xff;

/** What a unit has that an order depends on. */
export interface OrderContext {
  readonly unit: Pick<Unit, "kind" | "capabilities">;
  /** The command classes that its endpoints have. */
  readonly has: (commandClass: number) => boolean;
  /** The types of setpoints that it has. */
  readonly setpoints: readonly number[];
  /** The attributes that it reported last. */
  readonly before: AttributeValues;
}

/**
 * Returns what to set for wanted attributes; empty when the device can do nothing of it.
 * @param wanted validated against the capabilities of the device
 */
export function ordersFor(wanted: AttributeValues, context: OrderContext): readonly Order[] {
  return [
    ...colorOrders(wanted),
    ...switchOrders(wanted, context),
    ...coverOrders(wanted, context),
    ...climateOrders(wanted, context),
    ...lockOrders(wanted, context),
    ...sirenOrders(wanted, context),
  ];
}

function transitionOf({ transitionMsec }: AttributeValues): Pick<Order, "transitionMs"> {
  return typeof transitionMsec === "number" ? { transitionMs: Math.min(transitionMsec, longestMs) } : {};
}

function switchOrders(wanted: AttributeValues, { unit, has }: OrderContext): readonly Order[] {
  if (!unit.capabilities.includes("ON_OFF")) return [];
  const { isOn, brightness } = wanted;
  if (has(commandClass.multilevelSwitch) && unit.kind !== "cover") {
    const level =
      isOn === false
        ? 0
        : typeof brightness === "number"
          ? Math.max(Math.round(brightness * fullLevel), isOn === true ? 1 : 0)
          : isOn === true
            ? 0xff
            : undefined;
    if (level === undefined) return [];
    const order = { commandClass: commandClass.multilevelSwitch, property: "targetValue", value: level };
    return [{ ...order, ...transitionOf(wanted) }];
  }
  if (typeof isOn !== "boolean" || !has(commandClass.binarySwitch)) return [];
  return [{ commandClass: commandClass.binarySwitch, property: "targetValue", value: isOn }];
}

function coverOrders({ position, liftPct, stop }: AttributeValues, { unit }: OrderContext): readonly Order[] {
  if (!unit.capabilities.includes("BLINDS")) return [];
  // The library stops the motor when a move in either direction ends.
  if (stop === true) return [{ commandClass: commandClass.multilevelSwitch, property: "Up", value: false }];
  const share = typeof liftPct === "number" ? liftPct / 100 : position;
  if (typeof share !== "number") return [];
  const value = Math.round(share * fullLevel);
  return [{ commandClass: commandClass.multilevelSwitch, property: "targetValue", value }];
}

function colorOrders(wanted: AttributeValues): readonly Order[] {
  const { colorMode, hue, saturation, temperature } = wanted;
  const order = { commandClass: commandClass.color, property: "targetColor", ...transitionOf(wanted) };
  if (typeof temperature === "number" && temperature > 0 && colorMode !== "hs")
    return [{ ...order, value: componentsOfWhite(temperature) }];
  if (typeof hue !== "number" || hue < 0) return [];
  const share = typeof saturation === "number" && saturation >= 0 ? saturation : 1;
  return [{ ...order, value: componentsOfHue(hue, share) }];
}

function climateOrders(wanted: AttributeValues, { setpoints, before }: OrderContext): readonly Order[] {
  const mode = typeof wanted["mode"] === "number" ? deviceModes[wanted["mode"]] : undefined;
  const target = wanted["targetTemperature"] ?? wanted["targetTemp"];
  const { heating, cooling } = setpoint;
  const isCooling = (wanted["mode"] ?? before["mode"]) === 3 || !setpoints.includes(heating);
  const propertyKey = isCooling && setpoints.includes(cooling) ? cooling : heating;
  return [
    ...(mode === undefined ? [] : [{ commandClass: commandClass.mode, property: "mode", value: mode }]),
    ...(typeof target === "number" && setpoints.length > 0
      ? [{ commandClass: commandClass.setpoint, property: "setpoint", propertyKey, value: target }]
      : []),
  ];
}

function lockOrders({ locked }: AttributeValues, { has }: OrderContext): readonly Order[] {
  if (typeof locked !== "boolean") return [];
  if (has(commandClass.doorLock)) {
    const value = locked ? lockMode.secured : lockMode.unsecured;
    return [{ commandClass: commandClass.doorLock, property: "targetMode", value }];
  }
  return has(commandClass.lock)
    ? [{ commandClass: commandClass.lock, property: "locked", value: locked }]
    : [];
}

function sirenOrders(wanted: AttributeValues, { unit, has }: OrderContext): readonly Order[] {
  const isOn = wanted["sirenOn"] ?? (unit.capabilities.includes("ON_OFF") ? undefined : wanted["isOn"]);
  if (typeof isOn !== "boolean" || !has(commandClass.sound)) return [];
  return [{ commandClass: commandClass.sound, property: "toneId", value: isOn ? anyTone : 0 }];
}
