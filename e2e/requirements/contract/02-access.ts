// Section 2: credentials, principals, roles, key scopes, sessions.
import { rules } from '../rule.ts'

export const access = [
  ...rules(
    'ct.2.1',
    `
    data-missing      110  -        The data plane answers 401 without a credential.
    data-invalid      110  -        The data plane answers 401 to an invalid, expired, revoked or disabled credential.
    data-scope        110  -        A valid key without the scope gets 403 KEY_SCOPE on the surface or the refusal key_scope on the call.
    control-missing   111  -        /mcp answers 401 without a credential and to an invalid one.
    control-role      111  -        /mcp answers 403 FORBIDDEN to a credential without a system role.
    admin-missing     112  -        The admin routes, /metrics and /docs answer 401 without a credential.
    admin-invalid     112  -        The admin routes answer 401 to an invalid or expired credential.
    admin-role        112  -        The admin routes answer 403 FORBIDDEN to a role that is too low.
    bearer-first      113  -        A bad Bearer is 401 even beside a good cookie.
    no-keys-on-admin  113  -        A managed key or a JWT is never accepted on the admin API.
    open              114  -        The data plane is open only without MCP keys, managed key rows, JWKS and REQUIRE_MCP_AUTH; boot warns.
    open-dead-keys    114  -        Disabled, revoked and expired keys keep the data plane closed until they are deleted.
    open-anonymous    115  -        On the open data plane any credential or none is accepted as anonymous.
    open-allowlist    115  -        A per-tool allowlist refuses anonymous as well.
    jwt-alg           116  -        A JWT of another algorithm than RS256 or ES256 is refused.
    jwt-times         116  -        exp is required, nbf and iat are honoured, with 60 s of skew.
    jwt-refetch       116  -        An unknown kid refetches the JWKS at most once in 30 s.
    auth-disabled     117  -        With AUTH_DISABLED every request is auth-disabled, an elevated admin.
  `,
  ),
  ...rules(
    'ct.2.2',
    `
    session        120  -        A session user acts under the user name.
    bearer         120  -        An env admin key acts as bearer: and the first 8 hex digits of its SHA-256.
    mcp-env        120  -        An MCP_API_KEYS entry acts as mcp-env: and its fingerprint.
    mcp-key        120  -        A managed key acts as mcp-key: and its id.
    jwt            120  -        A JWT acts as jwt: and its subject.
    anonymous      121  -        A caller without credential on the open data plane acts as anonymous.
    system         121  -        What the gateway does by itself acts as system.
    install-link   121  -        An install link acts as install-link: and its id.
    desktop        121  -        The desktop shell acts as desktop with the role admin.
  `,
  ),
  ...rules(
    'ct.2.3',
    `
    p             126  -           Public routes need no credential.
    v             127  -           A viewer reads dashboards, configuration without secrets and the audit list.
    u             128  -           An auditor verifies and exports the audit log and reads the posture.
    o             129  -           An operator registers and configures backends and tools.
    o-observes    129  -              An operator reads traffic and traces.
    a             130  -           An admin manages bundles, keys, policies, alerts, catalog and secrets.
    s             131  -           Users, backup and effective config need a superadmin: an admin without team or the env admin Bearer.
    s-desktop     131  -           The desktop shell is a superadmin.
    self          132  -           A session user changes the own password and sessions, and no other principal does.
    team          133  -           A session user of a team reads and changes only records of that team.
    team-foreign  134  -           A record of another team is not found.
    team-null     134  -           Records without a team are visible to superadmins only, built-in catalog entries excepted.
    team-created  135  -           A record of a team-scoped admin gets that team, and every backend it references must be in it.
  `,
  ),
  ...rules(
    'ct.2.4',
    `
    null           140  -       Scopes null reach everything.
    empty          140  -       Empty scopes reach nothing.
    forms          141  -       tools entries are accepted as client__tool, client/tool and pair objects.
    max            141  -       A list of scopes holds at most 500 entries, and names need not exist.
    bundle-bound   143  -       A key with bundles gets 403 KEY_SCOPE on any other MCP surface before existence is looked at.
    bundle-members 143  -       Inside its bundle all members are callable, unless clients or tools narrow them.
    tools-list     145  -       A key with clients or tools opens any surface and sees only what is in scope.
    tools-call     145  -       A call outside the scope is refused key_scope.
    websocket      147  -         A WebSocket target is in scope when its name is in clients.
  `,
  ),
  ...rules(
    'ct.2.5',
    `
    cookies       150  -  The session cookie is __Host-, HttpOnly, Secure, Lax and Path=/; the CSRF cookie is the same but readable.
    insecure      150  -  With SESSION_COOKIE_SECURE=false the names lose __Host- and the cookies lose Secure.
    csrf          152  -  A mutation under a session without the session's X-CSRF-Token is 403 CSRF_VALIDATION_FAILED.
    csrf-bearer   152  -  A Bearer call needs no CSRF token.
    idle          153  -  A session ends when idle for longer than the setting.
    absolute      153  -  A session ends at its absolute lifetime.
    revoke        153  -  A change of password, role or active flag revokes the user's other sessions.
    revoke-team   153  -       A change of team revokes the user's sessions.
  `,
  ),
]
