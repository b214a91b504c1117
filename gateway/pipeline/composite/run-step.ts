// A call that a composite makes, by a step or by its script: a call of its own through the whole guard stack, as the caller.
import type { Outcome } from '../../outcome/outcome.ts'
import type { LiveRegistry } from '../../registry/registry.ts'
import { startSpan } from '../../telemetry/trace.ts'
import type { UnknownCall } from '../8-audit/unknown.ts'
import type { ToolCall } from '../call.ts'
import type { Run } from '../run.ts'
import type { CompositeCall } from './run-composite.ts'

type Step = {
  readonly client: string
  readonly tool: string
  /** Its position among the calls of the composite. */
  readonly at: number
  readonly approvalId: number | null
}
export type RunStep = (
  call: CompositeCall,
  step: Step,
  args: Readonly<Record<string, unknown>>,
  onCancel: ToolCall['onCancel'],
) => Promise<Outcome>

type Parts = {
  readonly run: Run
  readonly registry: Pick<LiveRegistry, 'known'>
  /** Leaves the row of a call whose tool is gone. */
  readonly noteUnknown: (call: UnknownCall) => Promise<void>
}

export const createRunStep =
  ({ run, registry, noteUnknown }: Parts): RunStep =>
  async (call, { client, tool: name, at, approvalId }, args, onCancel) => {
    const { requestId, bundle, sessionHash, program, caller, reserved, span } = call
    const backend = registry.known(client)
    const tool = backend?.tools.get(name)
    const calledAs = `${client}__${name}`
    const common = {
      requestId,
      span: startSpan(span),
      step: at,
      surface: 'composite',
      bundle,
      sessionHash,
      program,
      caller,
      calledAs,
      requestBytes: Buffer.byteLength(JSON.stringify(args)),
    } as const
    if (backend === undefined || tool === undefined || tool.missingSince !== null) {
      await noteUnknown({ ...common, code: 'unknown_tool', client: backend ? client : null })
      return { kind: 'refused', code: 'unknown_tool', text: `Unknown tool: ${calledAs}` }
    }
    const { outcome } = await run({
      ...common,
      backend,
      tool,
      args,
      reserved: { ...reserved, approvalId },
      meta: undefined,
      onCancel,
      onProgress: undefined,
    })
    return outcome
  }
