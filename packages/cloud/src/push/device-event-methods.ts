import type { Refused } from "@ledge/link";
import { limits, lazyValidator } from "@ledge/model";
import { type Call, HubError, type HubUser, type StreamCall } from "@ledge/signalr";
import Type from "typebox";
import { DeviceId } from "../graph/device-object.ts";
import { RegisterId } from "../graph/register-id.ts";
import { DeviceEvents, type DeviceEventsOptions } from "./device-events.ts";

const OfRegister = lazyValidator(Type.Object({ deviceRegisterId: RegisterId }));
const OfDevices = lazyValidator(
  Type.Object({
    deviceRegisterId: RegisterId,
    deviceIds: Type.Array(DeviceId, { minItems: 1, maxItems: limits.deviceEventsIds }),
  }),
);

export interface DeviceEventMethodsOptions<User extends HubUser> extends Omit<DeviceEventsOptions, "reads"> {
  /** Returns what a connection may read of a register. */
  readonly reads: (connection: Call<User>["connection"], register: string) => "all" | "visible" | undefined;
  /** Counts a call of a user. @returns why it is refused */
  readonly count: (user: User) => Refused | undefined;
}

type EventMethod<User extends HubUser> = (call: Call<User>, asked: unknown) => void;

/**
 * The methods and the stream of device events (platform-api 4.2). They are deprecated and are not going to be removed.
 */
export class DeviceEventMethods<User extends HubUser> {
  readonly #options: DeviceEventMethodsOptions<User>;
  /** By connection. */
  readonly #events = new Map<string, DeviceEvents>();

  constructor(options: DeviceEventMethodsOptions<User>) {
    this.#options = options;
  }

  get methods() {
    const unsubscribe = this.#counted((call, asked) => {
      const { deviceRegisterId, deviceIds } = devicesIn(asked);
      this.#of(call).unsubscribe(deviceRegisterId, deviceIds);
    });
    return {
      DeviceEventsSubscribeAll: this.#counted((call, asked) => {
        const register = registerIn(asked);
        mustFit(this.#readable(call, register).subscribeAll(register));
      }),
      DeviceEventsUnsubscribeAll: this.#counted((call, asked) => {
        this.#of(call).unsubscribeAll(registerIn(asked));
      }),
      DeviceEventsSubscribe: this.#counted((call, asked) => {
        const { deviceRegisterId, deviceIds } = devicesIn(asked);
        mustFit(this.#readable(call, deviceRegisterId).subscribe(deviceRegisterId, deviceIds));
      }),
      DeviceEventsUnsubscribe: unsubscribe,
      UnsubscribeDeviceEvents: unsubscribe,
    };
  }

  get streams() {
    return { DeviceEventsStream: (call: StreamCall<User>) => this.#stream(call) };
  }

  /** Ends all of a connection that has closed. */
  end(connection: string): void {
    this.#events.get(connection)?.end();
    this.#events.delete(connection);
  }

  #counted(method: EventMethod<User>): EventMethod<User> {
    return (call, asked) => {
      const refused = this.#options.count(call.connection.user);
      if (refused !== undefined) throw new HubError(refused.message);
      method(call, asked);
    };
  }

  #of({ connection }: Pick<Call<User>, "connection">): DeviceEvents {
    const known = this.#events.get(connection.id);
    if (known !== undefined) return known;
    const { bus, registers, reads } = this.#options;
    const events = new DeviceEvents({ bus, registers, reads: (register) => reads(connection, register) });
    this.#events.set(connection.id, events);
    return events;
  }

  #readable(call: Call<User>, register: string): DeviceEvents {
    if (this.#options.reads(call.connection, register) === undefined)
      throw new HubError(`there is no device register ${register}`);
    return this.#of(call);
  }

  async #stream(call: StreamCall<User>): Promise<void> {
    const events = this.#of(call);
    const stream = events.open();
    if (stream === undefined) throw new HubError("you have too many open streams of device events");
    try {
      while (!call.signal.aborted) {
        await call.ready();
        for (const event of await stream.next(call.signal)) call.write(event);
        if (stream.isOverrun)
          throw new HubError(`more than ${limits.deviceEventsWaiting} events waited: open the stream again`);
      }
    } finally {
      events.close(stream);
    }
  }
}

/** Reads the id of a register, alone or as the field of an object. */
function registerIn(asked: unknown): string {
  const object = typeof asked === "string" ? { deviceRegisterId: asked } : asked;
  if (!OfRegister.Check(object)) throw new HubError("deviceRegisterId must be the id of a device register");
  return object.deviceRegisterId;
}

function devicesIn(asked: unknown): { readonly deviceRegisterId: string; readonly deviceIds: string[] } {
  if (OfDevices.Check(asked)) return asked;
  throw new HubError(`deviceRegisterId and 1 to ${limits.deviceEventsIds} deviceIds must be given`);
}

function mustFit(isThere: boolean): void {
  if (!isThere) throw new HubError("the connection has too many subscriptions to device events");
}
