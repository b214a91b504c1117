// How much text an answer may hold: more is cut, summed up by a model, or kept for questions. The last that is done to an answer. Contract 8.11.

import type { KeptBudget } from '../../contract/admin/shaping-features.ts'
import { RESULT_TOOL } from '../../contract/names.ts'
import { failed } from '../../outcome/failed.ts'
import { resultLink } from '../../outcome/kept/link.ts'
import type { CallToolResult, Succeeded } from '../../outcome/outcome.ts'
import { endMark, type Scan } from '../../outcome/scan.ts'
import { textJson, withContent, writtenOf } from '../../outcome/written.ts'
import type { Tool } from '../../registry/backend.ts'
import { byteCount } from '../../text/amounts.ts'
import { cutToBytes } from '../../text/foreign-text.ts'
import type { SurfaceKind, ToolCall } from '../call.ts'
import { type KeptFor, type KeptResults, ownerOf } from './kept-results.ts'
import type { Layer, NoteLayer } from './layer.ts'
import type { Summarize } from './summarize.ts'

type Block = CallToolResult['content'][number]

const textOf = ({ type, text }: Block): string | undefined =>
  type === 'text' && typeof text === 'string' ? text : undefined
const marker = (kept: number, total: number): string => `\n[truncated by gateway: ${kept} of ${total} bytes]`

/** Of all texts together; undefined when they fit. */
function tooMuch(result: CallToolResult, mostBytes: number): number | undefined {
  let total = 0
  const known = writtenOf(result)?.texts
  if (known) for (const { bytes } of known) total += bytes
  else for (const block of result.content) total += Buffer.byteLength(textOf(block) ?? '')
  return total > mostBytes ? total : undefined
}

/** Texts in their order until there is no room for more; undefined when there is room for all. */
export function truncated(result: CallToolResult, mostBytes: number): CallToolResult | undefined {
  const total = tooMuch(result, mostBytes)
  if (total === undefined) return undefined
  const room = mostBytes - Buffer.byteLength(marker(total, total))
  const content: Block[] = []
  let kept = 0
  let isFull = false
  for (const block of result.content) {
    const text = textOf(block)
    if (text === undefined) content.push(block)
    else if (!isFull) {
      const bytes = Buffer.byteLength(text)
      isFull = kept + bytes > room
      if (!isFull) content.push(block)
      else {
        // What stands between markers goes on standing between them.
        const end = endMark(text)
        const start = cutToBytes(text, Math.max(0, room - kept - Buffer.byteLength(end)))
        content.push({ ...block, text: `${start}${end}${marker(kept + Buffer.byteLength(start), total)}` })
      }
      if (!isFull) kept += bytes
    }
  }
  return withContent(result, content)
}

type Needs = {
  readonly summarize: Summarize
  /** Monotonic. */
  readonly monotonic: () => number
}
/** Undefined when the tool has none, or keeps its answers (`keptOutcome`). The answer of a model is checked like that of the backend. */
export type BudgetOf = (tool: Pick<Tool, 'config'>, scan: Scan | undefined) => Layer | undefined

export const createBudgets =
  (needs: Needs): BudgetOf =>
  ({ config: { contextBudget: budget } }, scan) => {
    return budget === undefined || budget.mode === 'handle' ? undefined : contextBudget(budget, scan, needs)
  }

const cutOutcome = (outcome: Succeeded, mostBytes: number): Succeeded => {
  const result = truncated(outcome.result, mostBytes)
  return result ? { ...outcome, result, from: { ...outcome.from, truncated: true } } : outcome
}

/** The surfaces whose clients can query a kept result. A step of a composite needs the whole answer, and it stays inside. */
const ASKING: ReadonlySet<SurfaceKind> = new Set(['shard', 'bundle'])

/** From which size the answer of a call is kept: of the tool, or of a budget that counts the call. A tool that has them cut or summed up decides alone. */
export function keptBudget(
  { tool, relayed }: Pick<ToolCall, 'tool' | 'relayed'>,
  above: number | undefined,
): Pick<KeptBudget, 'maxResponseBytes' | 'beginning'> | undefined {
  const { contextBudget: own } = tool.config
  if (own !== undefined && own.mode !== 'handle') return undefined
  if (relayed || above === undefined) return relayed ? undefined : own
  return { ...own, maxResponseBytes: Math.min(above, own?.maxResponseBytes ?? above) }
}

/** What a caller of a large answer receives: its outline and a handle to ask about the rest, or its beginning where nothing can be kept. Outside of all layers: what others share or cache is whole. */
export async function keptOutcome(
  outcome: Succeeded,
  call: ToolCall,
  { maxResponseBytes: most, beginning = true }: Pick<KeptBudget, 'maxResponseBytes' | 'beginning'>,
  { keep, note }: { readonly keep: KeptResults['keep']; readonly note: NoteLayer },
): Promise<Succeeded> {
  if (call.rehearsed || call.step !== undefined || tooMuch(outcome.result, most) === undefined) return outcome
  // Text that addresses models stays between its markers.
  const asks = ASKING.has(call.surface) && outcome.flagged !== true
  const of = { client: call.backend.name, tool: call.tool.name }
  const kept = asks ? await keep(outcome.result, ownerOf(call), most, of) : undefined
  if (kept === undefined) {
    note('hit', `cut to ${byteCount(most)}`)
    return cutOutcome(outcome, most)
  }
  note('hit', `kept, ${byteCount(kept.bytes)}`)
  const others = outcome.result.content.filter((block) => textOf(block) === undefined)
  return {
    ...outcome,
    result: withContent(outcome.result, [
      { type: 'text', text: keptText(kept, most, beginning) },
      ...(call.takesLinks === true ? [resultLink(kept)] : []),
      ...others,
    ]),
  }
}

/** What the caller reads instead of it: how to ask, what it holds, and as much of its beginning as there is room for. */
export function keptText(
  { handle, bytes, expiresMs, outline, begins }: KeptFor,
  mostBytes: number,
  isBegun: boolean,
): string {
  const until = new Date(expiresMs).toISOString().replace(/:\d\d\.\d+Z$/, 'Z')
  const head = `[kept by gateway: ${byteCount(bytes)} as ${handle} until ${until}. Ask ${RESULT_TOOL} for parts of it]`
  const room = Math.max(0, mostBytes - Buffer.byteLength(head) - 24)
  const holds = cutToBytes(outline, isBegun ? Math.floor(room / 2) : room)
  if (!isBegun) return `${head}\nholds: ${holds}`
  const start = cutToBytes(begins, room - Buffer.byteLength(holds))
  return `${head}\nholds: ${holds}\nbegins: ${start}`
}

function contextBudget(budget: KeptBudget, scan: Scan | undefined, { summarize, monotonic }: Needs): Layer {
  const { mode, maxResponseBytes: most, llm } = budget

  const cut = (outcome: Succeeded): Succeeded => cutOutcome(outcome, most)

  async function summed(outcome: Succeeded, call: ToolCall, model: NonNullable<typeof llm>) {
    const { result } = outcome
    // Texts that another thread wrote are passed on as it wrote them: reading megabytes takes a long turn.
    const json = textJson(result)
    const content = json ? [] : result.content
    const text = json ?? content.flatMap((block) => textOf(block) ?? []).join('\n')
    const summary = await summarize(model, { call, text, mostBytes: most })
    if (summary === 'cancelled') return failed('cancelled', 'Cancelled', false)
    // Without a model the rest is better than nothing, and next time there may be one.
    if (summary === undefined) return { ...cut(outcome), fleeting: true } as const
    const others = content.filter((block) => textOf(block) === undefined)
    const message: Succeeded = {
      ...outcome,
      result: withContent(result, [{ type: 'text', ...summary }, ...others]),
    }
    const after = scan ? await scan(message, monotonic) : message
    return after.kind === 'ok' ? cut(after) : after
  }

  return {
    stage: 'shape',
    async answer(call, next, note) {
      const outcome = await next()
      if (outcome.kind !== 'ok' || call.rehearsed || tooMuch(outcome.result, most) === undefined) return outcome
      // A model would read text that addresses models, and repeat it in unmarked words.
      const isSummed = mode === 'llm_summarize' && llm !== undefined && outcome.flagged !== true
      const after = isSummed ? await summed(outcome, call, llm) : cut(outcome)
      const isCut = after.kind === 'ok' && after.from?.truncated === true
      note('hit', isCut ? `cut to ${byteCount(most)}` : `summed up to ${byteCount(most)}`)
      return after
    },
  }
}
