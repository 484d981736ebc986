// Shows content in full screen until it is closed, with a wake lock. Where the browser does not support full screen, as on a phone, it
// covers the window.
import * as Primitive from "radix-ui/dialog";
import { useEffect, useRef, type ReactNode } from "react";
import { useFocusReturn } from "./focus-return.ts";

interface FullScreenProps {
  /** Describes the content. */
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** Pending while the browser exits full screen. A view opened in the meantime waits, because that exit would close it. */
let leaving: Promise<unknown> | undefined;

/** Open it on a press: browsers require user activation for full screen. */
export function FullScreen({ label, onClose, children }: FullScreenProps) {
  const close = useRef(onClose);
  const { remember, onCloseAutoFocus } = useFocusReturn();
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const page = document.documentElement;
    let isShown = true;
    // Escape exits the browser's full screen first, and this event is the page's only notification.
    const onChange = () => {
      if (!document.fullscreenElement) close.current();
    };
    async function enter() {
      if (leaving) await leaving;
      if (!isShown) return;
      await page.requestFullscreen?.();
      if (isShown) document.addEventListener("fullscreenchange", onChange);
    }
    const entered = enter().catch(() => undefined);
    const releaseLock = stayAwake();
    return () => {
      isShown = false;
      document.removeEventListener("fullscreenchange", onChange);
      leaving = entered
        .then(() => document.fullscreenElement && document.exitFullscreen())
        .catch(() => undefined)
        .finally(() => (leaving = undefined));
      releaseLock();
    };
  }, []);
  return (
    <Primitive.Root open onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <Primitive.Content
          aria-describedby={undefined}
          onOpenAutoFocus={remember}
          onCloseAutoFocus={onCloseAutoFocus}
          className="fixed inset-0 z-50 overflow-y-auto bg-paper text-ink outline-none print:static print:overflow-visible"
        >
          <Primitive.Title className="sr-only">{label}</Primitive.Title>
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** The lock is released whenever the page is hidden, and acquired again when it returns. Returns a function that stops. */
function stayAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let stopped = false;
  const take = () => {
    if (document.visibilityState !== "visible") return;
    navigator.wakeLock?.request("screen").then(
      (taken) => {
        if (stopped) void taken.release();
        else lock = taken;
      },
      () => undefined,
    );
  };
  take();
  document.addEventListener("visibilitychange", take);
  return () => {
    stopped = true;
    document.removeEventListener("visibilitychange", take);
    void lock?.release();
  };
}
