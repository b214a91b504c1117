// The stored configuration as a document: read in one transaction or from one handle, natural names for ids, references for secrets.

import { CatalogInput } from '../../contract/admin/catalog.ts'
import type { Guards } from '../../contract/admin/tool-guards.ts'
import {
  CONFIG_KIND,
  CONFIG_VERSION,
  type ConfigClient,
  type ConfigDoc,
  type ConfigTool,
  sortedLists,
} from '../../contract/config-document.ts'
import { RegistrationPayload } from '../../contract/registration.ts'
import { withReferences } from '../../contract/secret-query.ts'
import { inTurns } from '../../discovery/in-turns.ts'
import { identityRef } from '../../identity/clients.ts'
import { authRef, oauthRef } from '../../registry/credentials.ts'
import { bundleOf, compositeOf } from '../../registry/curated.ts'
import { alertRows } from '../../storage/alerts.ts'
import { allBackends, type BackendRow, type ToolRecord, toolsOf } from '../../storage/backends.ts'
import { budgetRows } from '../../storage/budgets.ts'
import { bundleRows } from '../../storage/bundles.ts'
import { catalogRows } from '../../storage/catalog.ts'
import { compositeRows } from '../../storage/composites.ts'
import { consumerRows } from '../../storage/consumers.ts'
import { fromText } from '../../storage/json-text.ts'
import { type LbTargetRow, lbTargetsOf } from '../../storage/lb-targets.ts'
import { keyHashes } from '../../storage/mcp-keys.ts'
import { policyRows } from '../../storage/policies.ts'
import { scheduleRows } from '../../storage/schedules.ts'
import type { Query } from '../../storage/schema.ts'
import type { ToolConfig } from '../../storage/stored.ts'
import { teamRows } from '../../storage/teams.ts'
import { argsOfExamples } from '../../storage/tool-examples.ts'
import { wsTargetRows } from '../../storage/ws-targets.ts'
import { settingsOf as budgetSettings } from '../access/budgets.ts'
import { settingsOf as alertSettings } from '../alerts/alert-rows.ts'
import { discoveredTags } from '../backends/discovered-tools.ts'
import { storedCanary, storedLb, targetIn } from '../backends/target-rows.ts'
import { settingsOf } from '../backends/ws-targets.ts'
import { settingsOf as scheduleSettings } from '../schedules/schedule-rows.ts'
import { writtenFeatures } from '../tools/tool-features.ts'

/** The hash of nothing: stands for a deleted key, so that a list of such keys stays one that admits no caller. */
const NOBODYS_KEY = '0'.repeat(64)

export async function readConfig(query: Query): Promise<ConfigDoc> {
  const teams = await teamRows.all(query)
  const teamNames = new Map(teams.map(({ id, name }) => [id, name]))
  const keys = await keyHashes(query)
  const clients: ConfigClient[] = []
  for (const row of await allBackends(query))
    clients.push(
      await clientOf(
        query,
        row,
        await toolsOf(query, row.id),
        row.lb === null ? [] : await lbTargetsOf(query, row.id),
        teamNames,
        keys,
      ),
    )
  return sortedLists({
    kind: CONFIG_KIND,
    version: CONFIG_VERSION,
    clients,
    bundles: (await bundleRows.all(query))
      .map(bundleOf)
      .map(({ name, description, enabled, listMode, tools, composites }) => ({
        name,
        description,
        enabled,
        listMode,
        tools: [...tools],
        composites: [...composites],
      })),
    composites: (await compositeRows.all(query))
      .map(compositeOf)
      .map(({ name, description, enabled, inputSchema, steps, output, script }) => ({
        name,
        description,
        enabled,
        inputSchema: { ...inputSchema },
        steps: steps.map((step) => ({ ...step })),
        output: output as null, // stored as JSON, so it is JSON
        script: script && { source: script.source, outputSchema: script.outputSchema && { ...script.outputSchema } },
      })),
    alertRules: (await alertRows.all(query)).map((row) => ({ name: row.name, ...alertSettings(row) })),
    consumers: (await consumerRows.all(query)).map(({ name, monthly_quota, end_user_rate }) => ({
      name,
      monthlyQuota: monthly_quota,
      endUserRateLimitPerMin: end_user_rate,
    })),
    schedules: (await scheduleRows.all(query)).map(scheduleSettings),
    budgets: (await budgetRows.all(query)).map(budgetSettings),
    guardPolicies: (await policyRows.all(query)).map(({ name, rate_limit_per_min, timeout_ms }) => ({
      name,
      rateLimitPerMin: rate_limit_per_min,
      timeoutMs: timeout_ms,
    })),
    teams: teams.map(({ name }) => ({ name })),
    catalogEntries: (await catalogRows.all(query)).map(({ entry }) => CatalogInput.parse(fromText(entry))),
    wsProxyTargets: (await wsTargetRows.all(query)).map((row) => ({ name: row.name, ...settingsOf(row) })),
  })
}

type KeyHashes = ReadonlyMap<number, string>
/** As JSON, by the id of the example. */
type ExampleArgs = Awaited<ReturnType<typeof argsOfExamples>>

async function clientOf(
  query: Query,
  row: BackendRow,
  tools: readonly ToolRecord[],
  targets: readonly LbTargetRow[],
  teams: ReadonlyMap<number, string>,
  keys: KeyHashes,
): Promise<ConfigClient> {
  // Most tools have no monitor, and reading their configuration to find that out is expensive.
  const monitored = tools.filter(({ config }) => config.includes('"exampleId"')).map(({ id }) => id)
  const examples = await argsOfExamples(query, monitored)
  const found = await inTurns(tools, (tool) => toolOf(row.name, tool, keys, examples))
  const settings = {
    name: row.name,
    enabled: row.enabled === 1,
    team: (row.team_id === null ? undefined : teams.get(row.team_id)) ?? null,
    tags: fromText(row.tags),
    guards: fromText(row.guards),
    tools: found.flatMap((tool) => (tool ? [tool] : [])),
  }
  // Editors and local servers are of the machine they run on; what was set of their tools is not.
  if (row.pins === null) return settings
  const registration = registrationOf(row)
  return {
    ...settings,
    registration: registration && withReferences(row.name, registration),
    canary: canaryOf(row),
    lb: lbOf(row, targets),
    oauth: oauthOf(row),
    identity: identityOf(row),
    upstreamAuth: row.upstream_auth === null ? null : { $secret: authRef(row.name) },
  }
}

/** As it is stored, with what its addresses hold. */
export function registrationOf({ registration, name }: Pick<BackendRow, 'registration' | 'name'>) {
  if (registration === null) return null
  return RegistrationPayload.parse({ ...fromText(registration), name })
}

/** Without the addresses, which are of the day they were vetted. */
function canaryOf(row: BackendRow): ConfigClient['canary'] {
  const stored = storedCanary(row)
  if (stored === undefined) return null
  const { secondaryBaseUrl, mode, weight, enabled } = stored
  return { secondaryBaseUrl, mode, weight, enabled }
}

function lbOf(row: BackendRow, targets: readonly LbTargetRow[]): ConfigClient['lb'] {
  const stored = storedLb(row)
  if (stored === undefined) return null
  const { strategy, primaryWeight, enabled } = stored
  const upstreams = targets.map(targetIn).map(({ addresses: _addresses, ...upstream }) => upstream)
  return { strategy, primaryWeight, enabled, upstreams }
}

function oauthOf({ name, oauth_info }: BackendRow): ConfigClient['oauth'] {
  if (oauth_info === null) return null
  const { tokenUrl, clientId, scope, audience, authStyle } = fromText(oauth_info)
  return {
    tokenUrl,
    clientId,
    clientSecret: { $secret: oauthRef(name) },
    scope: scope ?? null,
    audience: audience ?? null,
    authStyle,
  }
}

/** Never what is a connection of a person. */
export function identityOf({ name, identity }: Pick<BackendRow, 'name' | 'identity'>): ConfigClient['identity'] {
  const stored = fromText(identity)
  if (stored === undefined || stored === null) return null
  const { updatedAt: _at, origin: _origin, secrets = [], ...setting } = stored
  const references = Object.fromEntries(secrets.map((field) => [field, { $secret: identityRef(name) }]))
  return { ...setting, ...references }
}

/** Only what differs from how the tool was discovered; what went away upstream sleeps outside of documents. */
function toolOf(client: string, row: ToolRecord, keys: KeyHashes, examples: ExampleArgs): ConfigTool | undefined {
  if (row.missing_since !== null) return undefined
  const config = fromText(row.config)
  const { enabled = true, guards, guardrails, overrides, sensitive, redactPaths, approval, listOutputSchema } = config
  const tags = fromText(row.tags)
  const tool: Omit<ConfigTool, 'name'> = {
    ...(sameTags(tags, discoveredTags(row)) ? {} : { tags }),
    ...(enabled ? {} : { enabled }),
    ...(guards ? { guards: guardsOf(guards, keys) } : {}),
    ...(overrides ? { overrides } : {}),
    ...(sensitive === undefined ? {} : { sensitive }),
    ...(redactPaths ? { redactPaths: [...redactPaths] } : {}),
    ...(guardrails ? { guardrails: guardrailsOf(guardrails) } : {}),
    ...(approval ? { approval: approvalOf(approval) } : {}),
    ...(listOutputSchema ? { listOutputSchema } : {}),
    ...writtenFeatures(withInlineArgs(config, examples), { client, tool: row.name }),
  }
  return Object.keys(tool).length === 0 ? undefined : { name: row.name, ...tool }
}

/** Ids are of this gateway alone: what a monitor calls with travels as it is. */
function withInlineArgs(config: ToolConfig, examples: ExampleArgs): ToolConfig {
  if (config.monitor?.exampleId === undefined) return config
  const { exampleId, ...monitor } = config.monitor
  const args = fromText(examples.get(exampleId)) ?? {}
  return { ...config, monitor: { ...monitor, args } }
}

const sameTags = (a: readonly string[], b: readonly string[]): boolean =>
  JSON.stringify([...a].sort()) === JSON.stringify([...b].sort())

/** Ids are of this gateway alone: a key travels as its hash, as one that was given by value does. */
function guardsOf(guards: Guards, keys: KeyHashes): ConfigTool['guards'] {
  const allowed = [...guards.allowedKeyHashes, ...guards.allowedKeyIds.map((id) => keys.get(id) ?? NOBODYS_KEY)]
  return {
    ...(guards.rateLimitPerMin === null ? {} : { rateLimitPerMin: guards.rateLimitPerMin }),
    ...(guards.rateLimitScope === 'tool' ? {} : { rateLimitScope: guards.rateLimitScope }),
    ...(guards.timeoutMs === null ? {} : { timeoutMs: guards.timeoutMs }),
    ...(allowed.length === 0 ? {} : { allowedKeyHashes: [...new Set(allowed)].sort() }),
  }
}

function approvalOf({ required, levels, approvers, ttlMs, useTtlMs }: NonNullable<ToolConfig['approval']>) {
  // Likewise.
  return {
    ...(required ? {} : { required }),
    ...(levels === 1 ? {} : { levels }),
    ...(approvers.length === 0 ? {} : { approvers: [...approvers] }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(useTtlMs === undefined ? {} : { useTtlMs }),
  } as NonNullable<ConfigTool['approval']>
}

function guardrailsOf({ denyPatterns, blockSecrets, scanResponses }: NonNullable<ToolConfig['guardrails']>) {
  // Absent is the default, also where a document is read.
  return {
    ...(denyPatterns.length === 0 ? {} : { denyPatterns: [...denyPatterns] }),
    ...(blockSecrets ? { blockSecrets } : {}),
    ...(scanResponses ? { scanResponses } : {}),
  } as NonNullable<ConfigTool['guardrails']>
}
