// What the runner keeps: bounded, of one person and one tool, without secrets, and nothing that is not its own.
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TestResult } from '#contract'

/** A stand-in for the browser's storage, which Node has none of. */
const stored = new Map<string, string>()
const localStorage = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, text: string) => stored.set(name, text),
  removeItem: (name: string) => stored.delete(name),
}
vi.stubGlobal('window', { localStorage })
// A store looks for its storage once, and another file of this worker may have made it without one.
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
  it('holds neither secrets nor answers, and no confirmation', () => {
    savePreset(doing, 'one')
    noteRun(doing, false, result, 5)
    const text = stored.get('gantry.runs') ?? ''
    expect(text).toContain('"id":1')
    for (const secret of ['hush', 'the answer', '__confirm']) expect(text).not.toContain(secret)
    expect(useRuns.getState().runs[0]).toMatchObject({ leftOut: ['token'], outcome: 'success', durationMs: 3 })
  })

  it('replaces a preset of the same name, of the same tool and person only', () => {
    savePreset(doing, 'one')
    savePreset({ ...doing, args: { id: 2 } }, 'one')
    savePreset({ ...doing, user: 'bob' }, 'one')
    const { presets } = useRuns.getState()
    expect(ownOf(presets, 'ann', 'pets__get').map(({ args }) => args)).toEqual([{ id: 2 }])
    expect(presets).toHaveLength(2)
  })

  it('gives back what was forgotten', () => {
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

  it('never grows beyond its bounds', () => {
    for (let at = 0; at < 150; at += 1) {
      noteRun(doing, false, result, at)
      savePreset(doing, String(at))
    }
    expect(useRuns.getState().runs.map(({ atMs }) => atMs)[0]).toBe(149)
    expect([useRuns.getState().runs.length, useRuns.getState().presets.length]).toEqual([100, 100])
  })

  it('begins anew where the browser holds something else', async () => {
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
