import { createAdapter } from "@ledge/adapter-mbus";
import { type Adapter, type Report, systemClock } from "@ledge/port";
import { MbusBus, type ServedStick, serveStick, type SimulatedMeter } from "@ledge/testkit/mbus";

/** A wait this long is between two readings; shorter ones belong to the bus. */
const longMs = 60_000;
export const hourMs = 3_600_000;

/** A heat meter on a simulated bus, which the M-Bus adapter reads when the test says that an hour has passed. */
export class HourlyMeter {
  readonly #meter: SimulatedMeter;
  readonly #gateway: ServedStick<MbusBus>;
  readonly #adapter: Adapter = createAdapter(() => 0);
  #now: number;
  #report = Promise.withResolvers<Report>();
  /** Settles with what ends the adapter's wait for the next reading. */
  #wait = Promise.withResolvers<() => void>();

  private constructor(now: number, meter: SimulatedMeter, gateway: ServedStick<MbusBus>) {
    this.#now = now;
    this.#meter = meter;
    this.#gateway = gateway;
  }

  /** @param now the time of the first reading (ms), which `first` resolves with */
  static async start(now: number, kwh: number): Promise<HourlyMeter> {
    const meter = { address: 1, id: "10000001", manufacturer: "KAM", version: 8, medium: 4 };
    const simulated: SimulatedMeter = { ...meter, telegrams: [energyOf(kwh)] };
    const hourly = new HourlyMeter(now, simulated, await serveStick(new MbusBus([simulated])));
    await hourly.#startAdapter();
    return hourly;
  }

  get first(): Promise<Report> {
    return this.#report.promise;
  }

  /** Lets an hour pass in which the meter counts up to a number. Resolves with the reading at its end. */
  async read(kwh: number): Promise<Report> {
    const end = await this.#wait.promise;
    this.#wait = Promise.withResolvers();
    this.#report = Promise.withResolvers();
    this.#meter.telegrams = [energyOf(kwh)];
    this.#now += hourMs;
    end();
    return await this.#report.promise;
  }

  async stop(): Promise<void> {
    await this.#adapter.stop();
    await this.#gateway.close();
  }

  async #startAdapter(): Promise<void> {
    const transport = { type: "tcp", host: "127.0.0.1", port: this.#gateway.port, baudRate: 38_400 };
    const meters = [{ id: "heat", name: "Heat", address: 1 }];
    await this.#adapter.start({
      settings: { ports: [{ name: "cellar", transport, meters }] },
      folder: "/nowhere",
      clock: {
        ...systemClock,
        now: () => this.#now,
        after: (ms, callback) => {
          if (ms < longMs) return systemClock.after(ms, callback);
          this.#wait.resolve(callback);
          return () => {};
        },
      },
      store: { get: () => undefined, put: async () => {} },
      log: () => {},
      announce: () => {},
      found: () => {},
      lost: () => {},
      report: (report) => this.#report.resolve(report),
    });
  }
}

function energyOf(kwh: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(kwh);
  return `04 06 ${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ")}`;
}
