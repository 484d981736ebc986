// The way out of the organizers' messages, behind the link in each of them.
import { UnsubscribeScreen } from "#features/unsubscribe/unsubscribe-screen.tsx";
import { NeedsScript } from "../frame/needs-script.tsx";
import { pageHead } from "../head.ts";

export const meta = () =>
  pageHead({ title: "Unsubscribe", description: "Stop getting the organizers' messages by email." });

export default function UnsubscribeRoute() {
  return (
    <div className="page-width pt-28 pb-24 sm:pt-36">
      <NeedsScript title="Unsubscribe" purpose="unsubscribe you" />
      <UnsubscribeScreen />
    </div>
  );
}
