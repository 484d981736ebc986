import { expect, it } from "vitest";
import { listProblem, readGuests } from "./guest-list.ts";

it("reads guests as people write and paste them", () => {
  const pasted = `Ana Reyes, ana@people.test
  ben@people.test; Ben O'Neal

"Zoe Dang"\tzoe@people.test
Last, First <last@people.test>`;
  expect(readGuests(pasted).map(({ line, guest }) => [line, guest?.name, guest?.email])).toEqual([
    [1, "Ana Reyes", "ana@people.test"],
    [2, "Ben O'Neal", "ben@people.test"],
    [4, "Zoe Dang", "zoe@people.test"],
    [5, "First Last", "last@people.test"],
  ]);
  expect(listProblem(readGuests(pasted))).toBeUndefined();
});

it("splits a line with several guests at each address, and keeps quotes and addresses out of names", () => {
  const named = (pasted: string) => readGuests(pasted).map(({ guest }) => [guest?.name, guest?.email]);
  const both = [
    ["Ana R", "a@x.test"],
    ["Ben L", "b@x.test"],
  ];
  expect(named("Ana R <a@x.test>; Ben L <b@x.test>")).toEqual(both);
  expect(named('"Ana R" <a@x.test>, "Ben L" <b@x.test>,')).toEqual(both);
  expect(named("Ana R, a@x.test, Ben L, b@x.test")).toEqual(both);
  expect(named("a@x.test, Ana R; b@x.test, Ben L")).toEqual(both);
  expect(readGuests("Ana @home, a@x.test")[0]?.problem).toBe("A name cannot contain @");
});

const cases: readonly [what: string, pasted: string, ...guests: string[]][] = [
  [
    "recipients as mail programs copy them",
    "Ana R <a@x.test>, \"Lee, Bob\" <b@x.test>; 'Cy Day' <c@x.test>",
    "Ana R a@x.test",
    "Bob Lee b@x.test",
    "Cy Day c@x.test",
  ],
  [
    "a recipient without a name, whose neighbors keep theirs",
    "a@x.test, Bob Lee <b@x.test>, c@x.test, Dee Fox <d@x.test>",
    "Name is required: a@x.test",
    "Bob Lee b@x.test",
    "Name is required: c@x.test",
    "Dee Fox d@x.test",
  ],
  [
    "a plain address before a name and an address",
    "a@x.test, Bob Lee, b@x.test",
    "Name is required: a@x.test",
    "Bob Lee b@x.test",
  ],
  ["last and first name in quotes", '"Doe, Jane" <j@x.test>', "Jane Doe j@x.test"],
  ["last and first name in two cells", "Doe, John, j@x.test", "John Doe j@x.test"],
  ["last and first name after the address", 'j@x.test,"Doe, Jane"', "Jane Doe j@x.test"],
  ["a suffix", "King, Jr., k@x.test", "King Jr. k@x.test"],
  ["last name, first name and a suffix", '"Doe, John, Jr." <j@x.test>', "John Doe Jr. j@x.test"],
  ["quotes inside quotes", '"Ana ""Annie"" Reyes",a@x.test', "Ana Annie Reyes a@x.test"],
  ["a quote that is not closed", 'Ben 6"4, b@x.test\nAda, a@x.test', "Ben 64 b@x.test", "Ada a@x.test"],
  ["name and address in one cell", "Ana Reyes a@x.test", "Ana Reyes a@x.test"],
  ["a header", "Name,Email\nAna R,a@x.test", "Ana R a@x.test"],
  [
    "a spreadsheet's columns",
    'Guest\tE-mail address\nAna R\ta@x.test\n"Lee, Bob"\tb@x.test\r\n\t\n',
    "Ana R a@x.test",
    "Bob Lee b@x.test",
  ],
  ["a spreadsheet's first and last names", "Jane\tDoe\tj@x.test", "Jane Doe j@x.test"],
  ["columns that a header names", "First Name,Last Name,Email\nJane,Doe,j@x.test", "Jane Doe j@x.test"],
  [
    "columns that a header names, last name first",
    "Last\tFirst\tEmail\nDoe\tJane\tj@x.test",
    "Jane Doe j@x.test",
  ],
  [
    "two people and one address",
    "Ana Reyes, Bob Lee <b@x.test>",
    "Two names for one email: Ana Reyes, Bob Lee <b@x.test>",
  ],
  ["two people, semicolons", "Ana; Bob <b@x.test>", "Two names for one email: Ana, Bob <b@x.test>"],
  [
    "an address that is none",
    "Zed Zee\tzed(at)example.org",
    "Valid email is required: Zed Zee, zed(at)example.org",
  ],
  ["an address without @", "Zed Zee, zed.example.org", "Valid email is required: Zed Zee, zed.example.org"],
  ["a name with dots", "Zed Zee Jr., St. John", "Email is missing: Zed Zee Jr., St. John"],
  ["a third column", "Ana R\ta@x.test\tPress", "Ana R a@x.test", "Email is missing: Press"],
];
it.each(cases)("reads %s", (_what, pasted, ...guests) => {
  expect(
    readGuests(pasted).map(({ guest, problem, text }) =>
      guest ? `${guest.name} ${guest.email}` : `${problem}: ${text}`,
    ),
  ).toEqual(guests);
});

it("reports problems line by line, and notes a repeated address", () => {
  const lines = readGuests(
    "Ana\nana@people.test\nBen, ben@people\nZoe, zoe@people.test\nZoe Two, ZOE@people.test",
  );
  expect(lines.map(({ line, problem, note }) => [line, problem ?? note])).toEqual([
    [1, "Email is missing"],
    [2, "Name is required"],
    [3, "Valid email is required"],
    [4, undefined],
    [5, "Same email as line 4"],
  ]);
  expect(listProblem(lines)).toBe("Fix lines 1, 2, 3 first. No comps were issued.");
});

it("refuses an empty list and one that is too long", () => {
  expect(listProblem(readGuests(" \n "))).toBe("Add at least one guest.");
  const many = Array.from({ length: 201 }, (_, n) => `Guest ${n}, guest${n}@people.test`).join("\n");
  expect(listProblem(readGuests(many))).toBe("Limit: 200 guests per list. This one has 201.");
});
