// Shows a short message. Costs a page nothing at startup: messages are queued here while the holder (toaster.tsx) and the
// toast library load.

export interface ToastMessage {
  tone: "default" | "success" | "destructive";
  title: string;
  description?: string;
  /** An action offered while the toast is shown. */
  action?: ToastAction;
}

export interface ToastAction {
  label: string;
  run: () => void;
  /** The message stays until it is withdrawn or closed. */
  stays?: boolean;
}

/** The edge of a wide window at which messages show if nothing is in the way. Phones show them at the bottom. */
export type ToastEdge = "top" | "bottom";

/** Shows a message and returns a function that withdraws it. */
type Holder = (message: ToastMessage) => () => void;

let holder: Holder | undefined;
let waiting: ToastMessage[] = [];
/** Functions that withdraw the displayed messages. */
const shown = new WeakMap<ToastMessage, () => void>();
/** Withdraw the failures since the last success: what follows one replaces it. */
const failures: (() => void)[] = [];
const watchers = new Set<() => void>();

function say(
  tone: ToastMessage["tone"],
  title: string,
  description?: string,
  action?: ToastAction,
): () => void {
  const message: ToastMessage = {
    tone,
    title,
    ...(description && { description }),
    ...(action && { action }),
  };
  if (tone === "success") for (const takeBack of failures.splice(0)) takeBack();
  if (holder) shown.set(message, holder(message));
  else {
    waiting.push(message);
    for (const watcher of watchers) watcher();
  }
  const takeBack = () => {
    waiting = waiting.filter((one) => one !== message);
    shown.get(message)?.();
  };
  if (tone === "destructive") failures.push(takeBack);
  return takeBack;
}

/** Each returns a function that withdraws the message early. */
export const toast = {
  show: (title: string, description?: string) => say("default", title, description),
  success: (title: string, description?: string, action?: ToastAction) =>
    say("success", title, description, action),
  /** For failures. */
  error: (title: string, description?: string, action?: ToastAction) =>
    say("destructive", title, description, action),
};

/** For the holder: receives queued messages and all later ones. Returns a function that stops. */
export function holdToasts(next: Holder): () => void {
  holder = next;
  for (const message of waiting) shown.set(message, next(message));
  waiting = [];
  return () => {
    if (holder === next) holder = undefined;
  };
}

/** For the holder: a store that becomes true with the first message. */
export const toastsWanted = {
  subscribe(watcher: () => void) {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  },
  get: () => holder !== undefined || waiting.length > 0,
};
