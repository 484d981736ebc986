import { contactAddress, festival } from "contract/festival";
import type { ReactNode } from "react";
import { PosterHeader } from "#ui/page/poster-header.tsx";
import { Reveal } from "#ui/page/reveal.tsx";
import { Portrait } from "#ui/art/portrait.tsx";
import { SunOverBayou } from "#ui/art/sun.tsx";

const team = [
  {
    name: "Marisol Reyes",
    role: "Founder and Festival Director",
    words:
      "Grew up in the East End between a panadería and a sound system. Books the stages and tastes the brisket.",
    look: "hoops",
  },
  {
    name: "Andre Baptiste",
    role: "Producer and Community Lead",
    words: "Southside, third generation. Knows every slab line by its horn and every block captain by name.",
    look: "hat",
  },
] as const;

export function AboutScreen() {
  return (
    <>
      <PosterHeader
        ground="ink"
        title="About the Festival"
        art={
          <SunOverBayou className="absolute right-6 -bottom-16 isolate w-[27rem] max-w-none rounded-full" />
        }
      >
        <p>
          {festival.title} is {festival.organiser}'s love letter to the city: its food, its dances, its cars,
          its sound. {festival.tagline}.
        </p>
      </PosterHeader>

      <div className="page-width">
        <Chapter title="Our Mission">
          <p className="text-[clamp(1.5rem,2.6vw,2.25rem)] leading-snug font-semibold">
            To put every side of Houston on one set of grounds, and let it dance with itself.
          </p>
          <p>
            Trail riders and slab riders, pitmasters and producers, church aunties and club kids: this city is
            the most mixed in the country and the proudest about it. We celebrate the culture that was made
            here, pay the people who make it, and hand it to whoever comes next.
          </p>
        </Chapter>

        <Chapter title="The Organizers">
          <p>
            {festival.organiser} is a local events company and social-wellness organization. We have produced
            over 50 events across the city, from block parties to sold-out halls, because people who gather
            feel better.
          </p>
          <p>
            This is the big one: a two-day weekend, Saturday and Sunday, with over 10,000 expected attendees
            across two days, dozens of local vendors and the best seat in town for the skyline.
          </p>
        </Chapter>

        <Chapter title="The Team">
          <Team />
        </Chapter>

        <Chapter title="Community Impact">
          <ImpactInFigures />
          <p>
            Stages are staffed with trainees from local schools, leftovers go to the neighborhood fridges the
            same night, and a part of every ticket pays for dance and music lessons.
          </p>
        </Chapter>
      </div>

      <ContactUs />
    </>
  );
}

function Team() {
  return (
    <ul className="grid gap-8 sm:grid-cols-2">
      {team.map(({ name, role, words, look }) => (
        <li key={name}>
          <Portrait look={look} className="w-full" />
          <h3 className="display mt-4 text-heading">{name}</h3>
          <p className="font-semibold text-candy-deep">{role}</p>
          <p className="mt-2">{words}</p>
        </li>
      ))}
    </ul>
  );
}

function ContactUs() {
  const { organiser, contact } = festival;
  return (
    <section aria-labelledby="contact" className="bg-brisket">
      <div className="page-width grid gap-8 py-16 lg:grid-cols-12 lg:py-20">
        <h2 id="contact" className="display text-title lg:col-span-4">
          Contact Us
        </h2>
        <address className="grid gap-6 text-lead not-italic md:grid-cols-[1.1fr_0.9fr_1.5fr] lg:col-span-8">
          <p>
            <strong className="block">Visit</strong>
            {organiser}
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
            <a className="break-words underline underline-offset-4" href={`mailto:${contact.email}`}>
              {contact.email}
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

const impact = [
  { figure: "50+", words: "events produced in neighborhoods all over Houston" },
  { figure: "100%", words: "of our food and market stalls run by people who live here" },
  { figure: "Free", words: "entry for children under 10 with a ticketed adult" },
] as const;

function ImpactInFigures() {
  return (
    <ul className="grid gap-x-8 gap-y-6 sm:grid-cols-3">
      {impact.map(({ figure, words }) => (
        <li key={figure} className="border-t-4 border-ink pt-3">
          <p className="display text-title text-slab">{figure}</p>
          <p className="text-base">{words}</p>
        </li>
      ))}
    </ul>
  );
}
