import type { JSX } from "preact";
import { isOfCloud } from "../../browser.ts";
import { mayKeepHome, sync } from "../../store/home.ts";
import { presenceId, setPresence } from "../../store/presence.ts";
import { t } from "../../texts/texts.ts";
import { AwayAfter } from "./away-after.tsx";

/** Has this browser stand for its user in rules about who comes and goes. From afar nobody is at home. */
export function Presence(): JSX.Element | null {
  if (isOfCloud() || !mayKeepHome()) return null;
  const set = async (isSaid: boolean): Promise<void> => {
    await setPresence(isSaid);
    // The question that waits at the hub says nothing of it yet, or still does.
    if (sync.connection.peek() === "past") return;
    sync.stop();
    sync.start();
  };
  return (
    <section class="card">
      <label class="check">
        <input
          type="checkbox"
          aria-describedby="presence-how"
          checked={presenceId.value !== null}
          onChange={({ currentTarget: { checked } }) => void set(checked)}
        />
        <span>{t("presence.say")}</span>
      </label>
      <p id="presence-how" class="muted">
        {t("presence.how")}
      </p>
      <AwayAfter />
    </section>
  );
}
