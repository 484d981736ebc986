// What a person types about themselves: email address, name, phone number. One rule for the browser, the functions and auth; SQL has
// the same one (`plain_email`, `plain_line`, `email_pattern`, `seen_pattern`, `is_one_line`, `has_link`, `is_phone`), and supabase/tests/people.test.ts compares them.

/** Characters that come along when an address or a number is copied, and that nobody sees: spaces that do not break or have no width, and direction marks. */
const unseen = /[\u00a0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** An address as the HTML standard has it (`<input type=email>`). A host without a dot is one too. */
export const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** The same with a domain, which every address that our mail can reach has. */
export const reachableEmailPattern = new RegExp(emailPattern.source.replace(/\*\$$/, "+$"));

/**
 * Without what nobody sees, out of what mail programs copy with it ("Ann Lee <ann@x.example>,"), and with an internationalized domain in
 * the letters that mail servers use (punycode).
 */
export function plainEmail(typed: string): string {
  const copied = typed.replace(unseen, "").trim().replace(/[,;]$/, "").trim();
  const email = (/^[^<>]*<([^<>]*)>$/.exec(copied)?.[1] ?? copied).trim();
  const [, local = "", domain = ""] = /^([^@]*@)([^@]+)$/.exec(email) ?? [];
  // A URL would read "%41", a port or a path in what is no domain.
  if (!/[^\0-\x7f]/.test(domain) || /[^a-z0-9.-]/i.test(domain.replace(/[^\0-\x7f]/g, ""))) return email;
  try {
    return local + new URL(`http://${domain}`).hostname;
  } catch {
    return email;
  }
}

/** What can be seen: no space, blank pattern or invisible mark. SQL's `seen_pattern`. */
const seen = /[^\s\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/u;

/**
 * A name without spaces around it, nor several in a row, which a plain-text mail would show (SQL's `plain_line`). Of invisible
 * characters alone, nothing is left.
 */
export const plainLine = (typed: string): string =>
  seen.test(typed) ? typed.trim().replace(/ {2,}/g, " ") : "";

/**
 * Text on one line: a line break in a name would begin a new paragraph in a mail, and a direction override would show it in
 * another order. Joiners and direction marks stay, which names in some writing systems need.
 */
export const oneLine = /^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$/;

/**
 * A title or an initial before a name, and a slash: "Dr.King/Jr.". The listed names are top-level domains, as are all of two letters:
 * "X.Com/" is an address.
 */
const titled =
  /(^|[^A-Za-z0-9.-])(?:[A-Z]|Dr|Jr|Mrs?|Ms|Prof|Rev|Sr|St)\.(?!(?:[A-Z][a-z]|App|Biz|Bot|Cam|Cfd|Click|Cloud|Club|Com|Dev|Edu|Fun|Gov|Icu|Info|Ink|Int|Life|Link|Live|Mil|Mobi|Name|Net|One|Online|Org|Page|Pro|Sbs|Shop|Site|Space|Store|Tech|Test|Today|Top|Vip|Website|Win|Work|World|Xyz|Zip)(?![A-Za-z]))(?:[A-Z][a-z]+)+(?![A-Za-z.])/g;

const webAddress =
  /:[/\\]{2}|(^|[^a-z0-9])www\.|([a-z0-9-]|[^\0-\x7f])\.(xn--[a-z0-9-]+|([a-z]|[^\0-\x7f]){2,})(:[0-9]+)?([/\\]|[?#][^ ])/i;

/**
 * Whether mail programs may turn a part of the name into a link. No person's name has one, and a buyer's name is in mails to
 * people who did not order anything. A domain alone stays: "J.Smith" looks like one.
 */
export const hasLink = (name: string): boolean =>
  webAddress.test(
    name
      .normalize("NFKC")
      .replace(/[。∕⁄]/g, (mark) => (mark === "。" ? "." : "/"))
      .replace(titled, "$1"),
  );

/** A phone number with the digits 0 to 9, however they were typed (Arabic, Persian, full-width), and without direction marks. */
export const plainPhone = (typed: string): string =>
  typed
    .replace(unseen, (mark) => (mark === "\u00a0" ? " " : ""))
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
