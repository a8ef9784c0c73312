import { componentsOfHue, componentsOfWhite } from "./color.ts";
import { deviceFanModes, deviceModes, setpoint } from "./climate.ts";
import { commandClass } from "./command-class.ts";
import { barrierState, coveringOf } from "./covers.ts";
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
  /** The parameters of Window Covering that it has. */
  readonly coverings: readonly number[];
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
    ...fanOrders(wanted, context),
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

function coverOrders(wanted: AttributeValues, context: OrderContext): readonly Order[] {
  const { unit, has, coverings } = context;
  if (coverings.length > 0) return coveringOrders(wanted, coverings);
  if (!unit.capabilities.includes("BLINDS")) return [];
  const share = shareOf(wanted);
  if (has(commandClass.barrier)) {
    if (share === undefined) return [];
    const value = share >= 0.5 ? barrierState.open : barrierState.closed;
    return [{ commandClass: commandClass.barrier, property: "targetState", value }];
  }
  // The library stops the motor when a move in either direction ends.
  if (wanted["stop"] === true)
    return [{ commandClass: commandClass.multilevelSwitch, property: "Up", value: false }];
  if (share === undefined) return [];
  const value = Math.round(share * fullLevel);
  return [{ commandClass: commandClass.multilevelSwitch, property: "targetValue", value }];
}

function coveringOrders(wanted: AttributeValues, coverings: readonly number[]): readonly Order[] {
  const [lift, tilt] = [shareOf(wanted), wanted["tiltPct"]];
  return coverings.flatMap((propertyKey): readonly Order[] => {
    const order = { commandClass: commandClass.windowCovering, propertyKey };
    if (wanted["stop"] === true) return [{ ...order, property: "levelChangeUp", value: false }];
    const share =
      coveringOf(propertyKey) === "lift" ? lift : typeof tilt === "number" ? tilt / 100 : undefined;
    return share === undefined
      ? []
      : [{ ...order, property: "targetValue", value: Math.round(share * fullLevel) }];
  });
}

function shareOf({ position, liftPct }: AttributeValues): number | undefined {
  const share = typeof liftPct === "number" ? liftPct / 100 : position;
  return typeof share === "number" ? share : undefined;
}

function fanOrders({ fanMode }: AttributeValues, { has, before }: OrderContext): readonly Order[] {
  if (typeof fanMode !== "number" || !has(commandClass.fanMode)) return [];
  const order = { commandClass: commandClass.fanMode };
  if (fanMode === 0) return [{ ...order, property: "off", value: true }];
  const value = deviceFanModes[fanMode];
  if (value === undefined) return [];
  const on = before["fanMode"] === 0 ? [{ ...order, property: "off", value: false }] : [];
  return [...on, { ...order, property: "mode", value }];
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
