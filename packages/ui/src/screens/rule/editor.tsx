import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import type { RuleTemplate } from "@ledge/model";
import type { Answer, Failure } from "../../api/call.ts";
import { removeRule, saveRule, turnRule } from "../../api/rules.ts";
import { undo } from "../../api/rows.ts";
import { Button } from "../../parts/button.tsx";
import { followsScenes } from "../../parts/follows-scenes.ts";
import { DraftBar, DraftLine, useDraft } from "../../parts/draft.tsx";
import { useFresh } from "../../parts/fresh.ts";
import { LiveDiagram } from "../../diagram/live.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RuleSwitch } from "../../parts/rule-switch.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { WhyNot } from "../../parts/why-not.tsx";
import { hrefOf } from "../../route.ts";
import { change, dropNew, reasonOf, remove } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { notify } from "../../store/notices.ts";
import { onceThere } from "../../store/once-there.ts";
import type { Rule } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { configOf, type Draft, draftOf, type Flaw, flawsOf, newDraft, saidAt } from "./draft.ts";
import { FieldView, type Faults, members } from "./field-view.tsx";
import { fieldsOf, pathOf } from "./fields.ts";
import { OnForm } from "./on-form.tsx";
import { LastWeek, saidIn, useTrial } from "./last-week.tsx";

/** What can be done with a saved rule. */
function Saved({ rule }: { readonly rule: Rule }): JSX.Element {
  const isAsked = useSignal(false);
  const {
    id,
    is_on: isOn,
    config: { name },
  } = rule;
  const isBlocked = sync.connection.value !== "live";
  return (
    <div class="row">
      <RuleSwitch rule={rule} />
      <span>
        {t(isOn ? "value.on" : "value.off")}
        {followsScenes(rule) && `. ${t("on.follows")}`}
      </span>
      <button type="button" class="button" onClick={() => (isAsked.value = true)}>
        {t("rules.whyNot")}
      </button>
      <Button isBlocked={isBlocked} onClick={() => void remove("rules", id, name, removeRule(id))}>
        {t("rules.remove", { name })}
      </Button>
      {isAsked.value && <WhyNot rule={rule} close={() => (isAsked.value = false)} />}
    </div>
  );
}

/** Whether a form lacks something that nobody has given yet: no fault of somebody who has just begun. */
function isLack({ kind }: Flaw): boolean {
  return kind === "missing" || kind === "few";
}

/** Returns what the hub says of no field of the form. */
function elsewhere(said: Faults["said"], paths: readonly string[]): readonly string[] {
  const isShown = (at: string): boolean => paths.some((path) => at === path || at.startsWith(`${path}.`));
  return [...said].filter(([at]) => !isShown(at)).map(([, message]) => message);
}

/** What somebody has typed, also what stands for no value. */
function typedIn({ name, devices, values }: Draft): string {
  return JSON.stringify([name, devices, values]);
}

interface Editing {
  readonly template: RuleTemplate;
  /** What the form begins with. */
  readonly start: Draft;
  /** Undefined while it is not saved. */
  readonly rule: Rule | undefined;
}

/** The state of a form, and what saves it. */
function useForm({ template, start, rule }: Editing) {
  const draft = useSignal(start);
  const refused = useSignal<Failure | null>(null);
  const isTouched = useSignal(false);
  const { value: form } = draft;
  const flaws = flawsOf(template, form, members);
  const trial = useTrial(template, form, flaws.size === 0);
  const drafting = useDraft(
    rule === undefined ? `rule new ${template.configType}` : `rule ${rule.id}`,
    rule === undefined ? start : draftOf(template, rule.config),
    typedIn,
    draft,
  );
  useFresh(rule && draftOf(template, rule.config), (of) => JSON.stringify(configOf(template, of)), draft);
  const faults: Faults = {
    flaws: isTouched.value ? flaws : new Map([...flaws].filter(([, flaw]) => !isLack(flaw))),
    said: refused.value === null ? saidIn(trial.asked.value) : saidAt(refused.value.errors),
  };
  const put = (next: Draft): void => {
    refused.value = null;
    draft.value = next;
  };
  const save = async (turnsOn: boolean): Promise<void> => {
    isTouched.value = true;
    if (flaws.size > 0) return toFirstFault();
    const answer = await saveRule(configOf(template, form));
    if (!answer.ok) {
      refused.value = answer;
      if (answer.errors.length === 0) notify(reasonOf(answer), { isError: true });
      return toFirstFault();
    }
    drafting.done();
    const id = answer.value[0]?.id ?? "";
    const { name } = form;
    const back = (): Promise<Answer<unknown>> =>
      form.id === null ? dropNew("rules", id, removeRule(id)) : undo("rule", id);
    const turned = turnsOn ? turnRule(id, true) : Promise.resolve(answer);
    await change(turned, t(turnsOn ? "proposals.saved" : "rule.saved", { name }), back);
    if (form.id === null) onceThere(home.of.rules.of(id), () => (location.hash = hrefOf("rule", id)));
  };
  return { form, put, save, faults, trial, drafting };
}

/** The form of a rule, new or saved, and what the rule would have done. */
function Form(editing: Editing): JSX.Element {
  const { template, rule } = editing;
  const { form, put, save, faults, trial, drafting } = useForm(editing);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void save(false);
  };
  const isBlocked = sync.connection.value !== "live";
  const fields = fieldsOf(template);
  return (
    <div class="editor">
      <form class="card" onSubmit={submit} noValidate>
        <DraftBar of={drafting} />
        <p class="muted">{template.description}</p>
        <TextField
          id="name"
          label={t("rule.name")}
          value={form.name}
          fault={faults.flaws.has("name") ? t("flaw.missing") : (faults.said.get("name") ?? "")}
          put={(name) => put({ ...form, name })}
        />
        {fields.map((field) => (
          <FieldView key={field.name} field={field} draft={form} change={put} faults={faults} />
        ))}
        {elsewhere(faults.said, ["name", ...fields.map(pathOf)]).map((message) => (
          <Problem key={message}>{message}</Problem>
        ))}
        <div class="row">
          <Button isMain isBlocked={isBlocked}>
            {t("save")}
          </Button>
          {rule?.is_on !== true && !(rule && followsScenes(rule)) && (
            <Button isBlocked={isBlocked} onClick={() => void save(true)}>
              {t("proposals.save")}
            </Button>
          )}
        </div>
        <DraftLine of={drafting} />
      </form>
      <LastWeek asked={trial.asked.value} isKnown={form.id !== null} again={trial.again} />
    </div>
  );
}

/** Brings the first field that is wrong into sight, when it is drawn. */
function toFirstFault(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.editor [aria-invalid="true"]')?.focus());
}

/** How a rule works, for those who want to know. */
function Machine({ id }: { readonly id: string }): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details class="card" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("diagram.title")}</summary>
      {isOpen.value && <LiveDiagram id={id} />}
    </details>
  );
}

/** A new rule of a template. */
export function NewRule({ template }: { readonly template: RuleTemplate }): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{template.name}</h1>
      <Form key={template.configType} template={template} start={newDraft(template)} rule={undefined} />
    </>
  );
}

/** A saved rule, of a template that the hub knows. */
export function SavedRule({
  id,
  all,
}: {
  readonly id: string;
  readonly all: readonly RuleTemplate[];
}): JSX.Element {
  const rule = home.of.rules.of(id).value;
  const template = all.find(({ configType }) => configType === rule?.config.configType);
  if (rule === undefined || template === undefined) return <h1 tabIndex={-1}>{t("error.missing")}</h1>;
  return (
    <>
      <h1 tabIndex={-1}>{rule.config.name}</h1>
      <p class="muted">{template.name}</p>
      <Saved rule={rule} />
      <OnForm key={`on ${id}`} rule={rule} />
      <Machine id={id} />
      <Form key={id} template={template} start={draftOf(template, rule.config)} rule={rule} />
    </>
  );
}
