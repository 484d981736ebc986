import { Button } from "#ui/basics/button.tsx";
import { paidWords, type Attempt } from "./model.ts";

/**
 * A sale that was sent but not answered: the seller must not take the money twice, or let the buyer leave
 * without a code.
 */
export function Unanswered({ attempt, onAgain }: { attempt: Attempt; onAgain: () => void }) {
  return (
    <div
      role="alert"
      className="mb-4 grid gap-3 border-2 border-l-[12px] border-brisket bg-sheet p-4 sm:flex sm:items-center sm:justify-between"
    >
      <p>
        <strong className="block">No response. Check whether the sale went through.</strong>
        {attempt.words}, {paidWords(attempt.cents, attempt.method)}. Checking again never sells it twice.
      </p>
      <Button size="small" className="min-h-11" onClick={onAgain}>
        Check Again
      </Button>
    </div>
  );
}
