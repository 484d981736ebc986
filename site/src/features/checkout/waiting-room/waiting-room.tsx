// The waiting room: a real place in line, which admits the buyer when their turn comes.
import { DoorOpen, Hourglass, ShoppingBag, Users, WifiOff } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode, type SVGProps } from "react";
import { classNames } from "#ui/basics/class-names.ts";
import { toast } from "#ui/overlays/toast.ts";
import type { WaitingRoomAnswer } from "contract/shop/waiting-room";
import { estimateWords, lineProgress, lineWords } from "./line-words.ts";
import { useWaitingRoom } from "./use-waiting-room.ts";

interface WaitingRoomProps {
  /** The response to the refused order or the first visit. */
  first: WaitingRoomAnswer;
  signedIn: boolean;
  onAdmitted: () => void;
  /** What the visitor can do while waiting, shown below. */
  children?: ReactNode;
}

export function WaitingRoom({ first, signedIn, onAdmitted, children }: WaitingRoomProps) {
  const { answer, offline, joinedAgain } = useWaitingRoom(first, signedIn, () => {
    toast.success("It's your turn", "Thank you for waiting. You can buy your tickets now.");
    onAdmitted();
  });
  const start = useStart(answer);
  const spoken = useSpokenNowAndThen(lineWords(answer));
  return (
    <section
      aria-labelledby="waiting-room-title"
      className="on-ink relative isolate overflow-hidden shadow-[8px_8px_0_0_var(--color-slab)]"
    >
      <div aria-hidden="true" className="waiting-sun absolute inset-0 -z-10" />
      <div className="px-5 pt-6 pb-7 sm:px-8 sm:pt-8">
        <h2 id="waiting-room-title" className="display text-title">
          You are in line
        </h2>
        <p className="mt-3 max-w-prose text-lg">
          A lot of people are buying right now. You will be let in automatically when it is your turn, first
          come, first served.
        </p>
        <Place answer={answer} />
        <Road progress={lineProgress(start, answer.ahead)} />
      </div>
      <div className="border-t-2 border-paper/25 bg-ink px-5 py-5 sm:px-8">
        {(offline || joinedAgain) && (
          <p role="status" className="mb-4 flex gap-3 bg-brisket p-3.5 font-semibold text-ink">
            <WifiOff
              aria-hidden="true"
              className={classNames("mt-0.5 size-5 shrink-0", !offline && "hidden")}
            />
            {offline
              ? "No connection. We keep your place for 15 minutes and keep trying to reconnect."
              : "You were away too long and lost your place. This is a new one."}
          </p>
        )}
        <p className="flex gap-3">
          <ShoppingBag aria-hidden="true" className="mt-0.5 size-5 shrink-0" strokeWidth={2.5} />
          <span>
            Your cart is saved. Stay on this page: reloading it or opening another tab does not change your
            place.
          </span>
        </p>
        {children}
      </div>
      <p role="status" className="sr-only">
        {spoken}
      </p>
    </section>
  );
}

function Place({ answer: { position, ahead, estimatedSeconds } }: { answer: WaitingRoomAnswer }) {
  return (
    <div className="mt-7 flex flex-wrap items-end gap-x-8 gap-y-5">
      <p className="display text-brisket">
        <span className="block text-xl tracking-wide">Your place</span>
        <span className="mt-2 block text-headline leading-[0.8]! tabular-nums">
          {position.toLocaleString("en-US")}
        </span>
      </p>
      <dl className="grid gap-2.5 pb-1 text-lg">
        <Fact icon={<Users className="size-5" strokeWidth={2.5} />} name="Ahead of you">
          {ahead === 0 ? "No one. You're next" : ahead.toLocaleString("en-US")}
        </Fact>
        <Fact icon={<Hourglass className="size-5" strokeWidth={2.5} />} name="Your turn">
          {estimateWords(estimatedSeconds)}
        </Fact>
      </dl>
    </div>
  );
}

function Fact({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) {
  return (
    <div className="relative flex flex-wrap gap-x-2.5 pl-8">
      <dt>
        <span aria-hidden="true" className="absolute top-1 left-0">
          {icon}
        </span>
        {name}
      </dt>
      <dd className="font-bold tabular-nums">{children}</dd>
    </div>
  );
}

/** The road to the door: a wheel rolls along it as the line gets shorter. */
function Road({ progress }: { progress: number }) {
  const percent = Math.round(progress * 100);
  const moving = "transition-[left,width,rotate] duration-1000 ease-press";
  return (
    <div className="mt-8 flex items-end gap-3">
      <div className="relative flex-1 pt-10">
        <Wheel
          className={classNames("absolute top-0 size-10", moving)}
          style={{ left: `calc(${percent}% - ${percent / 100} * 2.5rem)`, rotate: `${percent * 12}deg` }}
        />
        <div
          role="progressbar"
          aria-label="Progress to the front of the line"
          aria-valuenow={percent}
          className="h-4 border-2 border-paper bg-ink"
        >
          <div
            className={classNames("h-full bg-brisket forced-color-adjust-none", moving)}
            style={{ width: `${percent}%` }}
          />
        </div>
      </div>
      <DoorOpen aria-hidden="true" className="size-12 shrink-0" strokeWidth={1.75} />
    </div>
  );
}

/** A slab's wheel with its swangas poking. */
function Wheel(props: SVGProps<SVGSVGElement>) {
  return (
    <svg viewBox="0 0 40 40" aria-hidden="true" {...props}>
      <circle cx="20" cy="20" r="18" className="fill-ink stroke-paper" strokeWidth="3" />
      <circle cx="20" cy="20" r="12.5" className="fill-candy" />
      <path
        d="M20 8v24M9.6 14l20.8 12M9.6 26l20.8-12"
        strokeWidth="3"
        strokeLinecap="round"
        className="stroke-paper"
      />
      <circle cx="20" cy="20" r="4.5" className="fill-brisket stroke-ink" strokeWidth="1.5" />
    </svg>
  );
}

/** The most people who were ever ahead: the length of the road. */
function useStart({ ahead }: WaitingRoomAnswer): number {
  const [start, setStart] = useState(ahead);
  if (ahead > start) setStart(ahead);
  return start;
}

const SPEAK_EVERY_MS = 30_000;

/** The current text, updated twice a minute so that a screen reader does not talk all the time. */
function useSpokenNowAndThen(words: string): string {
  const [spoken, setSpoken] = useState(words);
  const latest = useRef(words);
  useEffect(() => {
    latest.current = words;
  }, [words]);
  useEffect(() => {
    const timer = setInterval(() => setSpoken(latest.current), SPEAK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return spoken;
}
