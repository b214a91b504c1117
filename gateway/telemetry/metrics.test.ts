// Counting, limits of series, and the exposition format.
import { describe, expect, it } from 'vitest'
import { METRICS } from './metric-table.ts'
import { createMetrics } from './metrics.ts'

const linesOf = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(name))

describe('bounds (security case LK-07)', () => {
  it('counts the 501st backend as other, in every metric', () => {
    const metrics = createMetrics()
    for (let index = 0; index < 520; index += 1) metrics.inc('mcp_coalesce_hits_total', { client: `backend-${index}` })
    expect(metrics.read('mcp_coalesce_hits_total', { client: 'backend-499' }).value).toBe(1)
    expect(metrics.read('mcp_coalesce_hits_total', { client: 'other' }).value).toBe(20)
    metrics.set('mcp_breaker_current_state', 2, { client: 'backend-510' })
    expect(metrics.read('mcp_breaker_current_state', { client: 'other' }).value).toBe(2)
    expect(linesOf(metrics.render(), 'mcp_coalesce_hits_total{')).toHaveLength(501)
  })

  it('limits the product of two open labels', () => {
    const metrics = createMetrics()
    for (let client = 0; client < 200; client += 1)
      for (let target = 0; target < 200; target += 1)
        metrics.inc('mcp_canary_requests_total', { client: `c${client}`, mode: 'canary', target: `t${target}` })
    const lines = linesOf(metrics.render(), 'mcp_canary_requests_total{')
    expect(lines.length).toBeLessThanOrEqual(10_001)
    const total = lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    expect(total).toBe(40_000)
  })

  it('escapes what a label value may hold', () => {
    const metrics = createMetrics()
    metrics.inc('mcp_tool_refusals_total', { code: 'a"b\\c\nd' })
    expect(metrics.render()).toContain('mcp_tool_refusals_total{code="a\\"b\\\\c\\nd"} 1\n')
  })

  it('rejects decreasing counters and non-numeric observations', () => {
    const metrics = createMetrics()
    metrics.add('mcp_ws_proxy_bytes_total', 10, { target: 't', direction: 'up' })
    metrics.add('mcp_ws_proxy_bytes_total', -5, { target: 't', direction: 'up' })
    metrics.observe('mcp_gateway_overhead_seconds', Number.NaN)
    expect(metrics.read('mcp_ws_proxy_bytes_total', { target: 't', direction: 'up' }).value).toBe(10)
    expect(metrics.read('mcp_gateway_overhead_seconds')).toEqual({ value: 0, count: 0 })
  })
})

describe('exposition', () => {
  it('has only mcp_ metrics, each with its help and type, every sample in the format [ct.14.only-mcp]', () => {
    const metrics = createMetrics()
    metrics.set('mcp_build_info', 1, { version: '1.0.0', runtime: 'node', runtime_version: 'v24' })
    const text = metrics.render()
    for (const [name, { type }] of Object.entries(METRICS)) expect(text).toContain(`\n# TYPE ${name} ${type}\n`)
    const samples = text
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('#'))
    for (const line of samples)
      expect(line).toMatch(/^mcp_[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? (\d|\+Inf|NaN)/)
    expect(text).toContain('mcp_build_info{version="1.0.0",runtime="node",runtime_version="v24"} 1\n')
  })

  it('has series of fixed labels from the start, at zero', () => {
    const text = createMetrics().render()
    for (const outcome of ['success', 'error', 'refused', 'cancelled'])
      expect(text).toContain(`mcp_tool_calls_total{outcome="${outcome}"} 0\n`)
    expect(text).toContain('mcp_leader 0\n')
    expect(linesOf(text, 'mcp_client_tool_calls_total{')).toEqual([])
  })

  it('accumulates a histogram over its buckets', () => {
    const metrics = createMetrics()
    for (const seconds of [0.001, 0.005, 0.02, 7, 100])
      metrics.observe('mcp_tool_call_duration_seconds', seconds, { outcome: 'success' })
    const text = metrics.render()
    const at = (le: string) => `mcp_tool_call_duration_seconds_bucket{outcome="success",le="${le}"}`
    for (const [le, count] of [
      ['0.005', 2],
      ['0.01', 2],
      ['0.025', 3],
      ['5', 3],
      ['10', 4],
      ['30', 4],
      ['+Inf', 5],
    ] as const)
      expect(text).toContain(`${at(le)} ${count}\n`)
    expect(text).toContain('mcp_tool_call_duration_seconds_count{outcome="success"} 5\n')
    expect(metrics.read('mcp_tool_call_duration_seconds', { outcome: 'success' })).toEqual({ value: 107.026, count: 5 })
  })

  it('reads collected gauges on exposition, and drops replaced series', () => {
    const metrics = createMetrics()
    let sessions = 3
    metrics.beforeRender(() => metrics.set('mcp_sessions_active', sessions))
    metrics.set('mcp_pcg_queue', 4, { editor: 'gone' })
    metrics.replace('mcp_pcg_queue', [[{ editor: 'pcg' }, 1]])
    expect(linesOf(metrics.render(), 'mcp_pcg_queue{')).toEqual(['mcp_pcg_queue{editor="pcg"} 1'])
    sessions = 5
    expect(metrics.render()).toContain('mcp_sessions_active 5\n')
  })
})
