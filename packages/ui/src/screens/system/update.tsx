import { type Signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type HubUpdate, hubUpdate, orderUpdate } from "../../api/update.ts";
import { momentOf } from "../../format.ts";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { useStatus } from "../../parts/follow-status.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { reasonOf } from "../../store/commands.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";

type Order = (action: "CHECK" | "INSTALL" | "ROLL_BACK") => Promise<void>;

/** How the last update ended. */
function Outcome({ of }: { readonly of: NonNullable<HubUpdate["outcome"]> }): JSX.Element {
  const { result, version, message, at } = of;
  return (
    <p class={result === "INSTALLED" ? "" : "problem"}>
      {t(`ended.${result}`, { version: version ?? "", time: momentOf(at) })} {message}
    </p>
  );
}

/** How far an update is. The page hears of it again when the machine is back. */
function Progress({ of: { phase, version, pctComplete } }: { readonly of: HubUpdate }): JSX.Element {
  const text = phase === "IDLE" ? "" : t(`phase.${phase}`, { version: version ?? "" });
  return (
    <>
      <p role="status">{text}</p>
      {pctComplete !== null && phase !== "IDLE" && (
        <progress value={pctComplete} max={100} aria-label={text} />
      )}
    </>
  );
}

/** The way back to the previous release, and what would be lost by it. */
function Previous(props: {
  readonly of: NonNullable<HubUpdate["previous"]>;
  readonly order: Order;
}): JSX.Element {
  const { of, order } = props;
  const { version, losesSince } = of;
  const loss =
    losesSince === null
      ? t("update.losesNothing")
      : t("update.loses", { version, time: momentOf(losesSince) });
  return (
    <AskedTwice
      text={t("update.back", { version })}
      question={`${loss} ${t("update.reboots")}`}
      yes={t("update.backNow")}
      no={t("update.notNow")}
      act={() => order("ROLL_BACK")}
    />
  );
}

function Orders({ of, order }: { readonly of: HubUpdate; readonly order: Order }): JSX.Element {
  const { available, previous } = of;
  return (
    <>
      <LiveButton onClick={() => void order("CHECK")}>{t("update.check")}</LiveButton>
      {available !== null && (
        <AskedTwice
          key={available}
          text={t("update.install", { version: available })}
          question={t("update.installHow")}
          yes={t("update.installNow")}
          no={t("update.notNow")}
          act={() => order("INSTALL")}
        />
      )}
      {previous !== null && <Previous of={previous} order={order} />}
    </>
  );
}

/** Follows the hub's update until nothing happens any more. Whoever orders one begins again. */
function useUpdate(): { state: Signal<HubUpdate | undefined>; problem: Signal<string>; order: Order } {
  const { state, again } = useStatus(hubUpdate, ({ phase }) => phase === "IDLE");
  const problem = useSignal("");
  return {
    state,
    problem,
    async order(action) {
      const answer = await orderUpdate(action);
      problem.value = answer.ok ? "" : reasonOf(answer);
      if (answer.ok) state.value = answer.value;
      again();
    },
  };
}

/** The hub's own update; nothing where the machine is updated from outside. */
export function Update(): JSX.Element | null {
  const { state, problem, order } = useUpdate();
  const now = state.value;
  if (now?.updatesItself !== true) return null;
  const { release, available, phase, outcome } = now;
  return (
    <section class="card" aria-labelledby="update-title">
      <h2 id="update-title">{t("update.title")}</h2>
      <p>
        {t("update.runs", { release })}{" "}
        {available === null ? t("update.none") : t("update.newer", { version: available })}
      </p>
      <Progress of={now} />
      {phase === "IDLE" && outcome !== null && <Outcome of={outcome} />}
      <Problem>{problem.value}</Problem>
      {phase === "IDLE" && isAtLeast("OWNER_ADMIN") && <Orders of={now} order={order} />}
    </section>
  );
}
