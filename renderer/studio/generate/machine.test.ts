// The generation state machine under every order of user input, agent edits and answers, with a manual clock.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Command, IDLE, type Input, isRunning, type Look, type Machine, step, wakesAt } from './machine.ts'

type Action = 'press' | 'cancel' | 'auto' | 'manual' | 'edit' | 'undo' | 'agent generates' | 'agent cleans' | 'wait'
const LATENCY_MS = 40
const RUN_MS = 300

/** A double of an editor with one component: commands in order, generation in the background, cached until cleaned. */
function world() {
  let machine: Machine = IDLE
  let now = 0
  let revision = 0
  let result: number | null = null
  let state: Look['state'] = 'never'
  let running: { readonly of: number; readonly endsAt: number } | null = null
  const queue: { readonly at: number; readonly command: Command }[] = []
  const sent: Command[] = []
  const verified: boolean[] = []

  function feed(input: Input): void {
    const before = machine
    const { next, command } = step(machine, input)
    machine = next
    if (next.phase === 'verified' && before.phase !== 'verified') verified.push(result === revision)
    if (!command) return
    sent.push(command)
    queue.push({ at: Math.max(now, queue.at(-1)?.at ?? 0) + LATENCY_MS, command })
  }
  const event = (phase: Extract<Input, { type: 'event' }>['phase']): void =>
    feed({ type: 'event', at: now, phase, message: phase, progress: null })

  function clean(): void {
    running = null
    result = null
    state = 'cleaned'
    event('cleaning')
    event('dirty')
  }
  function generate(): boolean {
    if (running) return false
    if (result === null) running = { of: revision, endsAt: now + RUN_MS }
    event('scheduled')
    if (!running) event('verified')
    return true
  }
  function answer(command: Command): void {
    if (command.tool === 'look') {
      const generating = running !== null
      const stale = result !== null && result !== revision
      const look: Look = { generating, generated: result !== null, state, stale, amount: 1, error: null, note: '' }
      feed({ type: 'looked', at: now, look })
    } else if (command.tool === 'generate') {
      const scheduled = generate()
      feed({ type: 'scheduled', at: now, run: command.run, scheduled, note: 'is running already' })
    } else {
      clean()
      feed({ type: command.tool === 'clean' ? 'cleaned' : 'cancelled', at: now, run: command.run })
    }
  }
  function wait(ms: number): void {
    const end = now + ms
    for (;;) {
      const times = [queue[0]?.at, running?.endsAt, wakesAt(machine)].filter((at) => typeof at === 'number')
      const next = Math.max(now, Math.min(...times))
      if (next > end) break
      now = next
      const due = queue[0]
      if (due && due.at <= now) {
        queue.shift()
        answer(due.command)
      } else if (running && running.endsAt <= now) {
        result = running.of
        running = null
        state = 'generated'
        event('verified')
      } else feed({ type: 'tick', at: now })
    }
    now = end
  }
  const actions: Readonly<Record<Action, () => void>> = {
    press: () => feed({ type: 'pressed', at: now }),
    cancel: () => feed({ type: 'cancel', at: now }),
    auto: () => feed({ type: 'auto', at: now, on: true }),
    manual: () => feed({ type: 'auto', at: now, on: false }),
    edit: () => {
      revision += 1
      feed({ type: 'edited', at: now })
    },
    undo: () => {
      revision = Math.max(0, revision - 1)
      feed({ type: 'edited', at: now })
    },
    'agent generates': () => void generate(),
    'agent cleans': clean,
    wait: () => undefined,
  }
  return {
    act: (action: Action) => actions[action](),
    wait,
    machine: () => machine,
    fresh: () => result === revision,
    sent,
    verified,
    waiting: () => queue.filter(({ command }) => command.tool !== 'look').length,
  }
}

const action = fc.constantFrom<Action>(
  ...(['press', 'cancel', 'auto', 'manual', 'edit', 'undo', 'agent generates', 'agent cleans', 'wait'] as const),
)
const story = fc.array(fc.tuple(action, fc.integer({ min: 0, max: 900 })), { maxLength: 25 })

describe('generating a fresh result', () => {
  it('sends one command at a time, cleans before it generates, and ends in the true state', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const it = world()
        for (const [what, ms] of steps) {
          it.act(what)
          expect(it.waiting()).toBeLessThanOrEqual(2)
          it.wait(ms)
        }
        it.wait(20_000)
        const { phase, auto, run } = it.machine()
        expect(run).toBeNull()
        expect(isRunning(it.machine())).toBe(false)
        expect(wakesAt(it.machine())).toBeNull()
        if (phase === 'verified') expect(it.fresh()).toBe(true)
        if (phase === 'dirty' || phase === 'stale') expect(it.fresh()).toBe(false)
        if (auto) expect(phase).not.toBe('dirty')
        const commands = it.sent.filter(({ tool }) => tool !== 'look')
        commands.forEach(({ tool, run: of }, index) => {
          if (tool === 'generate') expect(commands.slice(0, index)).toContainEqual({ tool: 'clean', run: of })
        })
      }),
      { numRuns: 400 },
    )
  })

  it('goes from clean to verified, to dirty by an edit, and back when the edit is undone', () => {
    const it = world()
    const phases = (['wait', 'press', 'edit', 'undo'] as const).map((what) => {
      it.act(what)
      it.wait(2000)
      return it.machine().phase
    })
    expect(phases).toEqual(['clean', 'verified', 'dirty', 'verified'])
  })

  it('ignores an inspection that started before the run', () => {
    const it = world()
    it.act('press')
    it.wait(2000)
    it.act('edit')
    it.wait(170)
    it.act('press')
    it.wait(2000)
    expect(it.machine().phase).toBe('verified')
    expect(it.fresh()).toBe(true)
    expect(it.sent.filter(({ tool }) => tool === 'generate')).toHaveLength(2)
  })

  it('reports a generation without cleaning after an edit as stale, by any author', () => {
    const it = world()
    for (const what of ['press', 'edit', 'agent generates'] as const) {
      it.act(what)
      it.wait(2000)
    }
    expect(it.machine().phase).toBe('stale')
  })

  it('does not generate after a cancel until requested', () => {
    const it = world()
    it.act('press')
    it.wait(200)
    it.act('cancel')
    it.wait(5000)
    expect(it.machine().phase).toBe('cancelled')
    expect(it.sent.filter(({ tool }) => tool === 'generate')).toHaveLength(1)
    expect(it.fresh()).toBe(false)
  })

  it('generates automatically after a pause in edits, and restarts for the latest', () => {
    const it = world()
    it.act('press')
    it.wait(2000)
    it.act('auto')
    for (let count = 0; count < 5; count += 1) {
      it.act('edit')
      it.wait(100)
    }
    it.wait(2000)
    expect(it.machine().phase).toBe('verified')
    expect(it.sent.filter(({ tool }) => tool === 'generate')).toHaveLength(2)
  })

  it('does not trust `generated` alone if an editor gives no report', () => {
    const look: Look = {
      generating: false,
      generated: true,
      state: null,
      stale: false,
      amount: 5,
      error: null,
      note: '',
    }
    const seen = step({ ...IDLE, looking: true }, { type: 'looked', at: 0, look }).next
    expect(seen.phase).toBe('unknown')
    const waiting: Machine = { ...IDLE, phase: 'scheduled', run: { id: 1, step: 'waiting', edits: 0 } }
    expect(step(waiting, { type: 'looked', at: 0, look }).next.phase).toBe('verified')
    expect(step(waiting, { type: 'looked', at: 0, look: { ...look, amount: 0 } }).next.phase).toBe('empty')
    expect(step(waiting, { type: 'looked', at: 0, look: { ...look, generated: false } }).next.phase).toBe('failed')
    const edited = step(waiting, { type: 'edited', at: 0 }).next
    expect(step(edited, { type: 'looked', at: 0, look }).next.phase).toBe('dirty')
  })

  it('reports why a call was refused, and stops', () => {
    const { next, command } = step(IDLE, { type: 'pressed', at: 0 })
    if (!command) throw new Error('no command')
    const refused = step(next, { type: 'refused', at: 1, command, message: 'The editor is busy' }).next
    expect(refused).toMatchObject({ phase: 'failed', message: 'The editor is busy', run: null })
    expect(step(refused, { type: 'cleaned', at: 2, run: command.run }).command).toBeNull()
  })

  it('an older inspection that answers late does not cancel a newer request', () => {
    const late: Look = {
      generating: false,
      generated: false,
      state: 'cleaned',
      stale: false,
      amount: 0,
      error: null,
      note: '',
    }
    const looking: Machine = { ...IDLE, looking: true, lookAt: null, phase: 'generating' }
    const text = step(looking, { type: 'event', at: 5, phase: 'verified', message: '', progress: null }).next
    const { next } = step(text, { type: 'looked', at: 6, look: late })
    expect(step(next, { type: 'tick', at: 7 }).command?.tool).toBe('look')
  })
})
