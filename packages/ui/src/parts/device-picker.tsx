import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { home } from "../store/home.ts";
import { noRoom } from "../store/store.ts";
import { t } from "../texts/texts.ts";
import { held } from "./held.ts";
import { Icon } from "./icon.tsx";

/** Returns the name of a device or a group; its id where it is gone. */
export function nameOfTarget(id: string): string {
  return home.of.devices.of(id).value?.name ?? home.of.groups.of(id).value?.name ?? id;
}

interface Choices {
  readonly title: string;
  readonly ids: readonly string[];
}

/** Devices by room, then groups, then devices that the field is not first of all for, as far as they are taken. */
function choicesOf(takes: (id: string) => boolean, isMeant: (id: string) => boolean): readonly Choices[] {
  const rooms = home.of.rooms.ids.value.map((id) => ({
    title: home.of.rooms.of(id).value?.name ?? id,
    ids: home.devicesByRoom.idsOf(id).value,
  }));
  const places = [
    ...rooms,
    { title: t("home.noRoom"), ids: home.devicesByRoom.idsOf(noRoom).value },
    { title: t("pick.browsers"), ids: home.browsers.value },
    { title: t("pick.groups"), ids: home.of.groups.ids.value },
  ];
  const meant = places.map(({ title, ids }) => ({
    title,
    ids: ids.filter((id) => takes(id) && isMeant(id)),
  }));
  const others = home.of.devices.ids.value.filter((id) => takes(id) && !isMeant(id));
  return [...meant, { title: t("pick.others"), ids: others }].filter(({ ids }) => ids.length > 0);
}

function Options({ of }: { readonly of: readonly Choices[] }): JSX.Element {
  return (
    <>
      {of.map(({ title, ids }) => (
        <optgroup key={title} label={title}>
          {ids.map((id) => (
            <option key={id} value={id}>
              {nameOfTarget(id)}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  );
}

interface Picking {
  /** Of the element that the label names. */
  readonly id: string;
  readonly label: string;
  readonly described: string | undefined;
  readonly isWrong: boolean;
  /** Which devices and groups may be chosen. */
  readonly takes: (id: string) => boolean;
  /** Which of these stand first; all unless it says otherwise. */
  readonly isMeant?: (id: string) => boolean;
  readonly chosen: readonly string[];
  readonly put: (ids: readonly string[]) => void;
}

const all = (): boolean => true;

/** A field for one device. */
export function PickOne(props: Picking): JSX.Element {
  const { id, label, described, isWrong, takes, isMeant = all, chosen, put } = props;
  const [now = ""] = chosen;
  const choices = choicesOf((each) => each === now || takes(each), isMeant);
  const isKnown = now === "" || choices.some(({ ids }) => ids.includes(now));
  return (
    <>
      <label for={id}>{label}</label>
      <select
        id={id}
        aria-describedby={described}
        aria-invalid={isWrong}
        value={now}
        onChange={({ currentTarget: { value } }) => put(value === "" ? [] : [value])}
      >
        <option value="">{choices.length === 0 ? t("pick.none") : t("pick.no")}</option>
        {!isKnown && <option value={now}>{now}</option>}
        <Options of={choices} />
      </select>
    </>
  );
}

/** A field for several devices, in the order in which they were chosen. */
export function PickSeveral(props: Picking & { readonly isFull: boolean }): JSX.Element {
  const { id, label, described, isWrong, takes, isMeant = all, chosen, put, isFull } = props;
  const add = useRef<HTMLSelectElement>(null);
  const left = choicesOf((each) => !chosen.includes(each) && takes(each), isMeant);
  const isEmpty = left.length === 0 && chosen.length === 0;
  const remove = (gone: string): void => {
    put(chosen.filter((each) => each !== gone));
    add.current?.focus();
  };
  return (
    <>
      <label for={id}>{label}</label>
      {chosen.length > 0 && (
        <ul class="plain picked" aria-label={t("pick.chosen", { label })}>
          {chosen.map((each) => (
            <li key={each}>
              <button type="button" class="chip" onClick={() => remove(each)}>
                <span>{nameOfTarget(each)}</span>
                <Icon name="close" />
                <span class="hidden">{t("pick.remove")}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <select
        id={id}
        ref={add}
        aria-describedby={described}
        aria-invalid={isWrong}
        value=""
        {...held(isFull || left.length === 0)}
        onChange={({ currentTarget }) => {
          if (!isFull && currentTarget.value !== "") put([...chosen, currentTarget.value]);
          currentTarget.value = "";
        }}
      >
        <option value="">{isEmpty ? t("pick.none") : t("pick.add")}</option>
        <Options of={left} />
      </select>
    </>
  );
}
