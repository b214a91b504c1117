// Runs the state machine of one actor: its commands become calls; answers and editor events are its inputs.
import { create } from 'zustand'
import { faultOf } from '../../ui/fault.ts'
import { callTool } from '../editor/calls.ts'
import type { StudioEvent } from '../editor/queries.ts'
import { forPeople, lookAt } from './look.ts'
import { type Command, IDLE, type Input, type Machine, REST_MS, step, wakesAt } from './machine.ts'

type UsedParameters = { readonly graph: string; readonly values: Readonly<Record<string, unknown>> }
type Generation = {
  readonly machine: Machine
  /** The parameters of the last verified result, if this page observed it. */
  readonly parameters: UsedParameters | null
}
export const useGeneration = create<Generation>(() => ({ machine: IDLE, parameters: null }))

type Given = {
  readonly editor: string
  readonly actor: string
  readonly graph: string | null
  readonly reports: boolean
}
export type Runner = ReturnType<typeof createRunner>
/** An input without its time, which the runner adds. */
type Observed = Input extends infer One ? (One extends unknown ? Omit<One, 'at'> : never) : never

export function createRunner({ editor, actor, graph, reports }: Given) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let over = false
  useGeneration.setState({
    machine: {
      ...IDLE,
      auto: useGeneration.getState().machine.auto,
      restMs: reports ? REST_MS.quick : REST_MS.slow,
    },
    parameters: null,
  })

  function feed(observed: Observed): void {
    if (over) return
    const { next, command } = step(useGeneration.getState().machine, { ...observed, at: performance.now() })
    useGeneration.setState({ machine: next })
    if (observed.type === 'looked' && (next.phase === 'verified' || next.phase === 'empty')) void remember()
    if (command) void run(command)
    clearTimeout(timer)
    const wakes = wakesAt(next)
    if (wakes !== null) timer = setTimeout(() => feed({ type: 'tick' }), Math.max(0, wakes - performance.now()))
  }

  async function run(command: Command): Promise<void> {
    try {
      feed(await answerTo(command))
    } catch (error) {
      feed({ type: 'refused', command, message: faultOf(error).message })
    }
  }

  async function answerTo({ tool, run: id }: Command): Promise<Observed> {
    const args = { actor_name: actor }
    switch (tool) {
      case 'look':
        return { type: 'looked', look: await lookAt(editor, actor, reports) }
      case 'generate': {
        const { scheduled, note } = await callTool(editor, 'generate_pcg_component', args)
        return { type: 'scheduled', run: id, scheduled, note: forPeople(note) ?? '' }
      }
      case 'clean':
      case 'cancel':
        await callTool(editor, 'cleanup_pcg_component', { ...args, remove_components: true })
        return { type: tool === 'clean' ? 'cleaned' : 'cancelled', run: id }
    }
  }

  async function remember(): Promise<void> {
    if (graph === null) return
    const answer = await callTool(editor, 'get_pcg_graph_parameters', { pcg_graph_path: graph }).catch(() => null)
    const values = answer && Object.fromEntries(answer.parameters.map(({ name, value }) => [name, value]))
    if (!over && values) useGeneration.setState({ parameters: { graph, values } })
  }

  return {
    feed,
    hear(event: StudioEvent): void {
      if (event.type === 'graph.changed' && event.change !== null) feed({ type: 'edited' })
      if (event.type === 'level.changed') feed({ type: 'event', phase: 'dirty', message: '', progress: null })
      if (event.type === 'generation' && event.actorName === actor)
        feed({ type: 'event', phase: event.phase, message: event.message, progress: event.progress ?? null })
    },
    end(): void {
      over = true
      clearTimeout(timer)
    },
  }
}
