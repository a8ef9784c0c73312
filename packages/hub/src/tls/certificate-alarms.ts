import { type Expiry, ExpiryWatch, type Validity } from "@ledge/host/certificate";
import type { Clock, Kernel } from "@ledge/kernel";
import { type AlarmCommand, type AlarmKind, alarmId } from "@ledge/model";
import { alarmOfHub } from "../notes/alarms.ts";
import type { Notes } from "../notes/notes.ts";

const kinds = {
  expiring: "CERTIFICATE_EXPIRING",
  expired: "CERTIFICATE_EXPIRED",
} as const satisfies Readonly<Record<Exclude<Expiry, "good">, AlarmKind>>;

export interface CertificateAlarmsHost {
  readonly kernel: Kernel;
  readonly clock: Pick<Clock, "wall" | "after">;
  readonly notes: Notes;
  readonly hubId: string;
}

/** Raises an alarm when the served certificate has to be renewed, and closes it after the renewal. */
export class CertificateAlarms {
  readonly #host: CertificateAlarmsHost;
  readonly #watch: ExpiryWatch;

  /** @param validity of the served certificate; undefined while there is none */
  constructor(host: CertificateAlarmsHost, validity: () => Validity | undefined) {
    this.#host = host;
    const { kernel, clock } = host;
    this.#watch = new ExpiryWatch({
      clock,
      isClockTrusted: () => kernel.health.clockTrusted,
      validity,
      found: (expiry, until) => this.#found(expiry, until),
    });
  }

  /** Checks the certificate, which may have changed. */
  look(): void {
    this.#watch.look();
  }

  stop(): void {
    this.#watch.stop();
  }

  #found(expiry: Expiry, at: number): void {
    const { kernel, notes, hubId } = this.#host;
    const until = new Date(at).toISOString();
    for (const [state, kind] of Object.entries(kinds)) {
      const id = alarmId(kind, hubId);
      const known = kernel.get("alarm", id);
      const isOpen = known?.closed === false;
      if (state !== expiry) {
        const close: AlarmCommand = { type: "CLOSE_ALARM", id };
        if (isOpen) void notes.note(close);
        continue;
      }
      // After a restart the alarm is already open, and nothing new has happened.
      if (!isOpen || known.facts["detail"] !== until) void alarmOfHub(kernel, notes, hubId, kind, until);
    }
  }
}
