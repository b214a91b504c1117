// Section 7.7 to 7.9: observability, configuration and operations, PCG.
import { rules } from '../rule.ts'

export const observabilityAndOperations = [
  ...rules(
    'ct.7.7',
    `
    windows          684  -              Usage covers the last 7 days and lists everything unless asked otherwise.
    team-scoped      684  -              All reads are team-scoped.
    overview         687  -              The overview answers its record to a viewer.
    usage-summary    688  -              Usage is summed over the filters.
    usage-series     689  -              Usage is a zero-filled series of at most 1000 points.
    usage-top        690  -              The top tools come by calls.
    usage-by         691  -              Usage is grouped by key, client and consumer.
    usage-refusals   692  -              Refusals are grouped by code, tool or key.
    calls            693  -              Call rows are listed newest first to operators, without arguments.
    traffic          694  -              Captured rows are listed newest first to operators.
    traffic-row      695  -              One captured row is read.
    traffic-replay   696  -              A captured call is replayed and compared, unless its arguments were redacted.
    traffic-delete   697  -              An admin removes captured rows.
    traces           698  -              Traces are listed newest first, empty unless stored.
    trace            699  -              One trace answers its spans by start.
    top-sessions     700  -              The sessions with most calls are listed.
    traces-delete    701  -              An admin removes traces.
    alerts           702  -              Alert rules are listed newest first.
    alert-create     703  -              A rule is created with a checked webhook.
    alert            704  -              A rule is changed except for its event, and removed.
    alert-test       705  -              A test delivery answers its status, or 502 WEBHOOK_FAILED.
    monitors         706  -              Monitors are listed by client and tool.
    approvals        707  -              Approvals are listed newest first, to viewers without arguments.
    approval         708  -              One approval is read.
    approval-decide  709  -              An operator approves or rejects once, never the own request.
    audit-log        710  -              Audit entries are listed newest first to a viewer.
    audit-filters    710  -              Entries are filtered by actor, action or its prefix, target and time.
    audit-actions    711  -              The known actions are listed, sorted.
    audit-verify     712  -              The chain is verified for an auditor.
    audit-verify-rate 712 -              Verification is limited by RATE_LIMIT_EXPENSIVE.
    audit-export     713  -              Entries are exported for an auditor with the filters of the list.
    audit-format     713  -              An unknown export format is 400.
    posture          714  -              The posture lists findings and the worst severity for an auditor.
    events           715  -              Events are a stream for a viewer, filtered by topics.
    events-ready     717  -              The first record of the stream is ready.
    events-record    716  -              A record has type and time under the name of its topic.
    events-calls     716  -              calls carries call rows for operators, at most 50 a second.
    events-clients   716  -       clients reports registration, removal, flags, health and breaker.
    events-tools     716  -       tools reports changes.
    events-approvals 716  -              approvals reports creation, decision and expiry.
    events-monitors  716  -              monitors and alerts are reported.
    events-audit     717  -              audit reports every appended entry.
    events-config    717  -              config reports type and id of what changed.
    events-sessions  717  -              sessions reports the count.
    events-pcg       717  -              pcg is sent to operators.
    events-bye       717  -              A session that ends closes its stream with bye.
    posture-ids      718  -              The findings have exactly the listed ids.
  `,
  ),
  ...rules(
    'ct.7.8',
    `
    effective          723  -           The effective configuration lists every setting with value, source and default, by key.
    effective-secrets  723  -           Secrets are shown only as set or unset.
    schema             724  -           The schema of the config document is served.
    export             725  -           The configuration is exported as JSON or YAML, whole or by section.
    import             726  -           A document is imported by merge or replace, or tried.
    snapshots          727  -           Snapshots are listed and taken, up to 200.
    snapshot           728  -           A snapshot is read and removed.
    snapshot-diff      729  -           A snapshot is compared with the present or another one.
    rollback           730  -           A rollback takes a snapshot first.
    schedules          731  -           Schedules are listed newest first.
    schedule-create    732  -           A schedule is created with checked cron and target.
    schedule           733  -           A schedule is changed and removed.
    schedule-run       734  -           A schedule is run now.
    backup             735  -           A backup is a database attachment with its name and X-Backup-SHA256.
    backup-rate        735  -           Backups are limited by RATE_LIMIT_BACKUP.
    backup-failed      735  -           A copy that fails is 500 BACKUP_FAILED.
    backup-external    735  -           With DATABASE_URL a backup is 501 NOT_SUPPORTED.
    ws-targets         736  -           WebSocket targets are listed and created within their bounds.
    ws-target          737  -           A target is changed and removed, its connections closed 1001.
    ws-disconnect      738  -           All connections of a target are closed.
    mcp-sessions       739  -           MCP sessions are listed by reference and ended by it.
  `,
  ),
  ...rules(
    'ct.7.9',
    `
    backend             742  -       Each editor is a backend of kind pcg, usable like any other.
    not-registrable     743  -       Kind pcg cannot be registered.
    loopback            743  -       Editor URLs may be loopback regardless of ALLOW_PRIVATE_IPS.
    editors             746  -       Editors are listed by name.
    editor-create       747  -       An editor is created with its driver, URL and token.
    editor              748  -       An editor is changed and removed.
    discover            749  -       Editors on loopback are discovered.
    connect             750  -       An editor is connected and disconnected, or 502 EDITOR_UNAVAILABLE.
    call                751  -       A tool is called with confirmation, approval and batch, or 409 EDITOR_BUSY.
    events              752  -       The events of an editor are a stream.
    history             753  -       Changes are listed newest first.
    undo                754  -       A batch or change is undone, or tried, or 409 NOT_UNDOABLE.
    layout              755  -       The layout of a graph is read and stored with its revision, up to 1 MiB.
    snapshots           756  -       Snapshots of a graph are listed and taken.
    snapshot-diff       757  -       A snapshot answers its difference and the calls that restore it.
    drivers             759  -       The four drivers are known, embedded without a URL.
    editor-record       760  -       An editor contains status, capabilities, queue and the listed fields.
    call-result         762  -       A call result contains result, error, refusal and change.
    codes               763  -       Errors carry one of the listed codes.
    layout-record       764  -       A layout holds nodes, comments, reroutes and bookmarks.
    change-record       765  -       A change contains who, how, what, and whether it can be undone.
    snapshot-record     766  -       A snapshot contains its graph, counts and author.
    event-kinds         768  -       The listed events tell editor, time and their data.
    mcp-result          769  -       On MCP a result is its object as text and structuredContent, an error a failure with its code and fixed message.
    serialised          770  -       One call is in flight per editor, the rest wait in order, and a full queue is editor_busy.
    value-argument      770  -       An absent parameter value is INVALID_ARGUMENT though not required by the schema.
    read-only           773  -       The six reading tools are read-only and idempotent.
    additive            774  -       The four additive tools are neither read-only, destructive nor idempotent.
    additive-again      775  -       The three repeat-safe tools are idempotent.
    destructive         776  -       cleanup_pcg_component is destructive and not idempotent.
    destructive-again   777  -       The six destructive tools that repeat safely are idempotent.
  `,
  ),
]
