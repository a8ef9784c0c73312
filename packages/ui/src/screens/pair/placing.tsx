import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { ControlOf } from "../../controls/control.tsx";
import { controlsOf } from "../../controls/registry.ts";
import { DeviceEdit } from "../../parts/device-edit.tsx";
import { Loading } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { SettingsForm } from "../../parts/settings-form.tsx";
import { summaryOf } from "../../parts/summary.ts";
import { hrefOf } from "../../route.ts";
import { request } from "../../store/commands.ts";
import { home, wanted } from "../../store/home.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";

function Try({ device }: { readonly device: Device }): JSX.Element {
  const { id, name, capabilities } = device;
  return (
    <>
      <p class="muted">{summaryOf(device, wanted.of(id).value)}</p>
      {controlsOf(device).map((control) => (
        <ControlOf
          key={`${control.kind} ${control.attribute} ${control.part ?? ""}`}
          id={id}
          control={control}
        />
      ))}
      {capabilities.values.includes("IDENTIFY") && (
        <LiveButton onClick={() => void request("CMD_IDENTIFY", id, t("device.identifying", { name }))}>
          {t("device.identify")}
        </LiveButton>
      )}
    </>
  );
}

/** Settings that a device may want before it is of use, such as the key of a sensor that encrypts what it says. */
function Configure({ device: { id, name } }: { readonly device: Device }): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("place.settings", { name })}</summary>
      {isOpen.value && <SettingsForm id={id} />}
    </details>
  );
}

function Card({ id }: { readonly id: string }): JSX.Element {
  const device = home.of.devices.of(id).value;
  if (device === undefined) return <Loading />;
  return (
    <section class="card" aria-label={device.name}>
      <h2>{device.name}</h2>
      <DeviceEdit device={device} />
      <h3>{t("pair.try")}</h3>
      <Try device={device} />
      {device.capabilities.values.includes("CONFIGURABLE") && <Configure device={device} />}
    </section>
  );
}

/** New devices get names and rooms, and are tried. */
export function Placing(props: {
  readonly ids: readonly string[];
  /** Names of what was found and is not kept. */
  readonly lost: readonly string[];
  readonly done: () => void;
}): JSX.Element {
  const { ids, lost, done } = props;
  return (
    <>
      <h1 tabIndex={-1}>{t("pair.place", { n: ids.length })}</h1>
      {lost.length > 0 && <p>{t("pair.notKept", { names: lost.join(", ") })}</p>}
      {ids.map((id) => (
        <Card key={id} id={id} />
      ))}
      <button type="button" class="button main" onClick={done}>
        {t("pair.done")}
      </button>
    </>
  );
}

/** What has come into the home. */
export function Added({
  ids,
  again,
}: {
  readonly ids: readonly string[];
  readonly again: () => void;
}): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("pair.added", { n: ids.length })}</h1>
      <ul class="plain">
        {ids.map((id) => (
          <li key={id}>
            <a class="card link" href={hrefOf("device", id)}>
              {home.of.devices.of(id).value?.name ?? t("device.gone")}
            </a>
          </li>
        ))}
      </ul>
      <div class="row">
        <a class="button main" href={hrefOf("home")}>
          {t("pair.home")}
        </a>
        <button type="button" class="button" onClick={again}>
          {t("pair.more")}
        </button>
      </div>
    </>
  );
}
