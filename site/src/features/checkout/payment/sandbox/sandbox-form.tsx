// The card form of the payments sandbox: three payment methods, and the bank's 3-D Secure challenge in a
// dialog.
import { CreditCard, FlaskConical, Smartphone, Wallet } from "lucide-react";
import { useEffect, useRef, useState, type ComponentProps, type FormEvent } from "react";
import { flushSync } from "react-dom";
import { formatCents } from "contract/shop/money";
import { Button } from "#ui/basics/button.tsx";
import { Tabs } from "#ui/page/tabs.tsx";
import type { PaymentFormProps, PaymentOutcome } from "../payment-provider.ts";
import { CardFields } from "./card-fields.tsx";
import { cardErrors, expiryParts, type CardEntry, type CardErrors } from "./card-format.ts";
import { ChallengeDialog } from "./challenge-dialog.tsx";
import { SandboxRefusal, type SandboxApi, type SandboxIntent, type SandboxMethod } from "./sandbox-api.ts";
import { TestCards } from "./test-cards.tsx";

interface Challenge {
  address: string;
  /** Called when the bank has its answer, or the buyer has closed the dialog. */
  over: () => void;
}

type Way = "card" | "apple_pay" | "google_pay";

const blank = { number: "", expiry: "", cvc: "" };

export function SandboxForm({
  api,
  clientSecret,
  amount,
  buyer,
  phase,
  problem,
  closed,
  onPay,
}: PaymentFormProps & { api: SandboxApi }) {
  const [way, setWay] = useState<Way>("card");
  const [card, setCard] = useState(blank);
  const [errors, setErrors] = useState<CardErrors>({});
  const form = useRef<HTMLFormElement>(null);
  const { confirm, challenge } = useConfirm(api, clientSecret, buyer);

  function submit(event: FormEvent) {
    event.preventDefault();
    // As with Stripe's own fields, obvious errors are marked and nothing is sent.
    const found = way === "card" ? cardErrors(card, new Date()) : {};
    flushSync(() => setErrors(found));
    if (Object.keys(found).length === 0) return onPay(() => confirm(methodOf(way, card)));
    form.current?.querySelector<HTMLInputElement>("[aria-invalid=true]")?.focus();
  }

  function changeCard(entry: CardEntry) {
    setCard(entry);
    // The next press marks them again if necessary.
    setErrors({});
  }

  const busy = phase === "processing";
  return (
    <form ref={form} onSubmit={submit} aria-label="Payment" noValidate>
      <SandboxNote />
      <Ways {...{ way, card, errors }} readOnly={busy} onWay={setWay} onChange={changeCard} />
      {problem}
      <Button
        type="submit"
        size="large"
        block
        className="mt-6"
        busy={busy}
        disabled={closed || phase === "succeeded"}
      >
        Pay {formatCents(amount)}
      </Button>
      {challenge && (
        <ChallengeDialog
          address={challenge.address}
          undecided={async () => (await api.retrieve(clientSecret)).status === "requires_action"}
          onOver={challenge.over}
        />
      )}
    </form>
  );
}

interface WaysProps extends ComponentProps<typeof CardFields> {
  way: Way;
  onWay: (way: Way) => void;
}

function Ways({ way, onWay, ...fields }: WaysProps) {
  const pick = (number: string) => fields.onChange({ number, expiry: "12 / 34", cvc: "123" });
  return (
    <Tabs
      label="Payment method"
      value={way}
      onValueChange={(value) => onWay(value as Way)}
      tabs={[
        {
          value: "card",
          label: <TabLabel Icon={CreditCard} text="Card" />,
          content: (
            <>
              <CardFields {...fields} />
              <TestCards onPick={pick} />
            </>
          ),
        },
        ...walletTabs,
      ]}
    />
  );
}

/** Confirms the intent; `challenge` is the bank's question while it awaits an answer. */
function useConfirm(api: SandboxApi, clientSecret: string, buyer: PaymentFormProps["buyer"]) {
  const [challenge, setChallenge] = useState<Challenge>();
  // A buyer who leaves has not answered the bank. The hold is released once nothing is under way.
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => {
    const shown = new AbortController();
    leaving.current = shown;
    return () => shown.abort();
  }, []);

  async function confirm(method: SandboxMethod): Promise<PaymentOutcome> {
    try {
      const intent = await api.confirm(clientSecret, method, buyer);
      return outcomeOf(await answerChallenge(intent));
    } catch (error) {
      if (error instanceof SandboxRefusal) return { status: "failed", message: error.message };
      throw error;
    }
  }

  async function answerChallenge(intent: SandboxIntent): Promise<SandboxIntent> {
    const address = intent.next_action?.use_stripe_sdk?.stripe_js;
    if (intent.status !== "requires_action" || !address) return intent;
    await new Promise<void>((over) => {
      const left = leaving.current!.signal;
      if (left.aborted) return over();
      left.addEventListener("abort", () => over());
      setChallenge({ address, over });
    });
    setChallenge(undefined);
    const answered = await api.retrieve(clientSecret);
    if (answered.status !== "requires_action") return answered;
    return {
      ...answered,
      last_payment_error: { message: "The bank's check was not completed. You have not been charged." },
    };
  }

  return { confirm, challenge };
}

function methodOf(way: Way, card: CardEntry): SandboxMethod {
  if (way !== "card") return { kind: way };
  return { kind: "card", number: card.number, cvc: card.cvc, ...expiryParts(card.expiry) };
}

function outcomeOf(intent: SandboxIntent): PaymentOutcome {
  if (intent.status === "succeeded" || intent.status === "processing") return { status: intent.status };
  return { status: "failed", message: intent.last_payment_error?.message };
}

function SandboxNote() {
  return (
    <p className="mb-5 flex items-start gap-3 bg-brisket p-3.5">
      <FlaskConical aria-hidden="true" className="mt-0.5 size-5 shrink-0" strokeWidth={2.5} />
      <span>
        <strong>Payments sandbox.</strong> No real card is charged. Use one of the test cards below.
      </span>
    </p>
  );
}

function TabLabel({ Icon, text }: { Icon: typeof CreditCard; text: string }) {
  return (
    <>
      <Icon aria-hidden="true" className="size-5 shrink-0 max-xs:hidden" />
      {text}
    </>
  );
}

function WalletNote({ wallet }: { wallet: string }) {
  return (
    <p className="border-2 border-dashed border-ink/45 p-5">
      The sandbox plays the part of {wallet}: paying here always succeeds, and no wallet is opened.
    </p>
  );
}

const walletTabs = [
  {
    value: "apple_pay",
    label: <TabLabel Icon={Smartphone} text="Apple Pay" />,
    content: <WalletNote wallet="Apple Pay" />,
  },
  {
    value: "google_pay",
    label: <TabLabel Icon={Wallet} text="Google Pay" />,
    content: <WalletNote wallet="Google Pay" />,
  },
];
