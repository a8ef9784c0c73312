import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { fillScreen } from "../../browser.ts";
import { Loading } from "../../parts/faces.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RoomOptions } from "../../parts/room-options.tsx";
import { hrefOf } from "../../route.ts";
import { pastTime } from "../../store/clock.ts";
import { home } from "../../store/home.ts";
import { startPanel, wholeHome } from "../../store/panel.ts";
import { backToNow } from "../../store/past.ts";
import { isPin } from "../../store/pin.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";

function textIn(form: FormData, name: string): string {
  const typed = form.get(name);
  return typeof typed === "string" ? typed.trim() : "";
}

/** Asks what the panel shows, and who may leave it. */
export function Start(): JSX.Element {
  const problem = useSignal("");
  const start = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [of, pin] = [textIn(form, "of"), textIn(form, "pin")];
    problem.value = pin === "" || isPin(pin) ? "" : t("panel.badPin");
    if (problem.value !== "") return;
    if (pastTime.value !== null) backToNow();
    fillScreen(true);
    await startPanel(of, pin);
    location.hash = hrefOf("panel", of);
  };
  return (
    <>
      <h1 tabIndex={-1}>{t("panel.title")}</h1>
      <p>{t("panel.how")}</p>
      {!home.isTold.value ? (
        <Loading />
      ) : (
        <form class="card" noValidate onSubmit={(event) => void start(event)}>
          <label class="field">
            <span>{t("panel.shows")}</span>
            <select name="of">
              <option value={wholeHome}>{t("panel.whole")}</option>
              <RoomOptions />
            </select>
          </label>
          <div class="field">
            <label for="panel-pin">{t("panel.pin")}</label>
            <input
              id="panel-pin"
              name="pin"
              type="text"
              inputMode="numeric"
              autoComplete="off"
              maxLength={8}
              aria-invalid={problem.value !== ""}
              aria-describedby="panel-pin-how"
            />
            <p id="panel-pin-how" class="muted">
              {t("panel.pinHow")}
            </p>
            <Problem>{problem.value}</Problem>
          </div>
          {isAtLeast("IDENTIFIED_USER") && <p>{t("panel.guest")}</p>}
          <button type="submit" class="button main">
            {t("panel.start")}
          </button>
        </form>
      )}
    </>
  );
}
