// Shows a short message. Costs a page nothing while it starts: messages wait here while the holder (toaster.tsx) and the toast
// library load.

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
}

/** The edge of a wide window at which messages show. Phones show them at the bottom. */
export type ToastEdge = "top" | "bottom";

/** Shows a message and returns how to take it back. */
type Holder = (message: ToastMessage) => () => void;

let holder: Holder | undefined;
let waiting: ToastMessage[] = [];
/** How to take back what is shown. */
const shown = new WeakMap<ToastMessage, () => void>();
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
  if (holder) shown.set(message, holder(message));
  else {
    waiting.push(message);
    for (const watcher of watchers) watcher();
  }
  return () => {
    waiting = waiting.filter((one) => one !== message);
    shown.get(message)?.();
  };
}

/** Each returns how to take the message back before its time is over. */
export const toast = {
  show: (title: string, description?: string) => say("default", title, description),
  success: (title: string, description?: string, action?: ToastAction) =>
    say("success", title, description, action),
  /** Something failed. */
  error: (title: string, description?: string) => say("destructive", title, description),
};

/** For the holder: receives waiting messages and all later ones. Returns how to stop. */
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
