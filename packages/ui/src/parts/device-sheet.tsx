import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { why } from "../api/rows.ts";
import { momentOf, nameOfAttribute, textOf } from "../format.ts";
import { hrefOf } from "../route.ts";
import { pastTime } from "../store/clock.ts";
import { reasonOf } from "../store/commands.ts";
import { home, sync, wanted } from "../store/home.ts";
import { isAtLeast } from "../store/roles.ts";
import type { Device } from "../store/wire.ts";
import { t } from "../texts/texts.ts";
import { useAnswer } from "./answer.ts";
import { causeOf, isOfNow } from "./cause.ts";
import { DeviceControls, hasControls } from "./device-controls.tsx";
import { LiveButton } from "./live-button.tsx";
import { Sheet } from "./sheet.tsx";
import { mainAttribute, summaryOf } from "./summary.ts";

/**
 * Since when a device is as it is, and by what. The hub is asked when the sheet opens, and not again for each report: when
 * the device has changed, a button asks.
 */
function Cause({ device, attribute }: { readonly device: Device; readonly attribute: string }): JSX.Element {
  const { id, state } = device;
  const { asked, again } = useAnswer(
    (signal) => why(id, attribute, signal, pastTime.peek()),
    `${id} ${attribute}`,
  );
  const { value: answer } = asked;
  if (answer.state === "loading") return <p class="muted">{t("state.loading")}</p>;
  const isOld = answer.state === "done" && !isOfNow(answer.value, state);
  if (answer.state === "failed" || isOld) {
    const value = textOf(device, attribute, state[attribute]);
    return (
      <div class="row">
        <LiveButton onClick={again}>
          {t("why.label", { attribute: nameOfAttribute(device, attribute), value })}
        </LiveButton>
        {answer.state === "failed" && <p class="problem">{reasonOf(answer.failure)}</p>}
      </div>
    );
  }
  const cause = causeOf(answer.value);
  return (
    <p class="muted">
      {cause === undefined
        ? t("why.never")
        : t("sheet.since", { time: momentOf(cause.at), text: cause.text })}
    </p>
  );
}

/** Why nothing can be switched now; empty when it can. */
function reasonToWait(): string {
  const connection = sync.connection.value;
  if (connection === "past") return t("past.readOnly");
  return connection === "live" ? "" : t("state.waits");
}

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
  const attribute = useRef(device && mainAttribute(device));
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
      {isAtLeast("IDENTIFIED_USER") && attribute.current !== undefined && (
        <Cause device={device} attribute={attribute.current} />
      )}
      <a class="button" href={hrefOf("device", id)} onClick={close}>
        {t("home.open", { name: device.name })}
      </a>
    </Sheet>
  );
}
