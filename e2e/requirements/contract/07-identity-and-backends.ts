// Section 7.1 to 7.3: authentication, backends and tools.
import { rules } from '../rule.ts'

export const identityAndBackends = [
  ...rules(
    'ct.7.0',
    `
    not-found  553  -  A record that does not exist answers 404 with the code of its kind.
  `,
  ),
  ...rules(
    'ct.7.1',
    `
    login            558  -       Signing in answers user, CSRF token and expiry, sets both cookies and the X-CSRF-Token header.
    login-refused    558  -       Unknown user, wrong password and inactive user answer the same 401 INVALID_CREDENTIALS.
    login-timing     558  -       An unknown user costs the same password work as a known one.
    login-rate       558  -       Signing in is limited by RATE_LIMIT_LOGIN.
    logout           559  -       Signing out ends the session and clears both cookies, however often.
    logout-csrf      559  -       Signing out of a session needs the CSRF token.
    me               560  -       me contains method, user, role, and for a session the CSRF token and expiry.
    me-compat        560  -       me repeats auth_method and csrf_token.
    me-desktop       560  -       me contains authMethod desktop in the shell.
    password         561  -       Changing the password re-issues the own session and revokes the others.
    password-weak    561  -       A new password equal to the user name or the current password is WEAK_PASSWORD.
    password-length  561  -       A new password has 12 to 256 characters.
    password-wrong   561  -       A wrong current password is 401 INVALID_CREDENTIALS.
    password-sso     561  -       An SSO user gets 409 SSO_USER.
    password-alias   561  -       The snake_case spellings are accepted.
    password-rate    561  -       Changing the password is limited by RATE_LIMIT_EXPENSIVE.
    sessions         562  -       The own sessions are listed, newest first.
    session-end      563  -       One own session is ended with 204, another's is 404 SESSION_NOT_FOUND.
    revoke-others    564  -       Revoking the others answers how many.
    oidc-config      565  -       Whether SSO is offered is public.
    oidc-start       566  -       SSO starts with code flow, PKCE, state and nonce.
    oidc-start-404   566  -       Without SSO the start is 404, and an unreachable provider 502.
    oidc-callback    567  -       The callback signs in or redirects to the login page with its reason.
    oidc-settings    568  -       SSO settings are read without the secret.
    oidc-put         569  -       SSO settings are stored, unless the environment manages them.
    oidc-test        570  -       SSO settings can be tested.
    user-brief       572  -       A user brief has username, role, teamId and team_id.
    login-result     573  -       The login result repeats csrf_token.
    session-record   574  -       A session record has times, address, agent and whether it is the current one.
    oidc-record      575  -       The SSO record has the listed fields.
    oidc-input       577  -       The SSO input has the listed defaults.
  `,
  ),
  ...rules(
    'ct.7.2',
    `
    list          584  -         Backends are listed by name with the listed filters.
    bulk          585  -         Up to 500 backends are enabled or disabled at once, unknown ones reported false.
    get           586  -         One backend is read in full.
    patch         587  -         A backend is changed field by field, URLs checked again.
    delete        588  -         Deleting removes live state and configuration and keeps references, call log and audit.
    reset         589  -         The breaker is reset, or 409 CLIENT_NOT_LIVE.
    health-check  590  -         One probe now answers its result and restores an evicted backend.
    team          591  -         A superadmin gives a backend to a team.
    tags          592  -         A backend has up to 20 tags.
    canary        593  -  The canary of a REST backend is read, set and cleared.
    lb            594  -  The balancing of a REST backend is read, set and cleared.
    lb-add        595  -  A pool takes up to 16 targets without repeats.
    lb-target     596  -  A target is changed and removed.
    oauth         597  -  Outbound OAuth is read without the secret, set and cleared.
    oauth-test    598  -  Outbound OAuth can be tested and never shows the token.
    upstream-auth 599  -  The upstream credential is set and never shown.
  `,
  ),
  ...rules(
    'ct.7.3',
    `
    list          604  -              Tools are listed by client and tool with the listed filters.
    bulk          605  -              Up to 1000 tools of a backend are enabled or disabled at once.
    get           606  -              One tool is read in full with its ETag.
    patch         607  -              A tool is changed all or nothing.
    patch-llm     607  -              A model for summaries is set by admins only.
    tags          608  -              A tool has up to 20 tags.
    test          609  -              The try-it runner runs the full stack, as a key if asked, or stops before dispatch.
    diagnose      610  -              Diagnosis is served by the admin API too.
    examples      611  -              Examples are stored when their arguments fit, up to 50.
    example       612  -              An example is changed and removed unless a monitor uses it.
    cache-purge   613  -              The cached responses of a tool are purged.
    quarantine    614  -              A quarantine is cleared.
    monitor       615  -              A monitor is run and given a new baseline now.
    result        617  -              A test result contains the outcome and every stage with its time.
    compat        622  -              A test body without known keys is taken as the arguments.
    outcome       620  -              An outcome is success, error, refused or cancelled.
  `,
  ),
]
