// Diagnoses one tool: reads every layer it meets and the newest of its denied calls, and changes none of it. Contract 6.3.

import { type Diagnosis, WINDOW_MS } from '../../contract/admin/diagnosis.ts'
import type { Actor } from '../../contract/role.ts'
import type { LiveQuarantines } from '../../live/quarantines.ts'
import { addressPermitted } from '../../pipeline/1-ssrf/index.ts'
import type { Breakers } from '../../pipeline/5-breaker/breakers.ts'
import type { Base } from '../../records/base.ts'
import type { Backend, Tool } from '../../registry/backend.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import type { ReadWorker } from '../../storage/read-worker.ts'
import type { Presenter } from '../backends/present.ts'
import { findingsOf } from './findings.ts'
import { requireTool } from './tools.ts'

type DiagnosesDeps = Pick<Base, 'settings' | 'clock'> & {
  readonly readWorker: Pick<ReadWorker, 'ask'>
  readonly registry: LiveRegistry
  readonly breakers: Breakers
  readonly quarantines: Pick<LiveQuarantines, 'stateOf'>
  readonly present: Presenter
}

export type Diagnoses = ReturnType<typeof createDiagnoses>

/** Rows of errors and refusals that are read; older ones are reported as truncated. */
const SAMPLE = 1_000

type Sample = Pick<Diagnosis, 'denials' | 'errors'>

export function createDiagnoses(parts: DiagnosesDeps) {
  const { readWorker, registry, breakers, quarantines, present, settings, clock } = parts
  async function sampled(client: string, tool: string, windowMs: number): Promise<Sample> {
    const fromMs = clock.now() - windowMs
    const { calls, rows } = await readWorker.ask('endings', { client, tool, fromMs, limit: SAMPLE + 1 })
    const seen = rows.slice(0, SAMPLE)
    const denied = seen.filter(({ outcome }) => outcome === 'refused')
    const failed = seen.filter(({ outcome }) => outcome === 'error')
    const [last] = denied
    return {
      denials: {
        windowMs,
        sampled: denied.length,
        truncated: rows.length > SAMPLE,
        byCode: tally(denied.map(({ deny_code }) => deny_code)),
        lastAt: last === undefined ? null : new Date(last.at_ms).toISOString(),
      },
      errors: {
        calls,
        failures: failed.length,
        byKind: tally(failed.map(({ failure_kind }) => failure_kind)),
      },
    }
  }

  function breakerOf(backend: Backend, tool: Tool): Diagnosis['circuitBreaker'] {
    const own = backend.guards?.circuitBreaker
    // A breaker that was never used does not exist, and asking must not create it.
    const breaker = breakers.find(backend.name)
    return {
      state: breaker?.current() ?? 'closed',
      failuresInWindow: breaker?.failuresInWindow() ?? 0,
      toolFailuresInWindow: breakers.toolFailuresInWindow(
        backend.name,
        tool.name,
        own?.windowMs ?? settings.CIRCUIT_BREAKER_WINDOW_MS,
      ),
      threshold: own?.failureThreshold ?? settings.CIRCUIT_BREAKER_FAILURE_THRESHOLD,
      halfOpenInMs: breaker?.halfOpenInMs() ?? null,
    }
  }

  return {
    async diagnose(
      actor: Actor,
      client: string,
      name: string,
      { windowMs = WINDOW_MS.usual }: { readonly windowMs?: number | undefined } = {},
    ): Promise<Diagnosis> {
      const { backend, tool } = requireTool(registry, actor, client, name)
      const { guards, sensitive, sensitiveSource, requiresApproval, quarantine, missing } = present.toolDetail(
        backend,
        tool,
      )
      const health = registry.health(client)
      const size = (guards?.allowedKeyHashes.length ?? 0) + (guards?.allowedKeyIds.length ?? 0)
      const { denials, errors } = await sampled(client, tool.name, windowMs)
      const state: Omit<Diagnosis, 'findings'> = {
        client,
        tool: tool.name,
        clientEnabled: backend.enabled,
        toolEnabled: tool.config.enabled !== false,
        live: registry.isLive(client) && !registry.isEvicted(client) && !missing,
        missing,
        health: {
          status: health?.status ?? null,
          consecutiveFailures: health?.consecutiveFailures ?? 0,
          lastCheckedAt: health?.lastCheckedAt ?? null,
          lastError: health?.lastError ?? null,
        },
        circuitBreaker: breakerOf(backend, tool),
        guards: { rateLimitPerMin: guards?.rateLimitPerMin ?? null, timeoutMs: guards?.timeoutMs ?? null },
        keyAllowlist: { inForce: size > 0, size },
        sensitive,
        requiresApproval,
        quarantine: {
          active: quarantine.active,
          action: quarantines.stateOf(tool).action,
          reason: quarantine.reason,
          until: quarantine.until,
        },
        mock: null,
        denials,
        errors,
      }
      const findings = findingsOf({
        ...state,
        tornDown: !registry.isLive(client),
        evicted: registry.isEvicted(client),
        addressRefused: !addressPermitted(backend, tool),
        sensitiveSource,
        method: tool.definition.method ?? null,
        healthUrl: backend.healthUrl,
        ownBreaker: backend.guards?.circuitBreaker != null,
        settings,
      })
      return { ...state, findings }
    },
  }
}

function tally(names: readonly (string | null)[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}
