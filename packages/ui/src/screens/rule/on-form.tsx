import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { setWhenOn } from "../../api/rules.ts";
import { undo } from "../../api/rows.ts";
import { DraftBar, DraftLine, useDraft } from "../../parts/draft.tsx";
import { useFresh } from "../../parts/fresh.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Times } from "../../parts/times.tsx";
import { hrefOf } from "../../route.ts";
import { change, reasonOf } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { notify } from "../../store/notices.ts";
import type { Rule } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { lacks, onConfigOf, type OnDraft, onDraftOf, onFaults, turnedBy, withScene } from "./when-on.ts";

/** The scenes of the home, to choose from. */
function Scenes({
  chosen,
  put,
}: {
  chosen: readonly string[];
  put: (ids: readonly string[]) => void;
}): JSX.Element {
  const ids = home.of.scenes.ids.value;
  return (
    <fieldset class="field">
      <legend>{t("home.scenes")}</legend>
      {ids.map((id) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={(event) => put(withScene(chosen, id, event.currentTarget.checked))}
          />
          {home.of.scenes.of(id).value?.name}
        </label>
      ))}
      <a href={hrefOf("scene")}>{t("scenes.new")}</a>
    </fieldset>
  );
}

const sound: ReturnType<typeof onFaults> = { times: new Map(), others: [] };

function textOf(draft: OnDraft): string {
  return JSON.stringify(onConfigOf(draft));
}

/** What somebody has chosen, also what another choice hides. */
function typedIn(draft: OnDraft): string {
  return JSON.stringify(draft);
}

/** The state of the form, and what saves it. */
function useForm(rule: Rule) {
  const { id, config } = rule;
  const start = onDraftOf(rule);
  const draft = useSignal<OnDraft>(start);
  const faults = useSignal(sound);
  const isAsked = useSignal(false);
  const drafting = useDraft(`on ${id}`, start, typedIn, draft);
  useFresh(start, textOf, draft);
  const { value: form } = draft;
  const put = (next: OnDraft): void => {
    draft.value = next;
    faults.value = sound;
    isAsked.value = false;
  };
  const isLacking = lacks(form);
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    isAsked.value = true;
    if (isLacking) return;
    const answer = await setWhenOn(id, onConfigOf(form));
    if (!answer.ok) {
      faults.value = onFaults(answer.errors);
      if (answer.errors.length === 0) notify(reasonOf(answer), { isError: true });
      return;
    }
    drafting.done();
    await change(Promise.resolve(answer), t("rule.saved", { name: config.name }), async () => {
      const undone = await undo("rule", id);
      // The page may not have heard of the rule as it was saved, so that nothing seems to change.
      if (undone.ok && textOf(draft.peek()) === textOf(form)) {
        draft.value = start;
        drafting.done();
      }
      return undone;
    });
  };
  const { times: timeFaults, others } = faults.value;
  const problems = [...(isAsked.value && isLacking ? [t("on.lacks")] : []), ...others];
  return {
    form,
    put,
    save,
    timeFaults,
    problems,
    isOpen: start.by !== "hand" || drafting.found !== null,
    drafting,
  };
}

/** What turns a saved rule on and off. */
export function OnForm({ rule }: { readonly rule: Rule }): JSX.Element {
  const { form, put, save, timeFaults, problems, isOpen, drafting } = useForm(rule);
  return (
    <details class="card" open={isOpen}>
      <summary>{t("on.title")}</summary>
      <form noValidate onSubmit={(event) => void save(event)}>
        <DraftBar of={drafting} />
        <fieldset class="segments">
          <legend>{t("on.by")}</legend>
          {turnedBy.map((by) => (
            <label key={by}>
              <input
                type="radio"
                name="turned-by"
                checked={form.by === by}
                onChange={() => put({ ...form, by })}
              />
              <span>{t(`on.${by}`)}</span>
            </label>
          ))}
        </fieldset>
        {form.by === "scenes" && <Scenes chosen={form.scenes} put={(scenes) => put({ ...form, scenes })} />}
        {form.by === "times" && (
          <Times
            label={t("scene.times")}
            how={t("on.timesHow")}
            times={form.times}
            faults={timeFaults}
            put={(times) => put({ ...form, times })}
          />
        )}
        {problems.map((problem) => (
          <Problem key={problem}>{problem}</Problem>
        ))}
        <LiveButton>
          {t("save")} <span class="hidden">{t("on.title")}</span>
        </LiveButton>
        <DraftLine of={drafting} />
      </form>
    </details>
  );
}
