import type { KnownStick } from "./known-sticks.ts";
import { knownSticks } from "./known-sticks.ts";
import type { SerialPort } from "./list.ts";

/**
 * `sure`: ids, manufacturer and name match. `likely`: only some of them match, but no other known product
 * does. `unsure`: it may well be something else, so it is not proposed.
 */
export type Certainty = "sure" | "likely" | "unsure";

/** The stick that a port is recognised as. */
export interface StickMatch {
  readonly stick: KnownStick;
  readonly certainty: Certainty;
}

const ranks: Readonly<Record<Certainty, number>> = { unsure: 0, likely: 1, sure: 2 };

/**
 * Recognises the stick at a port; undefined for an unknown one, or when two with different drivers match
 * equally well.
 */
export function matchStick(port: SerialPort): StickMatch | undefined {
  const called = nameOf(port);
  const fitting = knownSticks.flatMap((stick) => {
    const certainty = certaintyOf(stick, port, called);
    return certainty === undefined ? [] : { stick, certainty };
  });
  const most = Math.max(...fitting.map(({ certainty }) => ranks[certainty]));
  const [best, ...others] = fitting.filter(({ certainty }) => ranks[certainty] === most);
  return others.every(({ stick }) => stick.driver === best?.stick.driver) ? best : undefined;
}

function certaintyOf(stick: KnownStick, port: SerialPort, called: string): Certainty | undefined {
  const { usb, interfaceNumber } = stick;
  if (!usb.includes(`${port.vendorId}:${port.productId}`)) return undefined;
  if (interfaceNumber !== undefined && (port.interfaceNumber ?? 0) !== interfaceNumber) return undefined;
  const isMaker = sameText(stick.manufacturer, port.manufacturer);
  const isCalled = fits(stick.called, called) && !fits(stick.notCalled, called);
  if (stick.notCalled !== undefined && !isCalled) return undefined;
  if (!isCalled && stick.ownIds !== true) return undefined;
  if (stick.unconfirmed === true) return "unsure";
  if (stick.ambiguous === true) return "likely";
  return isMaker && isCalled ? "sure" : "likely";
}

/** Returns a stick's name: its by-id name, or the one that udev would give it. */
function nameOf({ byId, manufacturer, product, serialNumber }: SerialPort): string {
  const [, named] = /^[a-z]+-(.+?)-if[0-9a-f]{2}(?:-port\d+)?$/.exec(byId ?? "") ?? [];
  if (named !== undefined) return named;
  const parts = [manufacturer, product, serialNumber].filter((part) => part !== null);
  return parts.join("_").trim().replace(/\s+/g, "_");
}

function sameText(a: string | undefined, b: string | null): boolean {
  return a !== undefined && b !== null && a.toLowerCase() === b.toLowerCase();
}

/** Whether a text matches a pattern in which `*` matches anything. */
function fits(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined) return false;
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const whole = text.toLowerCase();
  if (rest.length === 0) return whole === first;
  const last = rest.pop() ?? "";
  if (!whole.startsWith(first) || !whole.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = whole.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= whole.length - last.length;
}
