// State machine of generation: freshness of the level, and the steps clean, generate, wait, verify. Pure: timed inputs
// give a state and at most one command. One run at a time, the latest wins, the flag `generated` is never proof.
import type { InspectionOutput } from '#pcg-catalog'
import type { GenerationPhase } from '#pcg-contract'
import { t } from '../../language/language.ts'

export type Phase = GenerationPhase | 'unknown' | 'clean' | 'stale' | 'cancelled'

/** The component's state, as read from the editor. */
export type Look = {
  readonly generating: boolean
  readonly generated: boolean
  /** Null if the editor gives no report; staleness is then unknown. */
  readonly state: InspectionOutput<'get_pcg_generation_report'>['state'] | null
  readonly stale: boolean
  /** Points at Output plus spawned instances. */
  readonly amount: number
  readonly error: string | null
  readonly note: string
}

type Run = {
  readonly id: number
  readonly step: 'cleaning' | 'starting' | 'waiting' | 'cancelling'
  /** The number of edits when the run began. */
  readonly edits: number
}
export type Machine = {
  readonly phase: Phase
  readonly message: string
  readonly progress: number | null
  readonly auto: boolean
  readonly restMs: number
  readonly run: Run | null
  /** Changes since the result was last fresh: stale after a generation from an older graph, otherwise dirty. */
  readonly last: 'edit' | 'generation' | 'nothing'
  readonly edits: number
  readonly runs: number
  /** When to generate automatically. */
  readonly dueAt: number | null
  /** When to inspect. */
  readonly lookAt: number | null
  readonly looking: boolean
}
export type Command = { readonly tool: 'clean' | 'generate' | 'cancel' | 'look'; readonly run: number }

export type Input = { readonly at: number } & (
  | { readonly type: 'pressed' | 'cancel' | 'edited' | 'tick' }
  | { readonly type: 'auto'; readonly on: boolean }
  | {
      readonly type: 'event'
      readonly phase: GenerationPhase
      readonly message: string
      readonly progress: number | null
    }
  | { readonly type: 'cleaned' | 'cancelled'; readonly run: number }
  | { readonly type: 'scheduled'; readonly run: number; readonly scheduled: boolean; readonly note: string }
  | { readonly type: 'looked'; readonly look: Look }
  | { readonly type: 'refused'; readonly command: Command; readonly message: string }
)
export type Stepped = { readonly next: Machine; readonly command: Command | null }

/** From an edit to automatic generation: an editor with reports runs small graphs in milliseconds. */
export const REST_MS = { quick: 10, slow: 600 } as const
const POLL_MS = 700
const SETTLE_MS = 40

export const IDLE: Machine = {
  phase: 'unknown',
  message: '',
  progress: null,
  auto: false,
  restMs: REST_MS.slow,
  run: null,
  last: 'generation',
  edits: 0,
  runs: 0,
  dueAt: null,
  lookAt: 0,
  looking: false,
}

export const isRunning = ({ run, phase }: Machine): boolean =>
  run !== null || phase === 'cleaning' || phase === 'scheduled' || phase === 'generating'

/** The next time at which the state changes without input. */
export function wakesAt({ dueAt, lookAt, looking, run }: Machine): number | null {
  const due = run === null || run.step === 'waiting' ? dueAt : null
  const look = looking ? null : lookAt
  return due === null ? look : look === null ? due : Math.min(due, look)
}

export function step(now: Machine, input: Input): Stepped {
  const { at } = input
  switch (input.type) {
    case 'pressed':
      return isRunning(now) ? stay(now) : start(now)
    case 'cancel':
      return isRunning(now) && now.run?.step !== 'cancelling' ? cancel(now) : stay(now)
    case 'auto':
      return stay({
        ...now,
        auto: input.on,
        dueAt: input.on && ['dirty', 'stale', 'clean'].includes(now.phase) ? at + now.restMs : null,
      })
    case 'edited':
      return stay(edited(now, at))
    case 'event':
      return stay(afterEvent(now, input))
    case 'cleaned':
      if (now.run?.id !== input.run || now.run.step !== 'cleaning') return stay(now)
      return { next: { ...now, run: { ...now.run, step: 'starting' } }, command: { tool: 'generate', run: input.run } }
    case 'scheduled':
      return stay(now.run?.id === input.run && now.run.step === 'starting' ? scheduled(now, now.run, input) : now)
    case 'cancelled':
      if (now.run?.id !== input.run) return stay(now)
      return stay({ ...over(now), phase: 'cancelled', message: t('What was being generated was stopped and removed') })
    case 'looked':
      return stay(looked({ ...now, looking: false }, input.look, at))
    case 'refused':
      return stay(refused(now, input.command, input.message))
    case 'tick':
      return tick(now, at)
  }
}

const stay = (next: Machine): Stepped => ({ next, command: null })
const over = (now: Machine): Machine => ({ ...now, run: null, progress: null })

function start(now: Machine): Stepped {
  const id = now.runs + 1
  return {
    next: {
      ...now,
      runs: id,
      run: { id, step: 'cleaning', edits: now.edits },
      phase: 'cleaning',
      message: t('Removing what was generated'),
      progress: null,
      dueAt: null,
      lookAt: null,
    },
    command: { tool: 'clean', run: id },
  }
}

/** Cleaning ends a running generation; a new run number discards its late answers. */
function cancel(now: Machine): Stepped {
  const id = now.runs + 1
  return {
    next: { ...now, runs: id, run: { id, step: 'cancelling', edits: now.edits }, dueAt: null, lookAt: null },
    command: { tool: 'cancel', run: id },
  }
}

function edited(now: Machine, at: number): Machine {
  const known = now.phase !== 'unknown' && now.phase !== 'clean'
  return {
    ...now,
    edits: now.edits + 1,
    last: 'edit',
    ...(now.run === null && known && !isRunning(now) ? { phase: 'dirty' as const, message: t('Edited since') } : {}),
    // The edit may concern another graph or be undone: ask the editor.
    lookAt: now.run === null ? at + SETTLE_MS : now.lookAt,
    // A value that is dragged edits without a pause: the first edit sets the time.
    dueAt: now.auto ? (now.restMs < REST_MS.slow ? (now.dueAt ?? at + now.restMs) : at + now.restMs) : null,
  }
}

function afterEvent(now: Machine, event: Extract<Input, { type: 'event' }>): Machine {
  const { phase, message, progress, at } = event
  if (now.run && now.run.step !== 'waiting') return now
  switch (phase) {
    case 'scheduled':
    case 'generating':
      return { ...now, phase, message, progress, last: now.run ? now.last : 'generation', lookAt: at + POLL_MS }
    case 'cleaning':
    case 'dirty':
      return { ...now, lookAt: at }
    case 'verified':
    case 'empty':
    case 'failed':
      return { ...now, last: now.run ? now.last : 'generation', lookAt: at }
  }
}

function scheduled(now: Machine, run: Run, answer: Extract<Input, { type: 'scheduled' }>): Machine {
  if (!answer.scheduled) return { ...over(now), phase: 'failed', message: answer.note }
  return {
    ...now,
    run: { ...run, step: 'waiting' },
    phase: 'scheduled',
    message: answer.note,
    lookAt: answer.at + SETTLE_MS,
  }
}

function looked(now: Machine, look: Look, at: number): Machine {
  // Read before the awaited answer, so out of date.
  if (now.run && now.run.step !== 'waiting') return now
  if (look.generating)
    return {
      ...now,
      phase: now.phase === 'scheduled' ? 'scheduled' : 'generating',
      lookAt: at + POLL_MS,
    }
  // A request during this inspection needs a newer one.
  const done = over(now)
  const nothing = look.state === 'never' || look.state === 'cleaned' || !look.generated
  if (look.state === 'failed') return { ...done, ...outcome('failed', look.error ?? look.note) }
  if (look.state === 'cancelled') return { ...done, ...outcome('cancelled', t('It was stopped')) }
  // Without a report, a run without result counts as failed.
  if (nothing && now.run && look.state === null) return { ...done, ...outcome('failed', look.note) }
  if (nothing) return { ...done, ...outcome(now.phase === 'cancelled' ? 'cancelled' : 'clean', look.note) }
  return settled(now, done, look, at)
}

const outcome = (phase: Phase, message: string) => ({ phase, message })

/** Whether the existing result equals a fresh generation. */
function settled(now: Machine, done: Machine, look: Look, at: number): Machine {
  const editedInRun = now.run !== null && now.edits > now.run.edits
  const old = look.state === null ? editedInRun || (now.run === null && now.last === 'edit') : look.stale
  if (old) {
    const edited = editedInRun || (now.run === null && now.last !== 'generation')
    return {
      ...done,
      ...(edited
        ? outcome('dirty', t('Edited since'))
        : outcome('stale', t('The cached result is older than the edits'))),
      last: edited ? 'edit' : 'generation',
      dueAt: now.auto && edited ? (now.dueAt ?? at + now.restMs) : now.dueAt,
    }
  }
  // Without a report, only a run of this page, which cleaned first, is proof.
  if (look.state === null && now.run === null && now.phase !== 'verified' && now.phase !== 'empty')
    return { ...done, ...outcome('unknown', look.note) }
  return { ...done, ...outcome(look.amount === 0 ? 'empty' : 'verified', look.note), last: 'nothing' }
}

function refused(now: Machine, command: Command, message: string): Machine {
  if (command.tool === 'look') {
    const next = { ...now, looking: false, lookAt: null }
    return now.run?.step === 'waiting' || (now.run === null && isRunning(now))
      ? { ...over(next), phase: 'failed', message }
      : now.run
        ? next
        : { ...next, phase: 'unknown', message }
  }
  return now.run?.id === command.run ? { ...over(now), phase: 'failed', message, lookAt: null } : now
}

function tick(now: Machine, at: number): Stepped {
  // A run with a pending answer is not replaced; the next one starts after it.
  if (now.dueAt !== null && now.dueAt <= at && (now.run === null || now.run.step === 'waiting')) {
    // The edit concerned another graph, or was undone.
    if (now.phase !== 'verified' && now.phase !== 'empty') return start(now)
    return tick({ ...now, dueAt: null }, at)
  }
  if (now.lookAt !== null && now.lookAt <= at && !now.looking)
    return { next: { ...now, looking: true, lookAt: null }, command: { tool: 'look', run: now.run?.id ?? 0 } }
  return stay(now)
}
