// The migrations in order. Forward only: a published file is never edited, a change is a new file at the end.
import { house } from './0001-house.ts'
import { backends } from './0002-backends.ts'
import { calls } from './0003-calls.ts'
import { composites } from './0004-composites.ts'
import { access } from './0005-access.ts'
import { people } from './0006-people.ts'
import { installLinks } from './0007-install-links.ts'
import { editors } from './0008-editors.ts'
import { configSnapshots } from './0009-config-snapshots.ts'
import { approvals } from './0010-approvals.ts'
import { quarantinesAndExamples } from './0011-quarantines-examples.ts'
import { wsTargets } from './0012-ws-targets.ts'
import { targets } from './0013-targets.ts'
import { monitors } from './0014-monitors.ts'
import { traffic } from './0015-traffic.ts'
import { alerts } from './0016-alerts.ts'
import { spans } from './0017-spans.ts'
import { schedules } from './0018-schedules.ts'
import { callMethod } from './0019-call-method.ts'
import { endings } from './0020-endings.ts'
import { credentialOrigins } from './0021-credential-origins.ts'
import { actingPeople } from './0022-acting-people.ts'
import { instances } from './0023-instances.ts'
import { callRollups } from './0024-call-rollups.ts'
import { editorAddresses } from './0025-editor-addresses.ts'
import { callVerdicts } from './0026-call-verdicts.ts'
import { callKinds } from './0027-call-kinds.ts'
import { fleet } from './0028-fleet.ts'
import { invitations } from './0029-invitations.ts'
import { traceStages } from './0030-trace-stages.ts'
import { messages } from './0031-messages.ts'
import { keptResults } from './0032-kept-results.ts'
import { upstreamIdentity } from './0033-upstream-identity.ts'
import { scripts } from './0034-scripts.ts'
import { context } from './0035-context.ts'
import { editorProjects } from './0036-editor-projects.ts'
import { keptResultTools } from './0037-kept-result-tools.ts'
import type { Migration } from './migration.ts'

export const MIGRATIONS: readonly Migration[] = [
  house,
  backends,
  calls,
  composites,
  access,
  people,
  installLinks,
  editors,
  configSnapshots,
  approvals,
  quarantinesAndExamples,
  wsTargets,
  targets,
  monitors,
  traffic,
  alerts,
  spans,
  schedules,
  callMethod,
  endings,
  credentialOrigins,
  actingPeople,
  instances,
  callRollups,
  editorAddresses,
  callVerdicts,
  callKinds,
  fleet,
  invitations,
  traceStages,
  messages,
  keptResults,
  upstreamIdentity,
  scripts,
  context,
  editorProjects,
  keptResultTools,
]
