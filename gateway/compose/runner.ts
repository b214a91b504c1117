// How a call runs: breakers, targets, the dispatch to its backend, and composites of several calls.
import { createAdmitAgain } from '../pipeline/0-admission/again.ts'
import { type Breakers, createBreakers } from '../pipeline/5-breaker/breakers.ts'
import { createTargets, type Targets } from '../pipeline/6-targets/index.ts'
import { createDispatch } from '../pipeline/7-dispatch/index.ts'
import { createMcpSender } from '../pipeline/7-dispatch/mcp/index.ts'
import { createUnknownNote } from '../pipeline/8-audit/unknown.ts'
import { createCompositeNote } from '../pipeline/composite/note.ts'
import { createRunComposite, type RunComposite } from '../pipeline/composite/run-composite.ts'
import { createRunStep } from '../pipeline/composite/run-step.ts'
import { createRun, type Run } from '../pipeline/run.ts'
import { createRunResult, type RunResult } from '../pipeline/run-result.ts'
import { createRunScript } from '../pipeline/script/run-script.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { acquireLease, type Lease, releaseLease } from '../storage/lease.ts'
import { resolvedArguments } from '../surfaces/result-references.ts'
import type { Upstreams } from '../upstream/index.ts'
import type { CallPolicy } from './call-policy.ts'
import type { CallRecords } from './call-records.ts'
import type { Foundation } from './foundation.ts'

type RunnerDeps = {
  readonly registry: LiveRegistry
  readonly policy: Pick<CallPolicy, 'quota' | 'budgets' | 'chainOf' | 'keptResults'>
  readonly records: CallRecords
  readonly connections: Upstreams['connections']
}
export type Runner = {
  readonly breakers: Breakers
  readonly targets: Targets
  readonly run: Run
  readonly runComposite: RunComposite
  readonly runResult: RunResult
  readonly noteUnknown: ReturnType<typeof createUnknownNote>
}

export function createRunner(base: Foundation, { registry, policy, records, connections }: RunnerDeps): Runner {
  const { settings, metrics, clock, monotonic, events, peers } = base
  const { quota, budgets, chainOf, keptResults } = policy
  const { callLog, audit, traced, onEnd } = records
  const probes = probesOf(base)
  const breakers = createBreakers({
    ...base,
    onTransition(client, from, to, followed) {
      metrics.inc('mcp_breaker_state_transitions_total', { client, from_state: from, to_state: to })
      events.emit('clients', 'breaker', { client, from, to }, registry.known(client)?.teamId ?? null)
      if (followed || to === 'half_open') return
      probes.end(client)
      peers.send('breaker', { client, state: to })
    },
  })
  peers.on('breaker', ({ client, state }) => {
    const backend = registry.known(client)
    if (backend) breakers.of(backend).follow(state)
  })
  const admitAgain = createAdmitAgain(registry, chainOf)
  const targets = createTargets(base)
  const dispatch = createDispatch({
    ...base,
    registry,
    sendMcp: createMcpSender({ connections, settings, traced }),
    admitAgain,
    targets,
    traced,
  })
  const noted = {
    callLog,
    audit: settings.AUDIT_TOOL_CALLS === 'off' ? undefined : audit,
    monotonic,
    clock,
    onEnd,
  }
  const run = createRun({
    ...base,
    chainOf,
    admitAgain,
    quota,
    budgets,
    keep: keptResults.keep,
    breakers,
    dispatch,
    targets,
    claimProbe: settings.REGISTRY_SYNC ? probes.claim : undefined,
    traced,
    ...noted,
  })
  const runResult = createRunResult({ ...base, ...noted, budgets })
  const noteUnknown = createUnknownNote({ ...base, callLog, audit, onEnd })
  const runStep = createRunStep({ run, registry, noteUnknown })
  const runComposite = createRunComposite({
    ...base,
    runStep,
    registry,
    runScript: createRunScript({
      ...base,
      runStep,
      resolved: (owner, args) => resolvedArguments(keptResults, owner, args, settings.MAX_JSON_DEPTH),
      keep: keptResults.keep,
    }),
    noteComposite: createCompositeNote({ ...base, callLog, onEnd }),
  })
  return { breakers, targets, run, runComposite, runResult, noteUnknown }
}

/** Of the instances of a database one probes a backend at a time. */
function probesOf({ database, instanceId, leaseClock, log, peers }: Foundation) {
  const held = new Map<string, Lease>()
  return {
    async claim(client: string, durationMs: number): Promise<boolean> {
      if (!peers.active()) return true
      try {
        const wanted = { name: `probe ${client}`, holder: instanceId, durationMs }
        const lease = await acquireLease(database, wanted, leaseClock.now())
        if (lease) held.set(client, lease)
        return lease !== undefined
      } catch (error) {
        log.warn('a probe of a backend could not be agreed on', { client, error })
        return true
      }
    },
    /** Reports the result of the probe to the other instances. */
    end(client: string): void {
      const lease = held.get(client)
      if (!lease) return
      held.delete(client)
      releaseLease(database, lease).catch((error: unknown) =>
        log.warn('a probe of a backend ends with its time', { client, error }),
      )
    },
  }
}
