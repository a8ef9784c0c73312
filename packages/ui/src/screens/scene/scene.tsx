import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import type { Answer } from "../../api/call.ts";
import { undo } from "../../api/rows.ts";
import { removeScene, saveScene } from "../../api/scenes.ts";
import { Button } from "../../parts/button.tsx";
import { Denied } from "../../parts/denied.tsx";
import { Loading } from "../../parts/faces.tsx";
import { DraftBar, DraftLine, useDraft } from "../../parts/draft.tsx";
import { PickSeveral } from "../../parts/device-picker.tsx";
import { useFresh } from "../../parts/fresh.ts";
import { Icon } from "../../parts/icon.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { PutBack } from "../../parts/put-back.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { Times } from "../../parts/times.tsx";
import { hrefOf, route } from "../../route.ts";
import { change, dropNew, reasonOf, remove, turnScene } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { notify } from "../../store/notices.ts";
import { onceThere } from "../../store/once-there.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Device, Objects } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import {
  emptyScene,
  type SceneDraft,
  sceneDraftOf,
  type SceneFaults,
  sceneFaults,
  settingsOf,
  stateNow,
  type Wanted,
  wantedScene,
} from "./members.ts";
import { Outcome } from "./outcome.tsx";
import { WantedEditor } from "./wanted-editor.tsx";

type Scene = Objects["scenes"];

function deviceOf(id: string): Device | undefined {
  return home.of.devices.of(id).value;
}

const sound: SceneFaults = { name: "", times: new Map(), devices: new Map(), others: [] };

/** A device of a scene, and what the scene wants of it. */
function Member(of: {
  readonly id: string;
  readonly wanted: Wanted;
  readonly fault: string | undefined;
  readonly put: (wanted: Wanted | undefined) => void;
}): JSX.Element | null {
  const { id, wanted, fault, put } = of;
  const device = deviceOf(id);
  if (device === undefined) return null;
  const { name } = device;
  return (
    <fieldset class="value">
      <legend>{name}</legend>
      <WantedEditor device={device} wanted={wanted} put={put} />
      {fault !== undefined && <p class="problem">{fault}</p>}
      {Object.keys(wanted).length === 0 && <p class="muted">{t("scene.nothing")}</p>}
      <div class="row">
        <button type="button" class="button" onClick={() => put(stateNow(device))}>
          {t("scene.asNow")} <span class="hidden">{name}</span>
        </button>
        <button type="button" class="button quiet" onClick={() => put(undefined)}>
          {t("pick.remove")} <span class="hidden">{name}</span>
        </button>
      </div>
    </fieldset>
  );
}

function Members(of: {
  readonly draft: SceneDraft;
  readonly faults: SceneFaults;
  readonly put: (draft: SceneDraft) => void;
}): JSX.Element {
  const { draft, faults, put } = of;
  const { wanted } = draft;
  const want = (ids: readonly string[]): void => {
    const known = ids.map((id) => [id, wanted.get(id) ?? nowOf(id)] as const);
    put({ ...draft, wanted: new Map(known) });
  };
  const allNow = (): void =>
    put({ ...draft, wanted: new Map([...wanted.keys()].map((id) => [id, nowOf(id)])) });
  return (
    <div class="field">
      <PickSeveral
        id="scene-devices"
        label={t("scene.devices")}
        described="scene-devices-help"
        isWrong={false}
        isFull={false}
        takes={(id) => canBeSet(deviceOf(id))}
        chosen={[...wanted.keys()]}
        put={want}
      />
      <p id="scene-devices-help" class="muted">
        {t("scene.devicesHow")}
      </p>
      {[...wanted].map(([id, state]) => (
        <Member
          key={id}
          id={id}
          wanted={state}
          fault={faults.devices.get(id)}
          put={(next) => {
            const others = new Map(wanted);
            if (next === undefined) others.delete(id);
            else others.set(id, next);
            put({ ...draft, wanted: others });
          }}
        />
      ))}
      {wanted.size > 1 && (
        <button type="button" class="button" onClick={allNow}>
          {t("scene.allNow")}
        </button>
      )}
    </div>
  );
}

function canBeSet(device: Device | undefined): boolean {
  return device !== undefined && settingsOf(device).length > 0;
}

function nowOf(id: string): Wanted {
  const device = deviceOf(id);
  return device === undefined ? {} : stateNow(device);
}

function textOf(draft: SceneDraft): string {
  return JSON.stringify(wantedScene(draft, (id) => deviceOf(id)?.type));
}

/** What somebody has typed, also of devices that the page does not know now. */
function typedIn({ name, wanted, times }: SceneDraft): string {
  return JSON.stringify([name, [...wanted], times]);
}

/** The state of a form, and what saves it. */
function useForm(start: SceneDraft) {
  const draft = useSignal(start);
  const drafting = useDraft(`scene ${start.id ?? "new"}`, start, typedIn, draft);
  useFresh(start.id === null ? undefined : start, textOf, draft);
  const faults = useSignal(sound);
  const { value: form } = draft;
  const put = (next: SceneDraft): void => {
    draft.value = next;
    faults.value = sound;
  };
  const save = async (): Promise<void> => {
    if (form.name.trim() === "") return void (faults.value = { ...sound, name: t("flaw.missing") });
    const scene = wantedScene(form, (id) => deviceOf(id)?.type);
    const answer = await saveScene(scene);
    if (!answer.ok) {
      faults.value = sceneFaults(answer.errors, scene);
      if (answer.errors.length === 0) notify(reasonOf(answer), { isError: true });
      return;
    }
    drafting.done();
    const id = answer.value[0]?.id ?? "";
    const back = (): Promise<Answer<unknown>> =>
      form.id === null ? dropNew("scenes", id, removeScene(id)) : undo("scene", id);
    await change(Promise.resolve(answer), t("rule.saved", { name: scene.name }), back);
    if (form.id === null) onceThere(home.of.scenes.of(id), () => (location.hash = hrefOf("scene", id)));
  };
  return { form, put, save, faults: faults.value, drafting };
}

function Form({ start, isFixed }: { readonly start: SceneDraft; readonly isFixed: boolean }): JSX.Element {
  const { form, put, save, faults, drafting } = useForm(start);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void save();
  };
  return (
    <form class="card" onSubmit={submit} noValidate>
      <DraftBar of={drafting} />
      <TextField
        id="scene-name"
        label={t("rule.name")}
        value={form.name}
        fault={faults.name}
        isFixed={isFixed}
        put={(name) => put({ ...form, name })}
      />
      <Members draft={form} faults={faults} put={put} />
      <Times
        label={t("scene.times")}
        how={t("scene.timesHow")}
        times={form.times}
        faults={faults.times}
        put={(times) => put({ ...form, times })}
      />
      {faults.others.map((message) => (
        <Problem key={message}>{message}</Problem>
      ))}
      <LiveButton isMain>{t("save")}</LiveButton>
      <DraftLine of={drafting} />
    </form>
  );
}

/** A saved scene: tries it, says what became of each device, and changes it. */
function Saved({ scene }: { readonly scene: Scene }): JSX.Element {
  const round = useSignal(0);
  const { id, name, category } = scene;
  const isFactory = category === "FACTORY";
  const isBlocked = sync.connection.value !== "live";
  const run = async (): Promise<void> => {
    await turnScene(id, true);
    round.value++;
  };
  return (
    <>
      <h1 tabIndex={-1}>{name}</h1>
      <div class="row">
        <Button isMain isBlocked={isBlocked} onClick={() => void run()}>
          {t("scene.run")}
        </Button>
        {!isFactory && (
          <Button isBlocked={isBlocked} onClick={() => void remove("scenes", id, name, removeScene(id))}>
            {t("rules.remove", { name })}
          </Button>
        )}
        <PutBack kind="scene" id={id} name={name} label="past.putRule" />
      </div>
      <Outcome id={id} round={round.value} />
      <Form start={sceneDraftOf(scene)} isFixed={isFactory} />
    </>
  );
}

function Shown(): JSX.Element {
  const { id } = route.value;
  if (id === null)
    return (
      <>
        <h1 tabIndex={-1}>{t("scenes.new")}</h1>
        <Form start={emptyScene} isFixed={false} />
      </>
    );
  const scene = home.of.scenes.of(id).value;
  if (scene !== undefined) return <Saved key={id} scene={scene} />;
  return !home.isTold.value ? <Loading /> : <h1 tabIndex={-1}>{t("error.missing")}</h1>;
}

/** A scene, new or saved. */
export function SceneScreen(): JSX.Element {
  return (
    <>
      <a class="back" href={hrefOf("scenes")}>
        <Icon name="back" />
        {t("scenes.title")}
      </a>
      {isAtLeast("IDENTIFIED_USER") ? (
        <Shown />
      ) : (
        <Denied title={t("scenes.title")} why={t("scenes.notYours")} />
      )}
    </>
  );
}
