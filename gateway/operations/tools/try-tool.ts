// The tool runner: one call through the whole guard stack, as an administrator or on behalf of a key, with every stage reported. Contract 7.3.

import type { GuardsDraft } from '../../contract/admin/tool-guards.ts'
import { TEST_STAGES, type TestResult } from '../../contract/admin/tool-test.ts'
import { GatewayError } from '../../contract/error.ts'
import { REFUSAL_GATE } from '../../contract/refusal.ts'
import { type Actor, mayTouch } from '../../contract/role.ts'
import { excerpted } from '../../outcome/excerpt.ts'
import type { Refused } from '../../outcome/outcome.ts'
import { argumentsWithoutReserved, reservedOf } from '../../pipeline/0-admission/reserved.ts'
import { outcomeLabel } from '../../pipeline/8-audit/count.ts'
import type { Caller } from '../../pipeline/call.ts'
import type { Ran, Run, StageTrace } from '../../pipeline/run.ts'
import type { Base } from '../../records/base.ts'
import type { By } from '../../records/changes.ts'
import type { Tool } from '../../registry/backend.ts'
import type { Curated } from '../../registry/curated.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { toResult } from '../../surfaces/result.ts'
import { startSpan } from '../../telemetry/trace.ts'
import { adminCaller } from './admin-caller.ts'
import { patched } from './tool-config.ts'
import { type FoundTool, requireTool } from './tools.ts'

type TryToolDeps = Pick<Base, 'changes'> & {
  readonly registry: Pick<LiveRegistry, 'known'>
  readonly curated: Pick<Curated, 'bundle'>
  readonly run: Run
  /** The holder of a key that this actor may see; undefined when the key is invalid. */
  readonly callerOfKey: (actor: Actor, keyId: number) => Promise<Caller | undefined>
}
export type Trying = {
  readonly args: Readonly<Record<string, unknown>>
  readonly keyId?: number | undefined
  readonly bundle?: string | undefined
  readonly dryRun: boolean
  /** In place of what guards the tool; only in a dry run. */
  readonly draft?: GuardsDraft | undefined
  /** False: a sensitive tool requires a confirmation of every caller. */
  readonly elevated?: false
}
export type TryTool = ReturnType<typeof createTryTool>
type Pipeline = TestResult['pipeline']

const unknown = (calledAs: string): Refused => ({
  kind: 'refused',
  code: 'unknown_tool',
  text: `Unknown tool: ${calledAs}`,
})
const elsewhere: Refused = {
  kind: 'refused',
  code: 'key_scope',
  text: 'This key belongs to another surface; use the one it was made for.',
}

export function createTryTool({ changes, registry, curated, run, callerOfKey }: TryToolDeps) {
  async function callerFor(actor: Actor, keyId: number | undefined): Promise<Caller> {
    if (keyId === undefined) return adminCaller(actor, registry)
    const caller = await callerOfKey(actor, keyId)
    if (caller === undefined) throw new GatewayError('MCP_KEY_NOT_FOUND', 'This key is not valid now')
    return caller
  }

  /** What the surface itself would have answered before any guard was asked. */
  function unresolved(actor: Actor, { backend, tool }: FoundTool, caller: Caller, bundle: string | undefined) {
    const calledAs = `${backend.name}__${tool.name}`
    if (caller.bundles !== null && (bundle === undefined || !caller.bundles.has(bundle))) return elsewhere
    if (tool.missingSince !== null) return unknown(calledAs)
    if (bundle === undefined) return undefined
    const found = curated.bundle(bundle)
    if (found === undefined || !mayTouch(actor, found)) throw new GatewayError('BUNDLE_NOT_FOUND', 'Bundle not found')
    const isMember = found.tools.some((member) => member.client === backend.name && member.tool === tool.name)
    return found.enabled && isMember ? undefined : unknown(calledAs)
  }

  /** The caller records that it was done. */
  async function attempt(
    by: By,
    client: string,
    name: string,
    { args, keyId, bundle, dryRun, draft, elevated }: Trying,
  ): Promise<TestResult> {
    const found = requireTool(registry, by.actor, client, name)
    const known = await callerFor(by.actor, keyId)
    const caller = elevated === false ? { ...known, elevated } : known
    const refused = unresolved(by.actor, found, caller, bundle)
    const { backend } = found
    const tool = draft === undefined ? found.tool : drafted(found, draft)
    const calledAs = `${backend.name}__${tool.name}`
    const stages: StageTrace[] = []
    const ran: Ran = refused
      ? { outcome: refused, durationMs: 0, attempts: 0 }
      : await run(
          {
            requestId: by.requestId,
            span: startSpan(null),
            surface: 'admin',
            bundle: bundle ?? null,
            sessionHash: null,
            caller,
            ...(keyId !== undefined && { actor: by.actor.name }),
            calledAs,
            backend,
            tool,
            args: argumentsWithoutReserved(args),
            reserved: reservedOf(args, null),
            requestBytes: Buffer.byteLength(JSON.stringify(args)),
            meta: undefined,
            onCancel: () => undefined,
            onProgress: undefined,
          },
          { dryRun: dryRun || draft !== undefined, onStage: (stage) => stages.push(stage) },
        )
    const { outcome, durationMs, attempts } = ran
    const code = outcome.kind === 'refused' ? outcome.code : null
    const { content, ...result } = toResult(await excerpted(outcome), {
      requestId: by.requestId,
      calledAs,
      durationMs,
      attempts,
    })
    return {
      result: { ...result, content: content.map((block) => ({ ...block })) },
      outcome: outcomeLabel(outcome),
      code,
      gate: code === null ? null : REFUSAL_GATE[code],
      failureKind: outcome.kind === 'failed' ? outcome.failure : null,
      durationMs,
      requestId: by.requestId,
      pipeline: pipelineOf(stages, refused !== undefined, dryRun),
    }
  }

  return {
    attempt,

    async test(by: By, client: string, name: string, trying: Trying): Promise<TestResult> {
      const { backend, tool } = requireTool(registry, by.actor, client, name)
      const tried = await attempt(by, client, name, trying)
      const { keyId, bundle, dryRun, draft } = trying
      await changes(by, (_tx, audit) =>
        audit('tool.test', `${backend.name}__${tool.name}`, {
          dryRun,
          keyId: keyId ?? null,
          bundle: bundle ?? null,
          ...(draft && { draft: Object.keys(draft) }),
          outcome: tried.outcome,
          code: tried.code,
        }),
      )
      return tried
    },
  }
}

/** The tool as it would be: its chain is made of this very configuration, and of nothing that is kept of the other. */
function drafted({ backend, tool }: FoundTool, draft: GuardsDraft): Tool {
  const config = patched(tool.config, draft, { kind: backend.kind, definition: () => tool.definition })
  return { ...tool, config }
}

const SCANNED = {
  pass: 'scanned for instructions to the model',
  hit: 'instructions to the model were found; the answer is marked as untrusted',
}

/** Every stage of the contract, in its order: those that were passed with their time, the others as skipped. */
function pipelineOf(stages: readonly StageTrace[], unresolved: boolean, dryRun: boolean): Pipeline {
  const dispatched = stages.some(({ stage }) => stage === 'dispatch')
  // A backend that is not called as people has no such stage.
  const shown = TEST_STAGES.filter((stage) => stage !== 'identity' || stages.some((each) => each.stage === stage))
  return shown.map((stage) => {
    if (stage === 'resolve') return { stage, outcome: unresolved ? 'refuse' : 'pass', durationMs: 0 }
    if (stage === 'audit' && !dryRun && !unresolved) return { stage, outcome: 'pass', durationMs: 0 }
    const noted = stages.filter((each) => each.stage === stage)
    const [first] = noted
    if (stage === 'shape' && dispatched && first === undefined)
      return { stage, outcome: 'pass', durationMs: 0, note: 'timed with the dispatch' }
    if (first === undefined) return { stage, outcome: 'skip', durationMs: 0 }
    const worst = noted.find(({ outcome }) => outcome !== 'pass') ?? first
    const durationMs = noted.reduce((sum, each) => sum + each.durationMs, 0)
    const message = { stage, outcome: worst.outcome, durationMs }
    if (stage !== 'shape') return message
    return {
      ...message,
      note: noted.map(({ outcome, words }) => words ?? SCANNED[outcome === 'hit' ? 'hit' : 'pass']).join('; '),
    }
  })
}
