// How each provider describes a person, and what GoTrue makes of it. Pure functions from claims to a ProvidedUser.
import { type Claims, flagIn, isClaims, type ProvidedUser, textIn } from "../provided-user.ts";

const oneEmail = (email: string | undefined, verified: boolean) =>
  email === undefined ? [] : [{ email, verified, primary: true }];

/** From an id token. */
export function googleUser(claims: Claims): ProvidedUser {
  const name = textIn(claims, "name");
  const picture = textIn(claims, "picture");
  const hostedDomain = textIn(claims, "hd");
  return {
    emails: oneEmail(textIn(claims, "email"), flagIn(claims, "email_verified")),
    claims: {
      iss: textIn(claims, "iss"),
      sub: subjectOf(claims),
      name,
      picture,
      avatar_url: picture,
      full_name: name,
      provider_id: subjectOf(claims),
      ...(hostedDomain !== undefined && { custom_claims: { hd: hostedDomain } }),
    },
  };
}

/** From an id token. Apple sends the name only once, along with the code of the first sign-in. */
export function appleUser(claims: Claims, name?: string): ProvidedUser {
  const isPrivate = claims.is_private_email;
  return {
    emails: oneEmail(textIn(claims, "email"), true),
    claims: {
      iss: textIn(claims, "iss"),
      sub: subjectOf(claims),
      name,
      full_name: name,
      provider_id: subjectOf(claims),
      custom_claims: {
        ...(isPrivate !== undefined && { is_private_email: flagIn(claims, "is_private_email") }),
        ...(typeof claims.auth_time === "number" && { auth_time: claims.auth_time }),
      },
    },
  };
}

/** The name in the form that Apple posts; undefined when it has none. */
export function appleName(posted: string | null): string | undefined {
  if (posted === null || posted.length > 4096) return undefined;
  try {
    const { firstName, lastName } = (JSON.parse(posted) as { name?: Claims }).name ?? {};
    const name = [firstName, lastName]
      .filter((part) => typeof part === "string")
      .join(" ")
      .trim();
    return name === "" ? undefined : name;
  } catch {
    return undefined;
  }
}

/** From /user and /user/emails. */
export function githubUser(user: Claims, emails: unknown, apiUrl: string): ProvidedUser {
  const id = idOf(user);
  const login = textIn(user, "login");
  const name = textIn(user, "name");
  const addresses = Array.isArray(emails) ? emails.filter(isClaims) : [];
  return {
    emails: addresses.flatMap((one) => {
      const email = textIn(one, "email");
      return email === undefined
        ? []
        : [{ email, verified: one.verified === true, primary: one.primary === true }];
    }),
    claims: {
      iss: apiUrl,
      sub: id,
      name,
      preferred_username: login,
      avatar_url: textIn(user, "avatar_url"),
      full_name: name,
      provider_id: id,
      user_name: login,
    },
  };
}

/** From /me. */
export function facebookUser(user: Claims, profileUrl: string): ProvidedUser {
  const name = [textIn(user, "first_name"), textIn(user, "last_name")].filter(Boolean).join(" ");
  const alias = textIn(user, "name");
  const picture = textIn((user.picture as { data?: Claims } | undefined)?.data ?? {}, "url");
  return {
    emails: oneEmail(textIn(user, "email"), true),
    claims: {
      iss: profileUrl,
      sub: idOf(user),
      name,
      nickname: alias,
      picture,
      slug: alias,
      avatar_url: picture,
      full_name: name,
      provider_id: idOf(user),
    },
  };
}

/** From an id token of Facebook's Limited Login. */
export function facebookTokenUser(claims: Claims): ProvidedUser {
  return {
    emails: oneEmail(textIn(claims, "email"), true),
    claims: {
      iss: textIn(claims, "iss"),
      sub: subjectOf(claims),
      name: textIn(claims, "name"),
      picture: textIn(claims, "picture"),
      provider_id: subjectOf(claims),
    },
  };
}

/** From userinfo. */
export function keycloakUser(user: Claims, issuer: string): ProvidedUser {
  const name = textIn(user, "name");
  return {
    emails: oneEmail(textIn(user, "email"), user.email_verified === true),
    claims: { iss: issuer, sub: subjectOf(user), name, full_name: name, provider_id: subjectOf(user) },
  };
}

/** From userinfo. */
export function linkedinUser(user: Claims, issuer: string): ProvidedUser {
  const name = textIn(user, "name");
  const picture = textIn(user, "picture");
  return {
    emails: oneEmail(textIn(user, "email"), flagIn(user, "email_verified")),
    claims: { iss: issuer, sub: subjectOf(user), ...faceOf(name, picture), provider_id: subjectOf(user) },
  };
}

/** From openid.connect.userInfo. GoTrue treats every address as verified; we use Slack's own flag. */
export function slackUser(user: Claims, api: string): ProvidedUser {
  const id = textIn(user, "https://slack.com/user_id") ?? "";
  return {
    emails: oneEmail(textIn(user, "email"), flagIn(user, "email_verified")),
    claims: {
      iss: api,
      sub: id,
      ...faceOf(textIn(user, "name"), textIn(user, "picture")),
      provider_id: id,
      custom_claims: { "https://slack.com/team_id": textIn(user, "https://slack.com/team_id") ?? "" },
    },
  };
}

/** From /users/@me. */
export function discordUser(user: Claims, api: string): ProvidedUser {
  const id = idOf(user);
  const name = textIn(user, "username");
  const discriminator = textIn(user, "discriminator") ?? "0";
  return {
    emails: oneEmail(textIn(user, "email"), user.verified === true),
    claims: {
      iss: api,
      sub: id,
      ...faceOf(`${name}#${discriminator}`, discordPicture(id, textIn(user, "avatar"), discriminator)),
      full_name: name,
      provider_id: id,
      custom_claims: { global_name: textIn(user, "global_name") ?? "" },
    },
  };
}

/** https://discord.com/developers/docs/reference#image-formatting */
function discordPicture(id: string, avatar: string | undefined, discriminator: string): string {
  const cdn = "https://cdn.discordapp.com";
  if (avatar === undefined) return `${cdn}/embed/avatars/${Number(discriminator) % 5 || 0}.png`;
  return `${cdn}/avatars/${id}/${avatar}.${avatar.startsWith("a_") ? "gif" : "png"}`;
}

/** From /api/v4/user. Its further addresses, which GitLab does not mark as verified, are left out. */
export function gitlabUser(user: Claims, site: string): ProvidedUser {
  const id = idOf(user);
  return {
    emails: oneEmail(textIn(user, "email"), textIn(user, "confirmed_at") !== undefined),
    claims: {
      iss: site,
      sub: id,
      ...faceOf(textIn(user, "name"), textIn(user, "avatar_url")),
      provider_id: id,
    },
  };
}

/** From an id token. An address counts unless Microsoft says that nobody has verified its domain. */
export function azureUser(claims: Claims): ProvidedUser {
  const isVerified = claims.xms_edov === undefined || flagIn(claims, "xms_edov") || claims.xms_edov === "1";
  const name = textIn(claims, "name");
  return {
    emails: oneEmail(textIn(claims, "email"), isVerified),
    claims: {
      iss: textIn(claims, "iss"),
      sub: subjectOf(claims),
      name,
      preferred_username: textIn(claims, "preferred_username"),
      full_name: name,
      provider_id: subjectOf(claims),
      ...(textIn(claims, "tid") !== undefined && { custom_claims: { tid: textIn(claims, "tid") } }),
    },
  };
}

const faceOf = (name: string | undefined, picture: string | undefined) => ({
  name,
  picture,
  avatar_url: picture,
  full_name: name,
});

const STANDARD = [
  ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile"],
  ...["picture", "website", "gender", "birthdate", "zoneinfo", "locale", "phone", "full_name", "avatar_url"],
  ...["slug", "provider_id", "user_name"],
] as const;

/** From any other issuer: the standard claims of OpenID Connect. */
export function genericUser(claims: Claims): ProvidedUser {
  const named = Object.fromEntries(STANDARD.map((name) => [name, textIn(claims, name)]));
  return {
    emails: oneEmail(textIn(claims, "email"), claims.email_verified === true),
    claims: {
      iss: textIn(claims, "iss"),
      sub: subjectOf(claims),
      ...named,
      phone_verified: claims.phone_verified === true,
    },
  };
}

/** Empty when the provider sends no subject, which every caller refuses. */
const subjectOf = (claims: Claims): string => textIn(claims, "sub") ?? "";

/** GitHub's user ids are numbers, Facebook writes the number as text. */
const idOf = ({ id }: Claims): string => (typeof id === "number" ? String(id) : (textIn({ id }, "id") ?? ""));
