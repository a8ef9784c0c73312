import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { hrefOf } from "../route.ts";
import { home, wanted } from "../store/home.ts";
import { t } from "../texts/texts.ts";
import { Cause } from "./cause.tsx";
import { DeviceControls, hasControls } from "./device-controls.tsx";
import { reasonToWait } from "./reason-to-wait.ts";
import { Sheet } from "./sheet.tsx";
import { summaryOf } from "./summary.ts";

/** All controls of a device, why it is as it is, and the way to its page. */
export function DeviceSheet({
  id,
  close,
}: {
  readonly id: string;
  readonly close: () => void;
}): JSX.Element | null {
  const device = home.of.devices.of(id).value;
  const told = wanted.of(id).value;
  useSignalEffect(() => {
    if (home.of.devices.of(id).value === undefined) close();
  });
  if (device === undefined) return null;
  const isControlled = hasControls(device);
  return (
    <Sheet title={device.name} close={close}>
      <p class="muted">{summaryOf(device, told)}</p>
      {isControlled && <DeviceControls device={device} />}
      {isControlled && <p role="status">{reasonToWait()}</p>}
      <Cause device={device} isFollowed={false} />
      <a class="button" href={hrefOf("device", id)} onClick={close}>
        {t("home.open", { name: device.name })}
      </a>
    </Sheet>
  );
}
