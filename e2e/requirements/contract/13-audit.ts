// Section 13: audit.
import { rules } from '../rule.ts'

export const audit = [
  ...rules(
    'ct.13.1',
    `
    entry         1039  -         An entry has id, prev_hash, actor, action, target, detail, created_at and hash.
    hash          1040  -         The hash is recomputable from the values the API returns.
    sorted        1040  -         detail is hashed with keys sorted at every level.
    first         1040  -         The first entry has an empty prev_hash.
    serialised    1041  -         Concurrent appends give one unforked chain.
    shared        1041  -         Several instances share one chain under an advisory lock.
    together      1041  -         A mutation and its entry commit together or not at all.
    verdict       1042  -         The verdict states validity, count, where and why it broke, and the head.
    verdict-whole 1042  -         The verdict is over the whole chain regardless of the caller's team.
    hash_mismatch 1042  -         An edited row is hash_mismatch at its id.
    link_mismatch 1042  -         A row whose prev_hash is another's is link_mismatch.
    missing_rows  1042  -         A row that is gone is missing_rows.
  `,
  ),
  ...rules(
    'ct.13.2',
    `
    target           1044  -              target is the natural name or the id as text.
    request_id       1044  -              detail always has request_id.
    before-after     1044  -              A change is recorded as before and after of the changed fields.
    secrets          1044  -              A secret in detail is "[set]".
    client           1047  -       The listed actions of a backend are audited.
    tool             1048  -              The listed actions of a tool are audited.
    bundle           1049  -              The actions of bundles and composites are audited.
    catalog          1049  -              The actions of the catalog are audited.
    consumer         1049  -              The actions of consumers, policies and teams are audited.
    user             1049  -              user.create, user.update and user.delete are audited.
    user.team.set    1049  -              user.team.set is audited.
    schedule         1049  -              The actions of schedules are audited.
    alert            1049  -              The actions of alerts are audited.
    ws_proxy_target  1049  -              The actions of WebSocket targets are audited.
    mcp_key          1050  -              The actions of keys are audited.
    approval         1051  -              The actions of approvals are audited.
    auth             1052  -              Sign-in, failed sign-in, sign-out, password change and session revocation are audited.
    auth.sso         1052  -              SSO sign-ins and failures are audited.
    config           1053  -              Config actions are audited.
    backup.create    1053  -              backup.create is audited.
    oidc.update      1053  -              oidc.update is audited.
    traffic          1053  -              Replay and purges are audited.
    audit.export     1053  -              audit.export is audited.
    mcp_session      1053  -              mcp_session.close is audited.
    pcg              1054  -              The actions of editors are audited.
    system           1055  -              start, stop and bootstrap_admin are audited.
    system.migrate   1055  -              A migration of an existing database is audited.
    system.leader    1055  -              Acquiring and losing the lease are audited.
  `,
  ),
  ...rules(
    'ct.13.3',
    `
    modes    1057  -      AUDIT_TOOL_CALLS chooses no calls, gated ones or all.
    detail   1057  -      A tool.call entry contains the outcome and never arguments.
    batched  1057  -      Entries of calls are written in batches of at most 50 ms.
  `,
  ),
  ...rules(
    'ct.13.4',
    `
    ascending    1059  -  An export is ascending, streamed and without a cap.
    json         1059  -  JSON holds time, filters, count, verdict and items.
    csv          1059  -  CSV has the listed header, CRLF and RFC 4180 quoting.
    csv-formula  1059  -  A CSV field that could be a formula gets a leading apostrophe.
    html         1059  -  HTML is self-contained, without scripts, with filters, the verdict in words and a table.
    html-broken  1059  -  HTML of a broken chain names the row.
    filename     1059  -  The attachment is named with the UTC time.
  `,
  ),
]
