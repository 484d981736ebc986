// The page layout of every state of the gate except the scanner.
import type { ReactNode } from "react";
import type { Tone } from "../rules/words.ts";
import { useStep } from "./use-step.ts";

export function Notice({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <p className="gate-notice" data-tone={tone} role="status">
      {children}
    </p>
  );
}

export function Page({
  title,
  lead,
  alert,
  children,
}: {
  title: string;
  lead: string;
  alert?: boolean;
  children: ReactNode;
}) {
  useStep(title);
  return (
    <main className="gate-page">
      <h1 className="gate-title">{title}</h1>
      <p className="gate-lead" role={alert ? "alert" : undefined}>
        {lead}
      </p>
      {children}
    </main>
  );
}
