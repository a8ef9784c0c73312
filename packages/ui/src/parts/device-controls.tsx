import type { JSX } from "preact";
import { ControlOf } from "../controls/control.tsx";
import { controlsOf, mainControl } from "../controls/registry.ts";
import { mayUse } from "../store/roles.ts";
import type { Device } from "../store/wire.ts";

/** Whether a device has controls for the user. */
export function hasControls(device: Device): boolean {
  return mayUse() && controlsOf(device).length > 0;
}

/** Whether a device has controls for the user besides the one that a tile offers. */
export function hasMoreControls(device: Device): boolean {
  const shown = mainControl(device) === undefined ? 0 : 1;
  return mayUse() && controlsOf(device).length > shown;
}

/** All controls of a device. */
export function DeviceControls({ device }: { readonly device: Device }): JSX.Element {
  return (
    <>
      {controlsOf(device).map((control) => (
        <ControlOf
          key={`${control.kind} ${control.attribute} ${control.part ?? ""}`}
          id={device.id}
          control={control}
        />
      ))}
    </>
  );
}
