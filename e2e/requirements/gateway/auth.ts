// Who may reach what, and the variables of authentication.
import { rules } from '../rule.ts'

export const auth = [
  ...rules(
    'gw.auth',
    `
    data-plane        252  -         The data plane accepts an MCP_API_KEYS Bearer, a managed key, and a JWT when a JWKS is set.
    control-plane     253  -         The control plane accepts the env admin Bearer and a managed key with adminRole, and is never open.
    admin-api         254  -         The admin API accepts a session cookie or an ADMIN_API_KEYS Bearer.
    admin-csrf        254  -         Mutations under a session need X-CSRF-Token.
    register          254  -         /register accepts the credentials of the admin API.
    metrics           255  -         /metrics accepts an admin session or an admin key.
    public            256  -         The probes and /llms.txt need no credential.
    public-install    256  -         /install/:token needs no credential.
    1-open            260  -         Without MCP keys and JWT the data plane is open and a warning is logged at boot.
    1-require         260  -         REQUIRE_MCP_AUTH=true makes it fail closed.
    1-jwks-locks      260  -         A configured JWKS, like a minted key, closes the open data plane.
    2-tiers           261  -         Read needs any system role, operate an operator or admin, admin an admin.
    3-step-up         262  -         A mutating sys tool needs __confirm: true or an elevated credential.
    3-sensitive       262  -         The same gate applies to sensitive backend tools.
    3-mint            262  -         Only the literal env admin Bearer with __confirm can mint a key; no managed key can.
    4-scope           263  -         A target outside the key's scopes gets the same answer as one that does not exist.
    5-central         264  -         The three gates apply to every sys tool without exception.
    6-algorithms      265  -         A JWT is RS256 or ES256 and verified against the JWKS.
    6-additive        265  -         JWT works beside the other MCP credentials.
    6-issuer          265  -         JWT_ISSUER, when set, must equal iss.
    6-audience        265  -         JWT_AUDIENCE must be listed in aud.
    6-startup         265  -         Outside development a JWKS without audience refuses to start unless the escape hatch is set.
    6-refetch         265  -         An unknown key id refetches the JWKS.
    7-global-routes   266  -         A team-scoped admin cannot reach user management and the database backup.
    7-config-routes   266  -           A team-scoped admin cannot reach config export and import.
    7-tenant-reads    266  -         Introspection reads stay inside the caller's tenant.
    8-at-rest         267  -  Upstream credentials and install-link keys are encrypted at rest.
    8-local           267  -         Provider local seals with AES-256-GCM under SECRET_ENCRYPTION_KEY.
    8-kms             267  -         Provider kms seals through the transit service and ignores SECRET_ENCRYPTION_KEY.
    8-no-fallback     267  -         A key service that fails makes the operation fail; nothing falls back to plaintext.
  `,
  ),
  ...rules(
    'gw.bootstrap',
    `
    first-admin       272  -  BOOTSTRAP_ADMIN_USERNAME and _PASSWORD create the first admin while there are no users.
    only-empty        272  -  They change nothing once a user exists.
    min-length        272  -  A bootstrap password under 12 characters is refused.
    generated         272  -  With neither set a random password is generated and printed once to stdout.
    only-hash         272  -  Only the hash of a password is stored.
    one-of-two        272  -  With exactly one of the two set no admin is created.
  `,
  ),
  ...rules(
    'gw.auth-var',
    `
    admin_api_keys               273  -       ADMIN_API_KEYS is a comma-separated list of static Bearer keys for the admin API.
    mcp_api_keys                 274  -       MCP_API_KEYS is a comma-separated list of keys for MCP clients, and empty needs no key.
    require_mcp_auth             275  -       REQUIRE_MCP_AUTH=true closes the data plane.
    expose_docs                  276  -       /docs is not public by default.
    auth_disabled                277  -       AUTH_DISABLED=true turns off all authentication.
    auth_disabled-startup        277  -       Outside development AUTH_DISABLED refuses to start unless ALLOW_UNSAFE_AUTH_DISABLED is true.
    jwt-hatch-default            278  -       ALLOW_UNSAFE_JWT_NO_AUDIENCE is false by default.
    secrets_provider             279  -       SECRETS_PROVIDER is local by default and any value but local and kms fails at startup.
    kms-required                 280  -       KMS_ADDR and KMS_TOKEN are required for kms.
    kms-header                   280  -       The token is sent in X-KMS-Token.
    kms_transit_key_name         281  -       The transit key is named after the service by default.
    encryption-key-raw           282  -       Base64 of 32 bytes is used as the key itself.
    encryption-key-passphrase    282  -       Any other string is a passphrase stretched by a KDF.
    session_cookie_secure        283  -       Session cookies are Secure by default.
    session_cookie_secure-startup 283 -       Outside development an insecure cookie refuses to start unless its escape hatch is true.
    auto_gate_write_methods      284  -       AUTO_GATE_WRITE_METHODS treats DELETE and PUT tools as sensitive.
    auto_gate_override           284  -       An explicit per-tool flag wins over AUTO_GATE_WRITE_METHODS.
    auto_gate_default            284  -       AUTO_GATE_WRITE_METHODS is false by default.
  `,
  ),
]
