// Section 10: records.
import { rules } from '../rule.ts'

export const records = [
  ...rules(
    'ct.10',
    `
    stamps              904  -              Editable records carry revision, createdAt, updatedAt and createdBy.
    1.summary           909  -              A backend summary has the listed fields.
    1.detail            910  -              A backend detail has the listed fields.
    2.row               915  -              A tool row has the listed fields.
    2.detail            916  -              A tool detail has the listed fields.
    2.result            917  -              A call result has content and what applies of the rest.
    2.example           918  -              An example has label, arguments and author.
    2.listed            919  -              A listed tool contains its tokens.
    3.input             923  -              A bundle input collapses duplicates and keeps its bounds.
    3.summary           924  -              A bundle summary has counts and its path.
    3.detail            925  -              A bundle detail marks missing members.
    3.link              926  -              An install link shows a prefix of its token and its use.
    4.key-input         930  -              A key input has scopes, expiry, consumer, elevation, role and allowlist.
    4.key               931  -              A key record shows a prefix, and the value is mcp_ with 43 characters stored as hash.
    4.consumer          932  -              A consumer contains its use this month.
    4.policy            933  -              A policy has its fields.
    4.user              934  -              A user record has its fields and no password.
    4.team              935  -              A team states how many backends and users it has.
    4.quota             937  -              Quota counts calls that pass stage 3 per UTC month, atomically, composite steps each.
    4.allowed-tools     937  -              A tool outside allowedTools is refused key_scope.
    5.schedule          939  -              A schedule runs by five-field cron in its zone, at most once a minute, without replay.
    6.rule              941  -              An alert rule has its fields, state and last delivery.
    6.circuit_breaker_open  944  -              circuit_breaker_open holds while some breaker is open.
    6.client_unreachable    945  -              client_unreachable holds while an enabled backend is evicted.
    6.error_rate            946  -              error_rate holds at its threshold over minCalls, refusals excluded.
    6.usage_spike           947  -              usage_spike compares the recent rate with the baseline.
    6.schema_drift          948  -              schema_drift holds while a monitor reports drift.
    6.edge              949  -              A rule fires on the edge and when more backends join, across restarts.
    7.approval          952  -              An approval has its fields and decisions.
    7.monitor           954  -              A monitor record has its fields.
    8.input             958  -              A composite has 1 to 20 steps.
    8.step              959  -              A step has a target, a template, a condition and an error rule.
    8.summary           960  -              A composite summary contains its bundles.
    8.templates         962  -              A reference is replaced by its value with type, and text is interpolated.
    8.paths             963  -              A path names input or an earlier step, else INVALID_STEPS.
    8.no-nesting        963  -              A composite cannot target a composite.
    8.stop              963  -              The first error stops with the number and target of the step, and keeps the code of a refusal.
    8.rows              964  -              Each step and the composite itself have a call row.
    9.catalog           966  -              A catalog entry has its fields, and a custom slug shadows no built-in one.
    10.snapshot         969  -              A snapshot contains its kind and hash.
    10.diff             970  -              A difference contains pointer, kind, before and after.
    10.sections         971  -              The sections are the listed ones.
    10.import           972  -              An import result states what was applied, skipped and needs a secret.
    11.ws-target        975  -              A WebSocket target contains its connections and breaker.
    12.call-row         978  -              A call row has the listed fields.
    12.traffic-row      979  -              A traffic row has the listed fields.
    12.retention        981  -              Rows are pruned hourly by their retention.
    13.usage            984  -              A usage summary has the listed fields.
    13.trace            985  -              A trace summary has the listed fields.
    13.span             986  -              A stored span has the listed fields.
    14.overview         989  -              The overview has the listed fields.
    14.finding          989  -              A finding has id, severity, summary, what tolerates it, and what to do.
    14.team-scoped      989  -              Counts are team-scoped and adminUsers is null for a team.
    stamps-team         990  -              Records that belong to a team carry teamId.
  `,
  ),
]
