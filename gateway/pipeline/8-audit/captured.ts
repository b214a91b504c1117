// Which calls are captured, and the row each leaves. Contract 8.6, 10.12.
import type { Insertable } from 'kysely'
import type { Capture } from '../../contract/admin/tool-features.ts'
import type { Outcome } from '../../outcome/outcome.ts'
import { argumentRedaction } from '../../registry/argument-redaction.ts'
import type { Tool } from '../../registry/backend.ts'
import type { Schema } from '../../storage/schema.ts'
import { type Redaction, redaction } from '../../text/redact.ts'
import { withoutSecrets } from '../../text/secret-shapes.ts'
import type { Origin } from '../4-answers/kept-results.ts'
import type { Ended } from './ended.ts'
import { type KeptArguments, keptArguments } from './kept-arguments.ts'
import { type Preview, previewOf } from './preview.ts'

export type TrafficInsert = Omit<Insertable<Schema['traffic']>, 'id'>

type Rule = {
  readonly args: Capture['args']
  readonly preview: boolean
  readonly maxBodyBytes: number
  readonly redact: Redaction | undefined
}
type Parts = {
  readonly settings: { readonly TRAFFIC_CAPTURE: boolean; readonly TRAFFIC_MAX_BODY_BYTES: number }
  readonly toolOf: (client: string, tool: string) => Pick<Tool, 'config'> | undefined
  readonly teamOf: (client: string) => number | null
}
export type Capturing = ReturnType<typeof createCapturing>
type Content = Parameters<typeof previewOf>[0]

const NO_ARGUMENTS: KeptArguments = { json: null, redacted: false }
const NAME_MOST = 256

export function createCapturing({ settings, toolOf, teamOf }: Parts) {
  const always: Rule = {
    args: 'redacted',
    preview: true,
    maxBodyBytes: settings.TRAFFIC_MAX_BODY_BYTES,
    redact: undefined,
  }

  const isCaptured = ({ config }: Pick<Tool, 'config'>): boolean => config.capture?.enabled ?? settings.TRAFFIC_CAPTURE

  const ofTool = ({ config: { capture, redactPaths } }: Pick<Tool, 'config'>): Rule => ({
    args: capture?.args ?? always.args,
    preview: capture?.preview ?? always.preview,
    maxBodyBytes: capture?.maxBodyBytes ?? always.maxBodyBytes,
    redact: redaction(redactPaths),
  })

  const toolsOf = (steps: readonly { readonly targetClient: string; readonly targetTool: string }[]) =>
    steps.flatMap(({ targetClient, targetTool }) => toolOf(targetClient, targetTool) ?? [])

  /** What goes through a composite, or past the tools of a backend, is kept as the strictest of them says; no path of theirs finds anything in it. */
  function strictest(tools: readonly Pick<Tool, 'config'>[]): Rule | undefined {
    if (!settings.TRAFFIC_CAPTURE || !tools.every(isCaptured)) return undefined
    const rules = tools.map(ofTool)
    const hides = rules.some(({ args, redact }) => args === 'none' || redact !== undefined)
    return {
      args: hides ? 'none' : 'redacted',
      preview: rules.every(({ preview }) => preview),
      maxBodyBytes: Math.min(always.maxBodyBytes, ...rules.map(({ maxBodyBytes }) => maxBodyBytes)),
      redact: undefined,
    }
  }

  /** Steps redact their own answers; a relayed one is as the upstream sent it. */
  function unredacted(tools: readonly Tool[]): Rule | undefined {
    const present = tools.filter(({ missingSince }) => missingSince === null)
    const rule = strictest(present)
    const redacts = present.some(({ config }) => redaction(config.redactPaths) !== undefined)
    return rule && redacts ? { ...rule, preview: false } : rule
  }

  /** As the tool says whose answer it is. The answer was redacted before it was stored; what the question names was not. */
  function ofResult(origin: Origin | undefined): Rule | undefined {
    if (origin === undefined) return settings.TRAFFIC_CAPTURE ? { ...always, preview: false } : undefined
    const tool = origin.client === null ? undefined : toolOf(origin.client, origin.tool ?? '')
    return tool ? strictest([tool]) : settings.TRAFFIC_CAPTURE ? { ...always, args: 'none', preview: false } : undefined
  }

  return {
    /** Undefined when nothing of it is kept. Asked while its answer waits. */
    ruleOf(ended: Ended): Rule | undefined {
      switch (ended.of) {
        case 'tool':
          // The call of a monitor is always kept.
          return ended.call.surface === 'monitor' || isCaptured(ended.call.tool) ? ofTool(ended.call.tool) : undefined
        case 'composite':
          return strictest(toolsOf(ended.call.composite.steps))
        case 'result':
          return ofResult(ended.origin)
        case 'relayed':
          return unredacted([...ended.call.backend.tools.values()])
        case 'unknown':
          return settings.TRAFFIC_CAPTURE ? always : undefined
      }
    },

    rowOf(ended: Ended, rule: Rule): TrafficInsert {
      const { row } = ended
      const { text, truncated } = previewOf(contentOf(ended), rule.maxBodyBytes, rule.redact)
      const redact = ended.of === 'tool' ? argumentRedaction(ended.call.tool) : rule.redact
      const args = ended.of === 'unknown' ? NO_ARGUMENTS : keptArguments(ended.call.args, rule.args, redact)
      return {
        request_id: row.request_id,
        at_ms: row.at_ms,
        team_id: teamIn(ended),
        principal: row.principal,
        key_id: row.key_id ?? null,
        client: row.client ?? null,
        tool: row.tool === '' ? null : row.tool,
        // An unknown name may hold anything.
        called_as: withoutSecrets(row.called_as).slice(0, NAME_MOST),
        args: args.json,
        args_redacted: args.redacted ? 1 : 0,
        preview: rule.preview ? text : null,
        preview_truncated: rule.preview && truncated ? 1 : 0,
        is_error: ended.of === 'unknown' || isError(ended.outcome) ? 1 : 0,
        outcome: row.outcome,
        deny_code: row.deny_code ?? null,
        gate: row.gate ?? null,
        failure_kind: row.failure_kind ?? null,
        duration_ms: row.duration_ms,
        trace_id: row.trace_id ?? null,
      }
    },

    /** How an answer of this tool would be previewed; undefined where that is not kept. */
    previewed(tool: Pick<Tool, 'config'>, content: Content): Preview | undefined {
      const { preview, maxBodyBytes, redact } = ofTool(tool)
      return preview ? previewOf(content, maxBodyBytes, redact) : undefined
    },
  }

  function teamIn(ended: Ended): number | null {
    switch (ended.of) {
      case 'tool':
      case 'relayed':
        return ended.call.backend.teamId
      case 'composite':
        return ended.call.composite.teamId
      case 'result':
        return ended.origin?.client ? teamOf(ended.origin.client) : ended.call.caller.teamId
      case 'unknown':
        return ended.call.client === null ? null : teamOf(ended.call.client)
    }
  }
}

const isError = (outcome: Outcome): boolean => outcome.kind !== 'ok' || outcome.result.isError === true

function contentOf(ended: Ended): Content {
  if (ended.of === 'unknown')
    return ended.call.code === 'unknown_tool' ? [{ type: 'text', text: `Unknown tool: ${ended.call.calledAs}` }] : []
  const { outcome } = ended
  switch (outcome.kind) {
    case 'ok':
      return outcome.result.content
    case 'failed':
      return outcome.result?.content ?? [{ type: 'text', text: outcome.text }]
    case 'refused':
      return [{ type: 'text', text: outcome.text }]
  }
}
