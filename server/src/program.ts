// What a program brings to the server. The server answers Supabase's API for any project; everything that only one of them
// has comes through here.
import type { Dependencies } from "./dependencies.ts";
import type { FunctionsService, FunctionsServiceDeps } from "./functions/index.ts";
import type { Site } from "./gateway/index.ts";
import type { Brand } from "./platform/brand.ts";
import type { Mailer } from "./platform/mail.ts";
import type { Project } from "./postgres/setup/migrate.ts";
import type { Page } from "./private-pages.ts";

export interface Program {
  readonly project: Project;
  readonly brand: Brand;
  /** Called once the database is up to date and the port is known, before the first request. */
  open?(server: OpenServer): ProgramParts;
}

export interface OpenServer extends Dependencies {
  /** Answers an API request without a socket. `visitor`: the address of the visitor it is made for, in whose turn it is. */
  apiFetch(request: Request, visitor?: string): Promise<Response>;
  /** On connections of its own, so that no mail of auth waits for one of the program's. */
  readonly mailer: Pick<Mailer, "send">;
}

/** All of it may be left out: the server then answers the API alone. */
export interface ProgramParts {
  /** Replaces the plain functions service, for which it receives the deps. Called with the first request for a function. */
  readonly functions?: (deps: FunctionsServiceDeps) => Promise<FunctionsService>;
  /** What the functions' jobs need first; awaited before they start. */
  readonly beforeJobs?: () => Promise<unknown>;
  /** Pages and APIs beside Supabase's, by path prefix. They authenticate their callers themselves. */
  readonly pages?: Readonly<Record<string, Page>>;
  readonly site?: Site;
  /** A path that any visitor may read; /health then also shows that it is answered. */
  readonly probe?: string;
  /** Paths on which other services post events of up to 1 MiB, signed instead of sent with a key. */
  readonly eventPaths?: readonly string[];
  /** Decides who may open the mailbox where other machines can reach the server. Without it no one can. */
  readonly mailboxDoor?: (mailbox: Page) => Page;
  /** Where answers to auth's mails go. Read for each mail. */
  readonly replyTo?: () => Promise<string | undefined>;
  /** The last step of the start. */
  readonly started?: () => Promise<void>;
}
