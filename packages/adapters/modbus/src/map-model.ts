import { refuseSetting } from "@ledge/port";
import type { DeviceMap } from "./device-map.ts";
import { mapDevice } from "./device-map.ts";
import type { Model, ModelPart } from "./model-file.ts";
import type { ModelledSettings } from "./settings.ts";

/**
 * Maps a device of a model: one map for each of its parts. The native id of a part is `<port>/<id>.<part>`, with its
 * number when it is repeated.
 * @throws AdapterError `settings`; the message starts with the wrong field of the model.
 */
export function mapModel(model: Model, device: ModelledSettings, port: string): readonly DeviceMap[] {
  const { devices, manufacturer, name: kind } = model;
  const base = device.register ?? 0;
  const several = devices.length > 1 || devices.some(({ repeat }) => (repeat?.count ?? 1) > 1);
  return devices.flatMap((part, index) =>
    piecesOf(part).map(({ suffix, label, shift }) => {
      const { part: _, repeat: __, name: ___, points, ...rest } = part;
      const path = `devices[${index}]`;
      return mapDevice(
        port,
        {
          ...rest,
          deviceType: "REGISTERS",
          id: `${device.id}.${suffix}`,
          address: device.address,
          name: several ? `${device.name} ${label}` : device.name,
          manufacturer: device.manufacturer ?? manufacturer,
          model: device.model ?? kind,
          ...(device.pollMs !== undefined && { pollMs: device.pollMs }),
          points: points.map((point, place) => {
            const at = `${path}.points[${place}].register`;
            const moved = (register: number): number => within(register + base + shift, at);
            const write = point.write && { ...point.write, register: moved(point.write.register) };
            return { ...point, register: moved(point.register), ...(write && { write }) };
          }),
        },
        path,
      );
    }),
  );
}

/** Returns the parts of a device by the ends of their native ids. */
export const suffixOf = (native: string, port: string, { id }: ModelledSettings): string | undefined => {
  const start = `${port}/${id}.`;
  return native.startsWith(start) ? native.slice(start.length) : undefined;
};

function piecesOf({ part, name = part, repeat }: ModelPart): readonly {
  readonly suffix: string;
  readonly label: string;
  readonly shift: number;
}[] {
  if (repeat === undefined) return [{ suffix: part, label: name, shift: 0 }];
  return Array.from({ length: repeat.count }, (_, index) => ({
    suffix: `${part}${index + 1}`,
    label: `${name} ${index + 1}`,
    shift: index * repeat.step,
  }));
}

function within(register: number, path: string): number {
  return register <= 0xffff ? register : refuseSetting(path, `${register} is beyond 65535`);
}
