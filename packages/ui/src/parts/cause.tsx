import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { why } from "../api/rows.ts";
import { momentOf, nameOfAttribute, textOf } from "../format.ts";
import { pastTime } from "../store/clock.ts";
import { reasonOf } from "../store/commands.ts";
import { isAtLeast } from "../store/roles.ts";
import type { Device } from "../store/wire.ts";
import { t } from "../texts/texts.ts";
import { useAnswer, whileBusy } from "./answer.ts";
import { causeOf, isOfNow } from "./cause.ts";
import { LiveButton } from "./live-button.tsx";
import { mainAttribute } from "./summary.ts";

interface Of {
  readonly device: Device;
  /** Whether the hub is asked again when the device has changed; else a button asks. */
  readonly isFollowed: boolean;
}

function CauseOf({ device, isFollowed, attribute }: Of & { readonly attribute: string }): JSX.Element {
  const { id, state } = device;
  const value = state[attribute];
  const { asked, again } = useAnswer(
    (signal) => why(id, attribute, signal, pastTime.peek()),
    JSON.stringify([id, attribute, pastTime.value, isFollowed ? value : null]),
    whileBusy,
  );
  const { value: answer } = asked;
  if (answer.state === "loading") return <p class="muted">{t("state.loading")}</p>;
  const isOld = answer.state === "done" && !isOfNow(answer.value, state);
  if (answer.state === "failed" || isOld)
    return (
      <div class="row">
        <LiveButton onClick={again}>
          {t("why.label", {
            attribute: nameOfAttribute(device, attribute),
            value: textOf(device, attribute, value),
          })}
        </LiveButton>
        {answer.state === "failed" && <p class="problem">{reasonOf(answer.failure)}</p>}
      </div>
    );
  const cause = causeOf(answer.value);
  return (
    <p class="muted">
      {cause === undefined
        ? t("why.never")
        : t("sheet.since", { time: momentOf(cause.at), text: cause.text })}
    </p>
  );
}

/** Since when a device is as it is, and by what, for users who may know; nothing of a device that shows nothing. */
export function Cause(of: Of): JSX.Element | null {
  // It stays when the device goes out of reach, which then says most of it.
  const { current: attribute } = useRef(mainAttribute(of.device));
  if (attribute === undefined || !isAtLeast("IDENTIFIED_USER")) return null;
  return <CauseOf {...of} attribute={attribute} />;
}
