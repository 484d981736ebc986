import { Button } from "#ui/basics/button.tsx";
import { openedElsewhere } from "../auth-entries.ts";

interface CodeInHandProps {
  /** What the code is for. */
  reason: "code" | "recovery";
  onPress: () => void;
}

/** For users whose link does not work in this browser: the code of the same mail does. */
export function CodeInHand({ reason, onPress }: CodeInHandProps) {
  if (openedElsewhere() !== reason) return null;
  return (
    <Button variant="secondary" block onClick={onPress}>
      Enter the Code from the Email
    </Button>
  );
}
