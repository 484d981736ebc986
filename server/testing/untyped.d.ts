// Identity providers for tests that ship without types.
declare module "oidc-provider";
declare module "samlp";
