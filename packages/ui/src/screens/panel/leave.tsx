import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { fillScreen } from "../../browser.ts";
import { Problem } from "../../parts/problem.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { hrefOf } from "../../route.ts";
import { leavePanel, panel } from "../../store/panel.ts";
import { waitOf } from "../../store/pin.ts";
import { t } from "../../texts/texts.ts";

/** Ends the panel. @returns what is wrong with the PIN, or nothing */
async function leave(typed: string): Promise<string> {
  const { value } = panel;
  const waits = value === null ? 0 : waitOf(value, Date.now());
  if (waits > 0) return t("panel.pause", { s: Math.ceil(waits / 1000) });
  if (!(await leavePanel(typed, Date.now()))) return t("panel.wrongPin");
  fillScreen(false);
  location.hash = hrefOf("home");
  return "";
}

/** The way out of a panel, which asks for the PIN if there is one. */
export function Leave(): JSX.Element {
  const isAsking = useSignal(false);
  const problem = useSignal("");
  const hasPin = panel.value !== null && panel.value.pin !== "";
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = new FormData(form).get("pin");
    problem.value = await leave(typeof typed === "string" ? typed : "");
    form.reset();
  };
  const close = (): void => {
    isAsking.value = false;
    problem.value = "";
  };
  return (
    <>
      <button
        type="button"
        class="button quiet"
        onClick={() => (hasPin ? (isAsking.value = true) : void leave(""))}
      >
        {t("panel.leave")}
      </button>
      {isAsking.value && (
        <Sheet title={t("panel.leave")} close={close}>
          <form noValidate onSubmit={(event) => void submit(event)}>
            <label class="field">
              <span>{t("panel.pinField")}</span>
              <input type="password" inputMode="numeric" name="pin" autoComplete="off" maxLength={8} />
            </label>
            <Problem>{problem.value}</Problem>
            <button type="submit" class="button main">
              {t("panel.leave")}
            </button>
            <p class="muted">{t("panel.forgotten")}</p>
          </form>
        </Sheet>
      )}
    </>
  );
}
