import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import type { Status } from "../zcl/status.ts";
import { status } from "../zcl/status.ts";

/** A time of a day (minutes) from which a setpoint holds (hundredths of a degree). */
export interface Transition {
  readonly minute: number;
  readonly setpoint: number;
}

const dayCount = 8;
/** The bits of the mode: heating alone is kept. */
const heating = 0x01;

/** The weekly schedule of a thermostat that heats: transitions for each day and for holidays (ZCL 6.3.2.3). */
export class WeeklySchedule {
  /** The transitions of a day that a frame may set. */
  readonly most: number;
  readonly #days: (readonly Transition[])[] = Array.from({ length: dayCount }, () => []);

  constructor(most: number) {
    this.most = most;
  }

  /** @param day 0 for Sunday to 6 for Saturday, 7 for holidays. */
  of(day: number): readonly Transition[] {
    return this.#days[day] ?? [];
  }

  /** Carries out Set Weekly Schedule. */
  set(payload: ByteReader): Status {
    const [count, days, mode] = [payload.uint8(), payload.uint8(), payload.uint8()];
    if (mode !== heating || count > this.most) return status.invalidValue;
    const transitions = Array.from({ length: count }, (): Transition => {
      return { minute: payload.uint16(), setpoint: payload.int(2) };
    });
    if (payload.remaining > 0) return status.malformedCommand;
    if (transitions.some(({ minute }) => minute >= 1440)) return status.invalidValue;
    for (const day of this.#days.keys()) if ((days & (1 << day)) !== 0) this.#days[day] = transitions;
    return status.success;
  }

  /** Answers Get Weekly Schedule for the first of the wanted days. */
  get(payload: ByteReader): Uint8Array {
    const [days] = [payload.uint8(), payload.uint8()];
    const day = Math.max(
      0,
      [...this.#days.keys()].findIndex((each) => (days & (1 << each)) !== 0),
    );
    const transitions = this.of(day);
    const answer = write()
      .uint8(transitions.length)
      .uint8(1 << day)
      .uint8(heating);
    for (const { minute, setpoint } of transitions) answer.uint16(minute).int(setpoint, 2);
    return answer.done();
  }
}
