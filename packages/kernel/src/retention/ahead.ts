import type { EventLog, Wants } from "@ledge/log";
import { limits } from "@ledge/model";

/** Bytes to walk in one turn of the event loop. */
const sliceBytes = 32_768;

/** What a compaction could remove next. Sizes are those of the stored events. */
export interface Ahead {
  /** The timestamp (ms) up to which the walk went. */
  readonly until: number;
  /** Size of the telemetry, which is the most that a compaction can remove. */
  readonly telemetryBytes: number;
  /** Size of all events from the first telemetry on. */
  readonly bytes: number;
  /** Whether the walk reached the end of the log. */
  readonly isAll: boolean;
}

/**
 * Walks the log from the horizon on and measures how much telemetry it holds. Skips permanent events without
 * parsing them, and does not walk them again.
 */
export class Lookout {
  readonly #log: EventLog;
  readonly #telemetry: ReadonlySet<string>;
  readonly #marks: readonly Buffer[];
  #horizon = -1;
  #until = 0;
  #telemetryBytes = 0;
  #bytes = 0;

  /** @param telemetry types of events that may be removed */
  constructor(log: EventLog, telemetry: ReadonlySet<string>) {
    this.#log = log;
    this.#telemetry = telemetry;
    this.#marks = [...telemetry].map((type) => Buffer.from(JSON.stringify(type)));
  }

  /**
   * Walks until it has met `enough` telemetry, or as much as one compaction handles.
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
