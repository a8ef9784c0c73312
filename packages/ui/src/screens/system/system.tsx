import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { restart } from "../../api/backups.ts";
import { isOfCloud } from "../../browser.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/faces.tsx";
import { HubPlace } from "../../parts/hub-place.tsx";
import { Problem } from "../../parts/problem.tsx";
import { pastTime } from "../../store/clock.ts";
import { reasonOf } from "../../store/commands.ts";
import { sync } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { Backups } from "./backups.tsx";
import { Cloud } from "./cloud.tsx";
import { Lock } from "./lock.tsx";
import { Sticks } from "./sticks.tsx";
import { Update } from "./update.tsx";

type Stage = "idle" | "asking" | "ending" | "away" | "back";

/** Restarts the hub, and says when it is back: the page goes on by itself. */
function Restart(): JSX.Element {
  const stage = useSignal<Stage>("idle");
  const problem = useSignal("");
  const isLive = sync.connection.value === "live";
  useEffect(() => {
    if (stage.peek() === "ending" && !isLive) stage.value = "away";
    else if (stage.peek() === "away" && isLive) stage.value = "back";
  }, [isLive, stage.value]);
  const begin = async (): Promise<void> => {
    problem.value = "";
    stage.value = "ending";
    const answer = await restart();
    // A hub that ends may not get its answer out.
    if (answer.ok || answer.status === 0) return;
    stage.value = "idle";
    problem.value = reasonOf(answer);
  };
  return (
    <section class="card" aria-labelledby="restart-title">
      <h2 id="restart-title">{t("system.restart")}</h2>
      <p>{t("system.restartHow")}</p>
      <p role="status">
        {(stage.value === "ending" || stage.value === "away") && t("system.restarting")}
        {stage.value === "back" && t("system.back")}
      </p>
      <Problem>{problem.value}</Problem>
      {stage.value === "asking" ? (
        <div class="row">
          <Button isMain isBlocked={!isLive} onClick={() => void begin()}>
            {t("system.restartNow")}
          </Button>
          <button type="button" class="button" onClick={() => (stage.value = "idle")}>
            {t("system.restartNot")}
          </button>
        </div>
      ) : (
        <Button
          isBlocked={!isLive || stage.value === "ending" || stage.value === "away"}
          onClick={() => (stage.value = "asking")}
        >
          {t("system.restart")}
        </Button>
      )}
    </section>
  );
}

/** The hub as a whole: its name and place, backups, update, sticks, lock and restart. */
export function SystemScreen(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("system.title")}</h1>
      {pastTime.value === null ? (
        <>
          <section class="card" aria-labelledby="place-title">
            <h2 id="place-title">{t("system.place")}</h2>
            <HubPlace />
          </section>
          {isAtLeast("OWNER_ADMIN") && !isOfCloud() && <Backups />}
          {isAtLeast("OWNER_ADMIN") && !isOfCloud() && <Cloud />}
          <Update />
          <Sticks />
          <Lock />
          <Restart />
        </>
      ) : (
        <Empty title={t("system.onlyNow")} />
      )}
    </>
  );
}
