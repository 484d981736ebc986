// An alert dialog on a page that seldom shows one: its script is fetched when it first opens.
import { Suspense, useState, type ComponentProps } from "react";
import { lazily } from "../basics/lazily.ts";
import type { AlertDialog } from "./alert-dialog.tsx";

const Dialog = lazily(async () => ({ default: (await import("./alert-dialog.tsx")).AlertDialog }));

export function LateAlertDialog(props: ComponentProps<typeof AlertDialog>) {
  const [wasOpen, setWasOpen] = useState(props.open);
  if (props.open && !wasOpen) setWasOpen(true);
  if (!wasOpen) return null;
  return (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  );
}
