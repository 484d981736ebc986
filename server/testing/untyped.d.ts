// Identity providers for tests, which come without types.
declare module "oidc-provider";
declare module "samlp";
