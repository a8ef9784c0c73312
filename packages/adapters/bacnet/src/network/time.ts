import { pdu, unconfirmed } from "./apdu.ts";

/** Returns whether a message sets clocks. */
export function isTimeSynchronization(kind: number, service: number): boolean {
  const { timeSynchronization, utcTimeSynchronization } = unconfirmed;
  return kind === pdu.unconfirmed && (service === timeSynchronization || service === utcTimeSynchronization);
}

/** Returns the time in a synchronization: the library takes the months for one later. */
export function timeIn(content: Buffer): Date {
  const [, year = 0, month = 1, day = 1, , , hour = 0, minute = 0, second = 0] = content;
  return new Date(Date.UTC(1900 + year, month - 1, day, hour, minute, second));
}
