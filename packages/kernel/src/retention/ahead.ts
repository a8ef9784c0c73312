import type { EventLog, Wants } from "@ledge/log";
import { limits } from "@ledge/model";

/** Bytes that are passed over in one turn. */
const sliceBytes = 32_768;

/** What a compaction could take next. Bytes as events are stored. */
export interface Ahead {
  /** Up to where (ms). */
  readonly until: number;
  /** Of telemetry: what may go at most. */
  readonly telemetryBytes: number;
  /** From the first telemetry on. */
  readonly bytes: number;
  /** Whether this is all that there is. */
  readonly isAll: boolean;
}

/**
 * Walks from the horizon on and says how much telemetry stands there. What is kept for ever is passed over without
 * being parsed, and is not walked again.
 */
export class Lookout {
  readonly #log: EventLog;
  readonly #telemetry: ReadonlySet<string>;
  readonly #marks: readonly Buffer[];
  #horizon = -1;
  #until = 0;
  #telemetryBytes = 0;
  #bytes = 0;

  /** @param telemetry types of events that may go */
  constructor(log: EventLog, telemetry: ReadonlySet<string>) {
    this.#log = log;
    this.#telemetry = telemetry;
    this.#marks = [...telemetry].map((type) => Buffer.from(JSON.stringify(type)));
  }

  /**
   * Walks until so much telemetry was met, or as much as one compaction goes through.
   * @throws LogError `damaged`; what `pause` rejects with
   */
  async look(enough: number, pause: () => Promise<void>): Promise<Ahead> {
    const log = this.#log;
    if (log.horizon !== this.#horizon) {
      this.#horizon = this.#until = log.horizon;
      this.#telemetryBytes = this.#bytes = 0;
    }
    const isEnough = (): boolean => this.#telemetryBytes >= enough || this.#bytes >= limits.compactionBytes;
    let isAll = !isEnough();
    const { last } = log;
    let passed = 0;
    let size = 0;
    let turn = 0;
    const wants: Wants = (bytes, start, end) => {
      size = end - start;
      const payload = bytes.subarray(start, end);
      const isWanted = passed + size >= sliceBytes || this.#marks.some((mark) => payload.includes(mark));
      if (!isWanted) passed += size;
      return isWanted;
    };
    if (isAll) {
      for (const { timestamp, events } of log.read(this.#until, last, wants)) {
        const count = events.filter(({ type }) => this.#telemetry.has(type)).length;
        this.#add(passed, 0);
        this.#add(size, (size * count) / Math.max(events.length, 1));
        this.#until = timestamp;
        if (isEnough()) {
          isAll = false;
          break;
        }
        turn += passed + size;
        passed = 0;
        if (turn < sliceBytes) continue;
        turn = 0;
        await pause();
      }
      if (isAll) {
        this.#add(passed, 0);
        this.#until = last;
      }
    }
    return { until: this.#until, telemetryBytes: this.#telemetryBytes, bytes: this.#bytes, isAll };
  }

  #add(bytes: number, telemetryBytes: number): void {
    if (this.#bytes > 0 || telemetryBytes > 0) this.#bytes += bytes;
    this.#telemetryBytes += telemetryBytes;
  }
}
