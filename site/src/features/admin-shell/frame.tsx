// The back office's frame: navigation on the left (over the screen on a phone), top bar and screen.
import { Menu } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef, useState, type ReactNode, type Ref } from "react";
import { Button } from "#ui/basics/button.tsx";
import { classNames } from "#ui/basics/class-names.ts";
import type { OfficeRole } from "./navigation.ts";
import { SideBar } from "./side-bar.tsx";

interface FrameProps {
  /** The signed-in staff member. */
  email: string | undefined;
  role: OfficeRole;
  bell: ReactNode;
  onLogOut: () => void;
  children: ReactNode;
}

export function Frame({ email, role, bell, onLogOut, children }: FrameProps) {
  const { open, setOpen, menu, side } = useSideMenu();
  const sideId = useId();

  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14.5rem_minmax(0,1fr)] print:block">
      {!open && <SkipLink />}
      {open && (
        <div
          aria-hidden="true"
          className="fixed inset-0 z-30 bg-ink/60 lg:hidden"
          onClick={() => setOpen(false)}
        />
      )}
      <aside
        ref={side}
        id={sideId}
        data-print="never"
        aria-label="Menu"
        className={classNames(
          "z-40 lg:sticky lg:top-0 lg:block lg:h-dvh",
          open ? "fixed inset-y-0 left-0 w-64 max-w-[80vw]" : "max-lg:hidden",
        )}
      >
        <SideBar role={role} onLeave={() => setOpen(false)} onLogOut={onLogOut} />
      </aside>
      <div className="min-w-0" inert={open}>
        <header
          data-print="never"
          className="sticky top-0 z-20 flex h-14 items-center justify-between gap-3 border-b border-ink/20 bg-paper px-4 sm:px-6"
        >
          <MenuButton ref={menu} open={open} controls={sideId} onClick={() => setOpen(true)} />
          <div className="flex min-w-0 items-center gap-3">
            <span className="min-w-0 truncate text-sm text-ink-soft">{email}</span>
            {bell}
          </div>
        </header>
        <main id="content" tabIndex={-1} className="mx-auto max-w-[80rem] px-4 py-6 outline-none sm:px-6">
          {children}
          <p className="mt-8 border-t border-ink/12 pt-3 text-sm text-ink-soft">
            All times are Central Time (Houston).
          </p>
        </main>
      </div>
    </div>
  );
}

interface MenuButtonProps {
  ref: Ref<HTMLButtonElement>;
  open: boolean;
  controls: string;
  onClick: () => void;
}

function MenuButton({ ref, open, controls, onClick }: MenuButtonProps) {
  return (
    <Button
      ref={ref}
      variant="ghost"
      size="icon"
      className="-ml-2 lg:invisible"
      aria-label="Open the menu"
      aria-expanded={open}
      aria-controls={controls}
      onClick={onClick}
    >
      <Menu aria-hidden="true" />
    </Button>
  );
}

/** Where the menu covers the screen: while it is open it has the focus, and what it covers cannot have it. */
function useSideMenu() {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const side = useRef<HTMLElement>(null);
  useEscape(open, () => setOpen(false));
  useEffect(() => {
    if (!open) return;
    const opener = menu.current;
    side.current?.querySelector<HTMLElement>("button, a")?.focus();
    // On a wide window the menu covers nothing.
    const wide = matchMedia("(width >= 64rem)");
    const close = () => setOpen(false);
    wide.addEventListener("change", close);
    return () => {
      wide.removeEventListener("change", close);
      opener?.focus();
    };
  }, [open]);
  return { open, setOpen, menu, side };
}

/** Calls `onEscape` on the Escape key while `active`. */
function useEscape(active: boolean, onEscape: () => void) {
  const escaped = useEffectEvent(onEscape);
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") escaped();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [active]);
}

function SkipLink() {
  return (
    <a
      href="#content"
      className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-ink focus:px-4 focus:py-3 focus:text-paper"
    >
      Skip to content
    </a>
  );
}
