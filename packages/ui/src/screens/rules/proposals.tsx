import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type Proposal, proposals, removeRule, saveRule, turnRule, whatIf } from "../../api/rules.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { Trial } from "../../parts/trial.tsx";
import { now } from "../../store/clock.ts";
import { change, dropNew } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";

const weekMs = 7 * 86_400_000;

/** What a rule would have done in the last week. */
function TrialSheet(props: {
  readonly of: Proposal;
  readonly save: () => Promise<void>;
  readonly close: () => void;
}): JSX.Element {
  const { of, save, close } = props;
  const { config } = of;
  const { asked, again } = useAnswer(
    (signal) => whatIf(config, now.peek() - weekMs, now.peek() - 1, signal),
    JSON.stringify(config),
  );
  return (
    <Sheet title={t("whatif.title", { name: config.name })} close={close}>
      <AnswerFace answer={asked.value} again={again} show={(found) => <Trial of={found} isKnown={false} />} />
      <LiveButton
        isMain
        onClick={() => {
          close();
          void save();
        }}
      >
        {t("proposals.save")}
      </LiveButton>
    </Sheet>
  );
}

function Card({ of, done }: { readonly of: Proposal; readonly done: () => void }): JSX.Element {
  const isTried = useSignal(false);
  const { config, summary, texts } = of;
  const { name } = config;
  const save = async (): Promise<void> => {
    const answer = await saveRule(config);
    const id = answer.ok ? (answer.value[0]?.id ?? "") : "";
    const turned = answer.ok ? turnRule(id, true) : Promise.resolve(answer);
    await change(turned, t("proposals.saved", { name }), () => dropNew("rules", id, removeRule(id)));
    done();
  };
  return (
    <li class="card">
      <h3>{name}</h3>
      <p>{summary}</p>
      <ul class="plain muted">
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <div class="row">
        <button type="button" class="button" onClick={() => (isTried.value = true)}>
          {t("proposals.try")} <span class="hidden">{name}</span>
        </button>
        <LiveButton isMain onClick={() => void save()}>
          {t("proposals.save")} <span class="hidden">{name}</span>
        </LiveButton>
      </div>
      {isTried.value && <TrialSheet of={of} save={save} close={() => (isTried.value = false)} />}
    </li>
  );
}

/** Rules that fit the home, each to be tried on the last week before it is saved. */
export function Proposals(): JSX.Element {
  const { asked, again } = useAnswer(proposals, "proposals");
  return (
    <section aria-labelledby="proposals-title">
      <h2 id="proposals-title">{t("proposals.title")}</h2>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(found) => (
          <>
            {found.length === 0 && <Empty title={t("proposals.none")} />}
            <ul class="plain">
              {found.map((proposal) => (
                <Card key={JSON.stringify(proposal.config)} of={proposal} done={again} />
              ))}
            </ul>
          </>
        )}
      />
    </section>
  );
}
