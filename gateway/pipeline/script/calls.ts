// The calls that one run of a script makes: of the tools of its list only, each through the whole guard stack as the caller.
import type { Outcome } from '../../outcome/outcome.ts'
import { argumentsWithoutReserved } from '../0-admission/reserved.ts'
import { type KeptResults, type Owner, ownerOf } from '../4-answers/kept-results.ts'
import { outcomeLabel } from '../8-audit/count.ts'
import type { CompositeCall, CompositeOptions } from '../composite/run-composite.ts'
import type { RunStep } from '../composite/run-step.ts'
import { factsOf, failed } from '../composite/step-result.ts'
import type { Answer, Asked } from './isolates.ts'

type Arguments = Readonly<Record<string, unknown>>
/** An answer in place of a call, in a dry run. */
export type StandIn = (client: string, tool: string, args: Arguments) => Promise<Outcome>
export type Made = { readonly outcome: Outcome; readonly client: string; readonly tool: string }
export type ScriptCallDeps = {
  readonly runStep: RunStep
  /** Arguments with the values that their references to kept results stand for; undefined without a reference. */
  readonly resolved: (
    owner: Owner,
    args: Arguments,
  ) => Promise<{ readonly args: Arguments; readonly problem?: string }> | undefined
  readonly keep: KeptResults['keep']
  /** Monotonic. */
  readonly monotonic: () => number
}

/** What a kept value shows of itself inside the script. */
const KEPT_BYTES = 2_048

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const noTool = (name: string): Answer => ({
  isError: true,
  code: 'unknown_tool',
  tool: name,
  text: `"${name.slice(0, 200)}" is not a tool of this script`,
})

export function createScriptCalls(
  call: CompositeCall,
  { onStep, standIn }: CompositeOptions,
  { runStep, resolved, keep, monotonic }: ScriptCallDeps,
) {
  const { steps } = call.composite
  const targets = new Map(
    steps.map(({ targetClient: client, targetTool: tool }) => [`${client}__${tool}`, { client, tool }]),
  )
  const owner = ownerOf(call)
  const outcomes = new Map<number, Made>()
  const cancels = new Set<() => void>()
  let unrecorded: unknown
  let done = 0
  let flagged = false

  async function made(given: Arguments, target: { client: string; tool: string }, id: number): Promise<Outcome> {
    const found = await resolved(owner, given)
    if (found?.problem !== undefined) return failed('invalid_arguments', `Invalid arguments: ${found.problem}`)
    const args = argumentsWithoutReserved(found?.args ?? given)
    if (standIn) return standIn(target.client, target.tool, args)
    let cancel: (() => void) | undefined
    try {
      return await runStep(call, { ...target, at: id - 1, approvalId: call.reserved.approvalId }, args, (how) => {
        cancel = how
        cancels.add(how)
      })
    } finally {
      if (cancel) cancels.delete(cancel)
    }
  }

  async function called({ id, tool: name, value: args }: Asked): Promise<Answer> {
    const target = targets.get(name)
    if (target === undefined) return noTool(name)
    const since = monotonic()
    const outcome = isObject(args)
      ? await made(args, target, id)
      : failed('invalid_arguments', 'Invalid arguments: they must be an object')
    const facts = factsOf(outcome)
    outcomes.set(id, { outcome, ...target })
    flagged ||= outcome.kind !== 'refused' && outcome.flagged === true
    onStep?.({
      index: id - 1,
      ...target,
      args: isObject(args) ? args : {},
      outcome: outcomeLabel(outcome),
      durationMs: Math.round(monotonic() - since),
      text: facts.text,
    })
    done += 1
    call.onProgress?.(done, undefined, name)
    const code = outcome.kind === 'refused' ? outcome.code : outcome.kind === 'failed' ? outcome.failure : undefined
    const { isError, text } = facts
    // The isolate parses the text, which is the JSON of nearly every answer.
    const isText = outcome.kind === 'refused' || outcome.result?.structuredContent === undefined
    return { isError, text, tool: name, code, ...(!isText && { json: facts.json() }) }
  }

  return {
    outcomes,
    isFlagged: () => flagged,
    unrecorded: () => unrecorded,
    cancel: () => {
      for (const stop of cancels) stop()
    },
    async answer(asked: Asked): Promise<Answer> {
      try {
        return await (asked.what === 'keep' ? kept(asked, owner, keep, call.composite.name) : called(asked))
      } catch (error) {
        unrecorded ??= error
        return { isError: true, code: 'internal', tool: asked.tool, text: 'Internal error' }
      }
    },
  }
}

async function kept({ value }: Asked, owner: Owner, keep: KeptResults['keep'], tool: string): Promise<Answer> {
  const content = [{ type: 'text', text: JSON.stringify(value) }]
  const made = await keep({ content }, owner, KEPT_BYTES, { client: null, tool })
  if (made === undefined) return { isError: true, text: 'There is no room to keep this value' }
  const { handle, bytes, outline } = made
  return {
    isError: false,
    text: '',
    json: { $ref: `${handle}#`, handle, bytes, holds: outline.slice(0, KEPT_BYTES) },
  }
}
