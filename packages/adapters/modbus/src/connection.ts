import type { AdapterClock } from "@ledge/port";
import { exceptionFault, Fault } from "./fault.ts";
import type { IdentifyRequest, ReadRequest, Request, TableRequest } from "./request.ts";
import { identifyFunction, identifyInterface } from "./request.ts";
import { withCrc } from "./rtu-frames.ts";
import { openRtu, openRtuOverTcp } from "./rtu-wire.ts";
import type { PortSettings } from "./settings.ts";
import { openTcp } from "./tcp-wire.ts";
import type { Wire } from "./wire.ts";

type Modbus = InstanceType<typeof import("modbus-serial").default>;

/**
 * Opens a line. Loads the libraries only now: without a port they cost nothing.
 * @param signal aborts the attempt.
 * @throws Fault `closed`
 */
export async function openConnection(
  { transport }: Pick<PortSettings, "transport">,
  clock: AdapterClock,
  signal: AbortSignal,
): Promise<Connection> {
  const { default: library } = await import("modbus-serial");
  const wire = await openWire(transport, clock, signal);
  const modbus = new library.default(wire);
  modbus.open(() => {});
  return new ModbusConnection(modbus, wire);
}

async function openWire(
  transport: PortSettings["transport"],
  clock: AdapterClock,
  signal: AbortSignal,
): Promise<Wire> {
  try {
    if (transport.type === "tcp") return await openTcp(transport, clock, signal);
    if (transport.type === "rtuOverTcp") return await openRtuOverTcp(transport, clock, signal);
    return await openRtu(transport, clock, signal);
  } catch (error) {
    throw new Fault("closed", (error as Error).message);
  }
}

/** One connection that carries one request at a time. A lost connection is not reopened. */
export interface Connection {
  readonly isOpen: boolean;
  /** Resolves when the connection is lost or closed. */
  readonly closed: Promise<void>;
  /**
   * Sends a request and waits for its answer without a time limit: see `giveUp`.
   * @returns for a read its registers, or bits as 0 or 1; for an identification the bytes after its interface.
   * @throws Fault
   */
  exchange(unit: number, request: Request): Promise<readonly number[]>;
  /** Fails the pending request. A late answer to it is not taken for another's. */
  giveUp(fault: Fault): void;
  /**
   * Returns a read that must be answered before this request, when a late answer could be taken for its own.
   */
  probeBefore(unit: number, request: Request): ReadRequest | undefined;
  /** How long request and answer take on the line, ms. */
  transmissionMs(request: Request): number;
  /** How long the line must stay silent from now on before the next request, ms. */
  restMs(): number;
  destroy(): Promise<void>;
}

class ModbusConnection implements Connection {
  readonly #modbus: Modbus;
  readonly #wire: Wire;
  #abandon: (fault: Fault) => void = () => {};
  readonly closed: Promise<void>;

  constructor(modbus: Modbus, wire: Wire) {
    this.#modbus = modbus;
    this.#wire = wire;
    this.closed = new Promise((resolve) => {
      wire.once("close", () => {
        this.#abandon(new Fault("closed", "the line was lost"));
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  exchange(unit: number, request: Request): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.#abandon = reject;
      this.#wire.expect(unit, request);
      if (request.kind === "identify") return this.#identify(unit, request, resolve, reject);
      issue(this.#modbus, unit, request, (error, result) => {
        if (error === null) resolve(wordsOf(request, result));
        else reject(toFault(error));
      });
    });
  }

  /**
   * Asks without the library, which would fetch further objects by itself, in one turn on the line and without a limit.
   */
  #identify(
    unit: number,
    { level, object }: IdentifyRequest,
    resolve: (bytes: readonly number[]) => void,
    reject: (fault: Fault) => void,
  ): void {
    this.#wire.once("data", (frame) => {
      const [, code = 0, exception = 0] = frame;
      if (code > 0x80) reject(exceptionFault(exception));
      else if (code !== identifyFunction || frame[2] !== identifyInterface)
        reject(new Fault("garbled", "the answer is no identification"));
      else resolve([...frame.subarray(3, -2)]);
    });
    this.#wire.write(withCrc(Buffer.of(unit, identifyFunction, identifyInterface, level, object)));
  }

  giveUp(fault: Fault): void {
    this.#wire.giveUp();
    this.#abandon(fault);
  }

  probeBefore(unit: number, request: Request): ReadRequest | undefined {
    return this.#wire.probeBefore(unit, request);
  }

  transmissionMs(request: Request): number {
    return this.#wire.transmissionMs(request);
  }

  restMs(): number {
    return this.#wire.restMs();
  }

  destroy(): Promise<void> {
    return this.#wire.destroy();
  }
}

function issue(
  modbus: Modbus,
  unit: number,
  request: TableRequest,
  done: (error: Error | null, result?: object) => void,
): void {
  const { register } = request;
  if (request.kind === "read") {
    const { count } = request;
    if (request.table === "coil") modbus.writeFC1(unit, register, count, done);
    else if (request.table === "discrete") modbus.writeFC2(unit, register, count, done);
    else if (request.table === "holding") modbus.writeFC3(unit, register, count, done);
    else modbus.writeFC4(unit, register, count, done);
    return;
  }
  const { values, multiple, table } = request;
  const bits = values.map((value) => value !== 0);
  if (table === "coil" && multiple) modbus.writeFC15(unit, register, bits, done);
  else if (table === "coil") modbus.writeFC5(unit, register, bits[0] === true, done);
  else if (multiple) modbus.writeFC16(unit, register, [...values], done);
  else modbus.writeFC6(unit, register, values[0] ?? 0, done);
}

/**
 * The library returns registers as numbers, and bits as booleans in whole bytes: drops the bits beyond the
 * request.
 */
function wordsOf(request: TableRequest, result: { readonly data?: unknown } | undefined): readonly number[] {
  if (request.kind === "write" || !Array.isArray(result?.data)) return [];
  return result.data.slice(0, request.count).map(Number);
}

function toFault(error: Error & { modbusCode?: unknown; errno?: unknown }): Fault {
  if (typeof error.modbusCode === "number") return exceptionFault(error.modbusCode);
  if (error.errno === "ECONNREFUSED") return new Fault("closed", "the line is not open");
  return new Fault("garbled", error.message);
}
