import type { ReactNode } from "react";
import { FormWithScript } from "../forms/form-with-script.tsx";

interface FormSectionProps {
  id: string;
  title: string;
  /** What happens after it is sent. */
  text: string;
  /** The form. */
  children: ReactNode;
}

/** A public page's form, with its purpose next to it. */
export function FormSection({ id, title, text, children }: FormSectionProps) {
  return (
    <section aria-labelledby={id} className="bg-paper-deep">
      <div className="page-width grid gap-x-12 gap-y-8 py-16 lg:grid-cols-12 lg:py-24">
        <div className="lg:col-span-4">
          <h2 id={id} className="display text-title">
            {title}
          </h2>
          <p className="mt-4 text-lead">{text}</p>
        </div>
        <div className="min-w-0 lg:col-span-8">
          <FormWithScript>{children}</FormWithScript>
        </div>
      </div>
    </section>
  );
}
