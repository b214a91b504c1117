// The runner's storage: limited, per user and tool, without secrets, and robust against foreign data.
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TestResult } from '#contract'

/** A double of the browser's storage. */
const stored = new Map<string, string>()
const localStorage = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, text: string) => stored.set(name, text),
  removeItem: (name: string) => stored.delete(name),
}
vi.stubGlobal('window', { localStorage })
// A store resolves its storage once, and another test file may have created it without one.
vi.resetModules()
afterAll(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})
const { forgetRuns, noteRun, ownOf, removePreset, savePreset, useRuns } = await import('./run-store.ts')

const doing = {
  user: 'ann',
  tool: 'pets__get',
  key: null,
  bundle: '',
  args: { id: 1, token: 'hush', __confirm: true },
  schema: {},
}
const result: TestResult = {
  result: { content: [{ type: 'text', text: 'the answer' }] },
  outcome: 'success',
  code: null,
  gate: null,
  failureKind: null,
  durationMs: 3,
  requestId: 'r',
  pipeline: [],
}

beforeEach(() => useRuns.setState({ presets: [], runs: [] }))

describe('what the runner keeps', () => {
  it('contains no secrets, responses or confirmations', () => {
    savePreset(doing, 'one')
    noteRun(doing, false, result, 5)
    const text = stored.get('gantry.runs') ?? ''
    expect(text).toContain('"id":1')
    for (const secret of ['hush', 'the answer', '__confirm']) expect(text).not.toContain(secret)
    expect(useRuns.getState().runs[0]).toMatchObject({ leftOut: ['token'], outcome: 'success', durationMs: 3 })
  })

  it('replaces a preset of the same name, tool and user only', () => {
    savePreset(doing, 'one')
    savePreset({ ...doing, args: { id: 2 } }, 'one')
    savePreset({ ...doing, user: 'bob' }, 'one')
    const { presets } = useRuns.getState()
    expect(ownOf(presets, 'ann', 'pets__get').map(({ args }) => args)).toEqual([{ id: 2 }])
    expect(presets).toHaveLength(2)
  })

  it('restores deleted entries', () => {
    const preset = savePreset(doing, 'one')
    const undo = removePreset(preset)
    expect(useRuns.getState().presets).toEqual([])
    undo()
    expect(useRuns.getState().presets).toEqual([preset])
    noteRun(doing, true, result, 1)
    const back = forgetRuns('ann', 'pets__get')
    expect(useRuns.getState().runs).toEqual([])
    back()
    expect(useRuns.getState().runs).toHaveLength(1)
  })

  it('never exceeds its limits', () => {
    for (let at = 0; at < 150; at += 1) {
      noteRun(doing, false, result, at)
      savePreset(doing, String(at))
    }
    expect(useRuns.getState().runs.map(({ atMs }) => atMs)[0]).toBe(149)
    expect([useRuns.getState().runs.length, useRuns.getState().presets.length]).toEqual([100, 100])
  })

  it('starts empty if the browser has foreign data', async () => {
    for (const text of [
      '{"state":{"presets":[{"name":1}],"runs":[]},"version":1}',
      'no json',
      '{"state":null,"version":1}',
    ]) {
      stored.set('gantry.runs', text)
      await useRuns.persist.rehydrate()
      expect([useRuns.getState().presets, useRuns.getState().runs]).toEqual([[], []])
    }
  })
})
