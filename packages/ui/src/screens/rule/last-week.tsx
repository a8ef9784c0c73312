import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { RuleTemplate } from "@ledge/model";
import { whatIf, type WhatIf } from "../../api/rules.ts";
import { pause } from "../../browser.ts";
import { type Asked, useAnswer } from "../../parts/answer.ts";
import { Failed, Loading } from "../../parts/faces.tsx";
import { Trial } from "../../parts/trial.tsx";
import { now } from "../../store/clock.ts";
import { t } from "../../texts/texts.ts";
import { configOf, type Draft, saidAt } from "./draft.ts";

const weekMs = 7 * 86_400_000;
/** How long nobody types before the form is tried. */
const restMs = 500;

/** What the rule of a form would have done, which follows the form after a rest. */
export function useTrial(
  template: RuleTemplate,
  draft: Draft,
  isWhole: boolean,
): ReturnType<typeof useAnswer<WhatIf | null>> {
  const config = configOf(template, draft);
  return useAnswer<WhatIf | null>(
    async (signal) => {
      if (!isWhole) return { ok: true, value: null };
      await pause(restMs, signal);
      return whatIf(config, now.peek() - weekMs, now.peek() - 1, signal);
    },
    // A name changes nothing of what a rule does.
    isWhole ? JSON.stringify({ ...config, name: "" }) : "",
  );
}

/** What the hub says of fields; nothing while it does not. */
export function saidIn(asked: Asked<unknown>): ReadonlyMap<string, string> {
  return asked.state === "failed" ? saidAt(asked.failure.errors) : new Map();
}

/** Beside the form: what its rule would have done in the last week. */
export function LastWeek(props: {
  readonly asked: Asked<WhatIf | null>;
  readonly isKnown: boolean;
  readonly again: () => void;
}): JSX.Element {
  const { asked, isKnown, again } = props;
  const last = useRef<WhatIf | null>(null);
  if (asked.state === "done") last.current = asked.value;
  const { current: shown } = last;
  return (
    <section class="card trial" aria-labelledby="trial-title" aria-busy={asked.state === "loading"}>
      <h2 id="trial-title">{t("rule.lastWeek")}</h2>
      {asked.state === "failed" && asked.failure.errors.length === 0 && (
        <Failed failure={asked.failure} again={again} />
      )}
      {asked.state === "failed" && asked.failure.errors.length > 0 && <p class="muted">{t("rule.notYet")}</p>}
      {asked.state === "loading" && shown === null && <Loading />}
      {asked.state === "done" && asked.value === null && <p class="muted">{t("rule.notYet")}</p>}
      {asked.state !== "failed" && shown !== null && <Trial of={shown} isKnown={isKnown} />}
    </section>
  );
}
