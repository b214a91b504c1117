// Which layers a tool has, and in which order they are asked.

import { describe, expect, it } from 'vitest'
import { Cache, Coalesce, Mock } from '../../contract/admin/tool-features.ts'
import type { Kind } from '../../contract/registration.ts'
import { failed } from '../../outcome/failed.ts'
import type { Failed, Outcome } from '../../outcome/outcome.ts'
import type { ToolConfig } from '../../storage/stored.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import type { ToolCall } from '../call.ts'
import { aBackend, aCall, anAccount, aTool } from '../pipeline.fixture.ts'
import { createBudgets } from './context-budget.ts'
import { createLayers } from './layers.ts'
import { createResponseCache } from './response-cache.ts'

const BOTH: ToolConfig = { cache: Cache.parse({ ttlSeconds: 60 }), coalesce: Coalesce.parse({}) }
const mocked = (mode: string): ToolConfig => ({ ...BOTH, mock: Mock.parse({ mode, response: 'instead' }) })

const never = () => expect.fail('no question is due')
const budget = createBudgets({ summarize: never, monotonic: () => 0 })

type Given = { readonly method?: string; readonly gated?: boolean; readonly kind?: Kind }

function aHouse() {
  const kept = createResponseCache({ maxEntries: 9, maxBytes: 1e6, monotonic: () => 0, onEvicted: () => undefined })
  const layersOf = createLayers({ kept, metrics: createMetrics(), structured: true, budget })
  const stages = (config: ToolConfig, { method = 'GET', gated = false, kind = 'rest' }: Given = {}) =>
    layersOf(
      aBackend('shop', { kind }),
      aTool('get', { config }, { method, annotations: { readOnlyHint: true } }),
      gated,
      undefined,
    ).map(({ stage }) => stage)
  return { kept, layersOf, stages }
}

describe('the layers of a tool', () => {
  it('are in the order of the stages, and none where nothing is configured [ct.5.8.answered-here]', () => {
    const { stages } = aHouse()
    expect(stages({})).toEqual([])
    expect(stages(BOTH)).toEqual(['cache', 'coalesce'])
    expect(stages(mocked('always'))).toEqual(['mock', 'cache', 'coalesce'])
    expect(stages(mocked('fallback'))).toEqual(['cache', 'coalesce', 'mock'])
    // What is kept is what is returned: cut already.
    const contextBudget = { mode: 'truncate', maxResponseBytes: 256 } as const
    expect(stages({ ...BOTH, contextBudget })).toEqual(['cache', 'coalesce', 'shape'])
    const none = createLayers({ kept: undefined, metrics: createMetrics(), structured: true, budget })
    expect(none(aBackend(), aTool('get', { config: BOTH }), false, undefined)).toHaveLength(1)
  })

  it('answer for no tool that does more than read, also if it only read when they were set [ct.8.5.reads-only]', () => {
    const { stages } = aHouse()
    expect(stages(BOTH, { method: 'POST' })).toEqual([])
    expect(stages(BOTH, { kind: 'mcp' })).toEqual(['cache', 'coalesce'])
    expect(stages(BOTH, { kind: 'mcp', gated: true })).toEqual([])
    // A GET reads, also one that a person has to confirm.
    expect(stages(BOTH, { gated: true })).toEqual(['cache', 'coalesce'])
  })

  it('keep nothing that stands in for the backend: once it is back, it is asked [ct.8.5.never-stored] (security case CA-12)', async () => {
    const { kept, layersOf } = aHouse()
    const [backend, tool] = [aBackend(), aTool('get', { config: mocked('fallback') })]
    const layers = layersOf(backend, tool, false, undefined)
    const through = (outcome: Outcome, at = 0, call: ToolCall = aCall({ backend, tool })): Promise<Outcome> => {
      const layer = layers[at]
      return layer
        ? layer.answer(
            call,
            (as = call) => through(outcome, at + 1, as),
            () => undefined,
            anAccount(),
          )
        : Promise.resolve(outcome)
    }
    const away: Failed = failed('network', 'x', true)
    expect(await through(away)).toMatchObject({ kind: 'ok', from: { target: 'mock', cache: 'miss' } })
    expect(kept.entries()).toBe(0)
    const own: Outcome = { kind: 'ok', result: { content: [{ type: 'text', text: 'own' }] } }
    expect(await through(own)).toMatchObject({ result: own.result, from: { cache: 'miss' } })
    expect(await through(away)).toMatchObject({ result: own.result, from: { cache: 'hit' } })
  })
})
