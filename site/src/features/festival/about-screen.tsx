import type { ReactNode } from "react";
import type { Content } from "contract/festival/facts";
import { useFestival, useSection } from "#lib/festival/content.ts";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { EmailText } from "#ui/basics/email-text.tsx";
import { Reveal } from "#ui/page/reveal.tsx";
import { Portrait } from "#ui/art/portrait.tsx";
import { SunOverBayou } from "#ui/art/sun.tsx";

export function AboutScreen() {
  const about = useSection("about");
  return (
    <>
      <PosterHeader
        ground="ink"
        title="About the Festival"
        art={
          <SunOverBayou className="absolute right-6 -bottom-16 isolate w-[27rem] max-w-none rounded-full" />
        }
      >
        <p>{about.lead}</p>
      </PosterHeader>

      <div className="page-width">
        <Chapter title="Our Mission">
          <p className="text-[clamp(1.5rem,2.6vw,2.25rem)] leading-snug font-semibold">{about.mission}</p>
          <p className="whitespace-pre-line">{about.mission_more}</p>
        </Chapter>

        <Chapter title="The Organizers">
          {about.organizers.map((paragraph) => (
            <p key={paragraph} className="whitespace-pre-line">
              {paragraph}
            </p>
          ))}
        </Chapter>

        {about.team.length > 0 && (
          <Chapter title="The Team">
            <Team team={about.team} />
          </Chapter>
        )}

        <Chapter title="Community Impact">
          <ul className="grid gap-x-8 gap-y-6 sm:grid-cols-3">
            {about.impact.map(({ figure, words }) => (
              <Impact key={words} figure={figure} words={words} />
            ))}
          </ul>
          <p className="whitespace-pre-line">{about.impact_more}</p>
        </Chapter>
      </div>

      <ContactUs />
    </>
  );
}

function Team({ team }: Pick<Content["about"], "team">) {
  return (
    <ul className="grid gap-8 sm:grid-cols-2">
      {team.map(({ name, role, words, portrait }) => (
        <li key={name}>
          <Portrait look={portrait} className="w-full" />
          <h3 className="display mt-4 text-heading">{name}</h3>
          <p className="font-semibold text-candy-deep">{role}</p>
          <p className="mt-2">{words}</p>
        </li>
      ))}
    </ul>
  );
}

function ContactUs() {
  const { organizer, contact, contactAddress } = useFestival();
  return (
    <section aria-labelledby="contact" className="bg-brisket">
      <div className="page-width grid gap-8 py-16 lg:grid-cols-12 lg:py-20">
        <h2 id="contact" className="display text-title lg:col-span-4">
          Contact Us
        </h2>
        <address className="grid gap-6 text-lead not-italic md:grid-cols-[1.1fr_0.9fr_1.5fr] lg:col-span-8 lg:max-xl:grid-cols-2">
          <p>
            <strong className="block">Visit</strong>
            {organizer}
            <br />
            {contactAddress}
          </p>
          <p>
            <strong className="block">Call</strong>
            <a className="underline underline-offset-4" href={`tel:+1${contact.phone.replace(/\D/g, "")}`}>
              {contact.phone}
            </a>
          </p>
          <p className="min-w-0">
            <strong className="block">Write</strong>
            <a className="underline underline-offset-4" href={`mailto:${contact.email}`}>
              <EmailText>{contact.email}</EmailText>
            </a>
          </p>
        </address>
      </div>
    </section>
  );
}

function Chapter({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Reveal
      as="section"
      className="grid gap-x-8 gap-y-5 border-b-2 border-ink py-14 last:border-b-0 lg:grid-cols-12 lg:py-20"
    >
      <h2 className="display text-title text-candy lg:col-span-4">{title}</h2>
      <div className="grid max-w-3xl gap-5 text-lead lg:col-span-8">{children}</div>
    </Reveal>
  );
}

function Impact({ figure, words }: Content["about"]["impact"][number]) {
  return (
    <li className="border-t-4 border-ink pt-3">
      <p className="display text-title text-slab">{figure}</p>
      <p className="text-base">{words}</p>
    </li>
  );
}
