// Saved arguments and past runs of the runner, in this browser only, without secrets and responses.
import { z } from 'zod'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { TestResult } from '#contract'
import { type Arguments, withoutSecrets } from '../../../ui/without-secrets.ts'

const Setup = z.object({
  id: z.string(),
  /** Per user and tool; a browser may have several users. */
  user: z.string(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  /** The omitted arguments. */
  leftOut: z.array(z.string()),
  key: z.object({ id: z.number(), label: z.string() }).nullable(),
  bundle: z.string(),
})
const Preset = Setup.extend({ name: z.string() })
const PastRun = Setup.extend({
  atMs: z.number(),
  dryRun: z.boolean(),
  outcome: z.enum(['success', 'error', 'refused', 'cancelled']),
  code: z.string().nullable(),
  durationMs: z.number(),
  requestId: z.string(),
})
const SavedRuns = z.object({ presets: z.array(Preset), runs: z.array(PastRun) })

export type Setup = Readonly<z.infer<typeof Setup>>
export type Preset = Readonly<z.infer<typeof Preset>>
export type PastRun = Readonly<z.infer<typeof PastRun>>
type SavedRuns = { readonly presets: readonly Preset[]; readonly runs: readonly PastRun[] }

const MOST_PRESETS = 100
const MOST_RUNS = 100
const NOTHING: SavedRuns = { presets: [], runs: [] }

export const useRuns = create<SavedRuns>()(
  persist((): SavedRuns => NOTHING, {
    name: 'gantry.runs',
    version: 1,
    // Stored data may come from another version or be modified.
    merge: (stored, current) => ({
      ...current,
      ...SavedRuns.catch({ presets: [], runs: [] }).parse(stored ?? NOTHING),
    }),
  }),
)

/** The owner, and the data to repeat the run. */
export type Doing = Pick<Setup, 'user' | 'tool' | 'key' | 'bundle'> & {
  readonly args: Arguments
  readonly schema: unknown
}

function setupOf({ schema, args, ...rest }: Doing): Setup {
  const { __confirm: _confirmed, ...own } = args
  const kept = withoutSecrets(own, schema)
  return { ...rest, id: crypto.randomUUID(), args: { ...kept.args }, leftOut: [...kept.leftOut] }
}

/** Replaces an entry of the same name. */
export function savePreset(doing: Doing, name: string): Preset {
  const preset = { ...setupOf(doing), name }
  useRuns.setState(({ presets }) => ({
    presets: [
      preset,
      ...presets.filter((each) => each.name !== name || each.tool !== doing.tool || each.user !== doing.user),
    ].slice(0, MOST_PRESETS),
  }))
  return preset
}

/** Returns an undo function. */
export function removePreset(preset: Preset): () => void {
  useRuns.setState(({ presets }) => ({ presets: presets.filter(({ id }) => id !== preset.id) }))
  return () => useRuns.setState(({ presets }) => ({ presets: [preset, ...presets] }))
}

export function noteRun(doing: Doing, dryRun: boolean, result: TestResult, atMs: number): void {
  const { outcome, code, durationMs, requestId } = result
  const run = { ...setupOf(doing), atMs, dryRun, outcome, code, durationMs, requestId }
  useRuns.setState(({ runs }) => ({ runs: [run, ...runs].slice(0, MOST_RUNS) }))
}

/** Returns an undo function. */
export function forgetRuns(user: string, tool: string): () => void {
  const before = useRuns.getState().runs
  useRuns.setState({ runs: before.filter((run) => run.user !== user || run.tool !== tool) })
  return () => useRuns.setState({ runs: before })
}

export const ownOf = <T extends Setup>(all: readonly T[], user: string, tool: string): readonly T[] =>
  all.filter((each) => each.user === user && each.tool === tool)
