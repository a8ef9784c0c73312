import type { JSX, TargetedSubmitEvent } from "preact";
import { useSignal } from "@preact/signals";
import type { Answer } from "../api/call.ts";
import { undo } from "../api/rows.ts";
import { nameHub, type Place, place, setPlace, setTimezone, timezones } from "../api/setup.ts";
import { change, reasonOf } from "../store/commands.ts";
import { askHub, askZone, hub, sync } from "../store/home.ts";
import { t } from "../texts/texts.ts";
import { homeZone } from "../zone.ts";
import { useAnswer } from "./answer.ts";
import { Button } from "./button.tsx";
import { AnswerFace } from "./faces.tsx";
import { LiveButton } from "./live-button.tsx";
import { NameField } from "./name-field.tsx";
import { Problem } from "./problem.tsx";
import { Select } from "./select.tsx";

interface Facts {
  readonly zones: readonly string[];
  readonly place: Place;
}

async function factsOf(signal: AbortSignal): Promise<Answer<Facts>> {
  const [zones, at] = await Promise.all([timezones(signal), place(signal)]);
  if (!zones.ok) return zones;
  if (!at.ok) return at;
  return { ok: true, value: { zones: zones.value, place: at.value } };
}

/** Takes back the last change of the hub's settings. */
const back = (): ReturnType<typeof undo> => undo("hub", hub.peek()?.hubId ?? "");

const degrees = [
  ["latitude", "place.latitude"],
  ["longitude", "place.longitude"],
] as const;

/** Where the sun rises and sets; the city of the time zone unless somebody says more. */
function Coordinates({ of, saved }: { readonly of: Place; readonly saved: () => void }): JSX.Element {
  const problem = useSignal("");
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const [latitude, longitude] = ["latitude", "longitude"].map((name) => typed.get(name));
    if (!latitude || !longitude) return void (problem.value = t("login.missing"));
    const answer = await setPlace(Number(latitude), Number(longitude));
    problem.value = answer.ok ? "" : (answer.errors[0]?.message ?? reasonOf(answer));
    if (!answer.ok) return;
    await change(Promise.resolve(answer), t("place.saved"), back);
    saved();
  };
  return (
    <details>
      <summary>{t(of.isDefault ? "place.ofZone" : "place.exact")}</summary>
      <form onSubmit={(event) => void save(event)}>
        {degrees.map(([name, text]) => (
          <label key={name} class="field">
            <span>{t(text)}</span>
            <input type="number" name={name} step="any" value={of[name]} />
          </label>
        ))}
        <Problem>{problem.value}</Problem>
        <LiveButton>{t("save")}</LiveButton>
      </form>
    </details>
  );
}

/** Name, time zone and place of the hub, which are saved as soon as a field is left. */
export function HubPlace(): JSX.Element {
  const { asked, again } = useAnswer(factsOf, "place");
  const isBlocked = sync.connection.value !== "live";
  const { value: zone } = homeZone;
  const renew = async (): Promise<void> => {
    void askHub();
    await askZone();
    again();
  };
  const save = async (asking: Promise<Answer<unknown>>): Promise<void> => {
    await change(asking, t("place.saved"), async () => {
      const answer = await back();
      void renew();
      return answer;
    });
    void renew();
  };
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <p class="muted">{t("place.how")}</p>
      <NameField
        label={t("place.name")}
        name={hub.value?.name ?? ""}
        isBlocked={isBlocked}
        save={(to) => save(nameHub(to))}
      />
      <AnswerFace
        answer={asked.value}
        again={again}
        show={({ zones, place: at }) => (
          <>
            <label class="field">
              <span>{t("place.zone")}</span>
              <Select value={zone ?? ""} isBlocked={isBlocked} choose={(to) => void save(setTimezone(to))}>
                {zones.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </Select>
            </label>
            {zone !== here && zones.includes(here) && (
              <p>
                <Button isBlocked={isBlocked} onClick={() => void save(setTimezone(here))}>
                  {t("place.here", { zone: here })}
                </Button>
              </p>
            )}
            <Coordinates of={at} saved={again} />
          </>
        )}
      />
    </>
  );
}
