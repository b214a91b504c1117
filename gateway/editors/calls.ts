// A tool of an editor called from the admin side: the same guard stack, the admin as principal. Contract 7.9.
import { PCG_CODES, type PcgCode } from '#pcg-contract'
import { editorBackends, type PcgCallResult } from '../contract/admin/pcg-records.ts'
import { GatewayError } from '../contract/error.ts'
import type { FailureKind } from '../contract/refusal.ts'
import type { Actor } from '../contract/role.ts'
import type { CallToolResult, Failed, Refused } from '../outcome/outcome.ts'
import type { Caller } from '../pipeline/call.ts'
import type { Run } from '../pipeline/run.ts'
import type { By } from '../records/changes.ts'
import type { Backend, Tool } from '../registry/backend.ts'
import type { LiveRegistry } from '../registry/registry.ts'
import { toResult } from '../surfaces/result.ts'
import { startSpan } from '../telemetry/trace.ts'
import type { Editors } from './editors.ts'

type EditorCallsDeps = { readonly editors: Editors; readonly registry: LiveRegistry; readonly run: Run }
export type EditorCall = {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly confirm: boolean
  readonly approvalId?: number | undefined
  readonly batchId?: string | undefined
  readonly label?: string | undefined
}
export type EditorCalls = ReturnType<typeof createEditorCalls>

/** No key's scope limits an administrator; step-up is required of all but the keys of the environment. */
const callerOf = ({ name, kind, teamId, role }: Actor): Caller => ({
  name,
  kind: 'admin',
  keyHash: null,
  keyId: null,
  elevated: kind === 'bearer' || kind === 'disabled',
  consumerId: null,
  teamId,
  adminRole: role,
  bundles: null,
  mayReach: () => true,
  person: null,
  namesPeople: false,
  onEnd: null,
})

function codeOf(kind: FailureKind, shown: unknown): PcgCode {
  const known = PCG_CODES.find((code) => code === shown)
  if (known) return known
  switch (kind) {
    case 'invalid_arguments':
      return 'INVALID_ARGUMENT'
    case 'editor_busy':
      return 'EDITOR_BUSY'
    case 'editor_unavailable':
    case 'timeout':
    case 'network':
      return 'EDITOR_UNAVAILABLE'
    case 'upstream_status':
    case 'upstream_error':
    case 'response_too_large':
    case 'bad_response':
    case 'cancelled':
    case 'script_error':
    case 'internal':
      return 'EDITOR_ERROR'
  }
}

/** The tool's own fields; per-tool shaping may have left text that is no object any more. */
function objectOf({ structuredContent, content }: CallToolResult): Record<string, unknown> {
  if (structuredContent) return structuredContent
  const text = content.find(({ type }) => type === 'text')?.['text']
  try {
    const value: unknown = JSON.parse(typeof text === 'string' ? text : '')
    // An object by the test.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Shown as it is.
  }
  return { text }
}

export function createEditorCalls({ editors, registry, run }: EditorCallsDeps) {
  function find(name: string, tool: string): { readonly backend: Backend; readonly tool: Tool } | undefined {
    for (const backend of editorBackends(name).map((each) => registry.known(each))) {
      const found = backend?.tools.get(tool)
      if (backend?.kind === 'pcg' && found?.missingSince === null) return { backend, tool: found }
    }
    return undefined
  }

  function failed({ failure, text, details }: Failed): { code: PcgCode; message: string } {
    const code = codeOf(failure, details?.['code'])
    if (failure === 'editor_busy') throw new GatewayError('EDITOR_BUSY', text)
    if (failure === 'editor_unavailable') throw new GatewayError('EDITOR_UNAVAILABLE', text)
    return { code, message: text }
  }

  return {
    async call(
      { actor, requestId }: By,
      name: string,
      { tool, args, confirm, approvalId, batchId, label }: EditorCall,
      onCancel: (cancel: () => void) => void,
    ): Promise<PcgCallResult> {
      await editors.live(actor, name)
      const found = find(name, tool)
      if (!found) throw new GatewayError('TOOL_NOT_FOUND', 'The editor has no such tool')
      let changeId: number | null = null
      const { outcome, durationMs, attempts } = await run({
        requestId,
        span: startSpan(null),
        surface: 'admin',
        bundle: null,
        sessionHash: null,
        caller: callerOf(actor),
        calledAs: tool,
        ...found,
        args,
        reserved: { confirm, approvalId: approvalId ?? null, endUser: null },
        requestBytes: Buffer.byteLength(JSON.stringify(args)),
        meta: undefined,
        edit: {
          batchId: batchId ?? null,
          label: label ?? null,
          onChange: ({ id }) => {
            changeId = id
          },
        },
        onCancel,
        onProgress: undefined,
      })
      const facts = { requestId, durationMs: Math.round(durationMs), changeId }
      const nothing = { ok: false, result: null, error: null, refusal: null }
      switch (outcome.kind) {
        case 'ok':
          return { ...facts, ...nothing, ok: true, result: objectOf(outcome.result) }
        case 'failed':
          return { ...facts, ...nothing, error: failed(outcome) }
        case 'refused':
          return {
            ...facts,
            ...nothing,
            refusal: refusalOf(outcome, { requestId, calledAs: tool, durationMs, attempts }),
          }
      }
    },
  }
}

type ResultContext = Parameters<typeof toResult>[1]

/** As an agent would get it, with its sentence. */
function refusalOf(outcome: Refused, facts: ResultContext): NonNullable<PcgCallResult['refusal']> {
  const { structuredContent } = toResult(outcome, facts)
  // What toResult makes of a refusal is a Refusal.
  return { ...(structuredContent as NonNullable<PcgCallResult['refusal']>), message: outcome.text }
}
