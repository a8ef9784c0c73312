// What the hub asks cameras, as ONVIF spells it (Core, Media, Media2, PTZ and Event service specifications).
import { escaped } from "@ledge/soap";

/** A service of a camera. `subscription`: where events of one subscription are pulled. */
export type Service = "device" | "media" | "media2" | "ptz" | "events" | "subscription";

export interface Question {
  readonly service: Service;
  /** The action in the header of HTTP. */
  readonly action: string;
  readonly body: string;
  /** Further headers of the message. */
  readonly header?: string;
}

/** The namespaces of the services. */
export const spaces = {
  device: "http://www.onvif.org/ver10/device/wsdl",
  media: "http://www.onvif.org/ver10/media/wsdl",
  media2: "http://www.onvif.org/ver20/media/wsdl",
  ptz: "http://www.onvif.org/ver20/ptz/wsdl",
  events: "http://www.onvif.org/ver10/events/wsdl",
} as const;
const schema = "http://www.onvif.org/ver10/schema";
const notification = "http://docs.oasis-open.org/wsn/b-2";
const addressing = "http://www.w3.org/2005/08/addressing";

function question(service: keyof typeof spaces, name: string, content = ""): Question {
  const space = spaces[service];
  return { service, action: `${space}/${name}`, body: `<${name} xmlns="${space}">${content}</${name}>` };
}

const token = (text: string): string => `<ProfileToken>${escaped(text)}</ProfileToken>`;

export const getTime = question("device", "GetSystemDateAndTime");
export const getInformation = question("device", "GetDeviceInformation");
export const getInterfaces = question("device", "GetNetworkInterfaces");
export const getServices = question("device", "GetServices", "<IncludeCapability>false</IncludeCapability>");
export const getCapabilities = question("device", "GetCapabilities", "<Category>All</Category>");

export function setUser(username: string, password: string): Question {
  const user =
    `<Username xmlns="${schema}">${escaped(username)}</Username>` +
    `<Password xmlns="${schema}">${escaped(password)}</Password>` +
    `<UserLevel xmlns="${schema}">Administrator</UserLevel>`;
  return question("device", "SetUser", `<User>${user}</User>`);
}

/** Which of the two media services a camera has. */
export type Media = "media" | "media2";

export function getProfiles(media: Media): Question {
  return question(media, "GetProfiles", media === "media2" ? "<Type>VideoEncoder</Type>" : "");
}

export function getStreamUri(media: Media, profile: string): Question {
  const setup =
    media === "media2"
      ? "<Protocol>RtspUnicast</Protocol>"
      : `<StreamSetup><Stream xmlns="${schema}">RTP-Unicast</Stream>` +
        `<Transport xmlns="${schema}"><Protocol>RTSP</Protocol></Transport></StreamSetup>`;
  return question(media, "GetStreamUri", setup + token(profile));
}

export function getSnapshotUri(media: Media, profile: string): Question {
  return question(media, "GetSnapshotUri", token(profile));
}

export function getPresets(profile: string): Question {
  return question("ptz", "GetPresets", token(profile));
}

export function getStatus(profile: string): Question {
  return question("ptz", "GetStatus", token(profile));
}

export function gotoPreset(profile: string, preset: string): Question {
  return question("ptz", "GotoPreset", `${token(profile)}<PresetToken>${escaped(preset)}</PresetToken>`);
}

/** Where a camera looks: pan and tilt -1..1, zoom 0..1. What is absent stays. */
export interface Position {
  readonly pan?: number | undefined;
  readonly tilt?: number | undefined;
  readonly zoom?: number | undefined;
}

export function absoluteMove(profile: string, { pan, tilt, zoom }: Position): Question {
  const panTilt =
    pan === undefined || tilt === undefined ? "" : `<PanTilt xmlns="${schema}" x="${pan}" y="${tilt}"/>`;
  const zoomed = zoom === undefined ? "" : `<Zoom xmlns="${schema}" x="${zoom}"/>`;
  return question("ptz", "AbsoluteMove", `${token(profile)}<Position>${panTilt}${zoomed}</Position>`);
}

/** How long a subscription lasts unless it is renewed (s). */
export const subscriptionS = 120;
/** How long a camera keeps a request for events while it has none (s). */
export const pullS = 20;

export const getEventProperties = question("events", "GetEventProperties");
export const subscribe: Question = {
  ...question(
    "events",
    "CreatePullPointSubscription",
    `<InitialTerminationTime>PT${subscriptionS}S</InitialTerminationTime>`,
  ),
  action: `${spaces.events}/EventPortType/CreatePullPointSubscriptionRequest`,
};

/** One subscription at a camera. */
export interface Subscription {
  /** Its URL as the camera spells it; messages name it in full, and go to its path. */
  readonly address: string;
  /** Some cameras have one address for all subscriptions, and tell them apart by this. */
  readonly id: string | undefined;
}

export function pull(subscription: Subscription): Question {
  return atSubscription(
    subscription,
    `${spaces.events}/PullPointSubscription/PullMessagesRequest`,
    `<PullMessages xmlns="${spaces.events}"><Timeout>PT${pullS}S</Timeout><MessageLimit>50</MessageLimit></PullMessages>`,
  );
}

export function renew(subscription: Subscription): Question {
  return atSubscription(
    subscription,
    "http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager/RenewRequest",
    `<Renew xmlns="${notification}"><TerminationTime>PT${subscriptionS}S</TerminationTime></Renew>`,
  );
}

export function unsubscribe(subscription: Subscription): Question {
  return atSubscription(
    subscription,
    "http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager/UnsubscribeRequest",
    `<Unsubscribe xmlns="${notification}"/>`,
  );
}

function atSubscription({ address, id }: Subscription, action: string, body: string): Question {
  const header =
    `<a:Action xmlns:a="${addressing}">${action}</a:Action><a:To xmlns:a="${addressing}">${escaped(address)}</a:To>` +
    (id === undefined
      ? ""
      : `<SubscriptionId xmlns="http://www.axis.com/2009/event" xmlns:a="${addressing}" ` +
        `a:IsReferenceParameter="true">${escaped(id)}</SubscriptionId>`);
  return { service: "subscription", action, body, header };
}
