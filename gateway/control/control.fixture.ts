// A control plane for tests: real operations and database, two backends, callers of every kind.

import { compileReach } from '../auth/key-scope.ts'
import { createManagedKeys } from '../auth/managed-keys.ts'
import { KeyInput, type KeyScopes } from '../contract/admin/mcp-keys.ts'
import { RegistrationPayload } from '../contract/registration.ts'
import type { Role } from '../contract/role.ts'
import { createMcpKeys, type McpKeys } from '../operations/access/mcp-keys.ts'
import { aBackendHouse, type BackendHouse, ROOT } from '../operations/backends/backends.fixture.ts'
import { type Bundles, createBundles } from '../operations/curation/bundles.ts'
import { argumentsWithoutReserved, reservedOf } from '../pipeline/0-admission/reserved.ts'
import { createCallLog } from '../pipeline/8-audit/call-log.ts'
import { createCurated } from '../registry/curated.ts'
import { NOTHING_SHOWN } from '../surfaces/show-bundle.ts'
import { createMetrics, type Metrics } from '../telemetry/metrics.ts'
import { createAuditTail } from './audit-tail.ts'
import { admin, type SystemCaller, scopeOf } from './caller.ts'
import { createFigures } from './figures.ts'
import { createPlane, type Plane } from './plane.ts'
import { createRecorder } from './record.ts'

export type Reply = {
  readonly isError: boolean
  readonly text: string
  readonly code: string | undefined
  readonly gate: string | undefined
  readonly value: Readonly<Record<string, unknown>>
}
export type ControlHouse = BackendHouse & {
  readonly plane: Plane
  readonly bundles: Bundles
  readonly keys: McpKeys
  readonly metrics: Metrics
  readonly call: (caller: SystemCaller, name: string, args?: object) => Promise<Reply>
  /** Everything that a refused call could have changed. */
  readonly state: () => Promise<string>
}

/** Each has a key for its first tool, in this order. */
export const BACKENDS = ['mine', 'theirs', 'dark'] as const

const manual = (name: string, method: string) => ({ name, method, endpoint: `/${name}`, description: `About ${name}` })
/** No server listens there: these tests do not call backends. */
const registration = (name: string): RegistrationPayload =>
  RegistrationPayload.parse({
    name,
    base_url: 'http://127.0.0.1:18099',
    tools: [manual('read', 'GET'), manual('write', 'POST'), manual('wipe', 'DELETE')],
  })

export async function aControlHouse(auditToolCalls: 'off' | 'gated' | 'all' = 'gated'): Promise<ControlHouse> {
  const house = await aBackendHouse()
  const { database, registry, breakers, changes, time } = house
  const { query } = database
  for (const name of BACKENDS) await house.registration.register(ROOT, registration(name))
  await house.backends.update(ROOT, 'dark', { enabled: false }, [])
  const metrics = createMetrics()
  const fail = (error: unknown): never => {
    throw error
  }
  const callLog = createCallLog({
    database,
    journal: undefined,
    notes: { failing: fail, recovered: () => undefined, rejected: fail, lost: fail },
  })
  const clock = { now: () => time.nowMs }
  const curated = createCurated(query)
  await curated.load()
  const bundles = createBundles({
    database,
    changes,
    registry,
    curated,
    show: () => NOTHING_SHOWN,
    countTokens: async () => [],
    withdraw: async () => [],
    withdrawn: async () => undefined,
    callerOfKey: async () => undefined,
    maxTools: 5000,
    clock,
  })
  const live = createManagedKeys({
    database,
    clock,
    monotonic: () => performance.now(),
    log: { warn: () => undefined },
    teamOf: () => null,
    onEnded: () => undefined,
    onRows: () => undefined,
  })
  const keys = createMcpKeys({ database, changes, live, clock })
  for (const name of BACKENDS)
    await keys.create(ROOT, KeyInput.parse({ label: `of ${name}`, scopes: { tools: [`${name}__read`] } }))
  const plane = createPlane({
    endsStored: () => Promise.resolve(),
    requireOpen: callLog.requireOpen,
    operations: {
      ...house,
      bundles,
      keys,
      figures: createFigures({
        callLog,
        query,
        registry,
        breakers,
        sessions: { list: () => [] },
        metrics,
        version: '1.0.0',
        instanceId: 'one',
        leads: () => true,
        clock,
        monotonic: clock.now,
      }),
      auditTail: createAuditTail(query),
    },
    registry,
    spend: () => undefined,
    record: createRecorder({
      callLog,
      metrics,
      changes,
      log: { error: () => undefined },
      settings: { AUDIT_TOOL_CALLS: auditToolCalls },
      clock,
    }),
    log: { error: (message, details) => void house.logged.push(JSON.stringify({ message, ...details })) },
    monotonic: () => performance.now(),
  })
  return {
    ...house,
    bundles,
    keys,
    plane,
    metrics,
    async call(caller, name, args = {}) {
      const given = args as Record<string, unknown> // arguments as JSON
      const {
        isError = false,
        content,
        structuredContent = {},
      } = await plane.call({
        caller,
        name,
        given: argumentsWithoutReserved(given),
        reserved: reservedOf(given, null),
        requestId: 'r',
        ip: '127.0.0.1',
        sessionHash: null,
        traceId: null,
        bytes: 0,
        talk: undefined,
        onCancel: () => undefined,
      })
      const { text } = content[0] ?? {}
      const { code, gate } = structuredContent
      return {
        isError,
        text: typeof text === 'string' ? text : '',
        code: typeof code === 'string' ? code : undefined,
        gate: typeof gate === 'string' ? gate : undefined,
        value: structuredContent,
      }
    },
    async state() {
      const tables = ['backends', 'tools', 'bundles', 'mcp_keys'] as const
      const rows = await Promise.all(tables.map((table) => query.selectFrom(table).selectAll().orderBy('id').execute()))
      const audit = await house.audit()
      return JSON.stringify([rows, audit.filter(({ action }) => action !== 'tool.call')])
    },
  }
}

type Kind = {
  readonly role?: Role
  readonly elevated?: boolean
  readonly teamId?: number
  readonly scopes?: KeyScopes
  readonly allowedTools?: string[]
}

export const ENV: SystemCaller = admin('bearer:0123abcd', 'bearer', 'hash', true)

/** A managed key with an admin role; the fixture's backends have no team. */
export function aKey({ role = 'admin', elevated = false, teamId, scopes, allowedTools }: Kind = {}): SystemCaller {
  const key = { scopes: scopes ?? null, allowedTools: allowedTools ?? null, teamId: teamId ?? null }
  const actor = { name: 'mcp-key:7', kind: 'key', role, teamId: key.teamId } as const
  return {
    ...admin('mcp-key:7', 'key', 'hash', false),
    kind: 'key',
    keyId: 7,
    elevated,
    adminRole: role,
    ...compileReach(key, () => null),
    ...scopeOf(key),
    teamId: key.teamId,
    actor,
  }
}
