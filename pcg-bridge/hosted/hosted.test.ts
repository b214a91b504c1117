// An editor as a gateway sees it: a list of tools, a call that answers, one call at a time.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CATALOG, INSPECTION } from '../catalog/index.ts'
import type { CallContext, HostedEditor, Progress } from '../contract/index.ts'
import { createQueue } from '../editor/queue.ts'
import { openEmbeddedEditor } from '../embedded/index.ts'
import { createHosted, type HostedOptions } from './hosted.ts'

const WHO: CallContext = { actor: 'test', source: 'mcp' }
let directory = ''
let open: HostedEditor[] = []
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'pcg-bridge-'))
  open = []
})
afterEach(async () => {
  await Promise.all(open.map((hosted) => hosted.close()))
  await rm(directory, { recursive: true, force: true })
})
async function aHosted(options: Partial<HostedOptions> = {}): Promise<HostedEditor> {
  const editor = options.editor ?? (await openEmbeddedEditor({ directory }))
  const sidecarDir = path.join(directory, 'layouts')
  const hosted = createHosted({ editor, sidecarDir, queueMax: 32, callTimeoutMs: 60_000, ...options })
  open.push(hosted)
  return hosted
}

describe('a call', () => {
  it('that is not a tool, has a wrong argument or an unknown one, is answered with a code', async () => {
    const hosted = await aHosted()
    for (const [name, args] of [
      ['no_such_tool', {}],
      ['constructor', {}],
      ['create_pcg_graph', {}],
      ['create_pcg_graph', { name: 7 }],
      ['create_pcg_graph', { name: 'A', pakage: '/Game' }],
      ['create_pcg_graph', 'A'],
      ['spawn_pcg_volume', { extent: [0, 1, 1] }],
    ] as const)
      expect(await hosted.tools.call(name, args, WHO), name).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' })
    expect(await hosted.tools.call('get_pcg_graph_info', { pcg_graph_path: '/Game/None' }, WHO)).toEqual({
      ok: false,
      code: 'GRAPH_NOT_FOUND',
      message: 'PCG graph not found',
    })
  })

  it('answers the documented fields', async () => {
    const hosted = await aHosted()
    const answer = await hosted.tools.call('create_pcg_graph', { name: 'A' }, WHO)
    expect(answer).toMatchObject({ ok: true, result: { asset_path: '/Game/PCG/A', created: true } })
    expect(await hosted.inspection.call('list_pcg_graphs', {}, WHO)).toMatchObject({
      ok: true,
      result: { graphs: [{ asset_path: '/Game/PCG/A' }] },
    })
  })

  it('of an editor that throws something else is an editor error, not a crash', async () => {
    const editor = await openEmbeddedEditor({ directory })
    const broken = {
      ...editor,
      tools: { ...editor.tools, list_pcg_node_types: () => Promise.reject(new Error('lost')) },
    }
    const hosted = await aHosted({ editor: broken })
    expect(await hosted.tools.call('list_pcg_node_types', {}, WHO)).toMatchObject({
      ok: false,
      code: 'EDITOR_ERROR',
      message: 'lost',
    })
  })

  it('past its deadline is unavailable, what waited behind it is busy: neither is a crash', async () => {
    const editor = await openEmbeddedEditor({ directory })
    const gate = Promise.withResolvers<never>()
    const slow = { ...editor, tools: { ...editor.tools, list_pcg_node_types: () => gate.promise } }
    const hosted = await aHosted({ editor: slow, callTimeoutMs: 100 })
    const first = hosted.tools.call('list_pcg_node_types', {}, WHO)
    const second = hosted.tools.call('create_pcg_graph', { name: 'A' }, WHO)
    expect(await first).toMatchObject({ ok: false, code: 'EDITOR_UNAVAILABLE' })
    expect(await second).toMatchObject({ ok: false, code: 'EDITOR_BUSY' })
    gate.reject(new Error('at last'))
  })
})

describe('a caller', () => {
  it('receives progress, and can cancel a waiting call', async () => {
    const editor = await openEmbeddedEditor({ directory })
    const gate = Promise.withResolvers<never>()
    const hosted = await aHosted({
      editor: { ...editor, tools: { ...editor.tools, list_pcg_node_types: () => gate.promise } },
    })
    await hosted.tools.call('create_pcg_graph', { name: 'A' }, WHO)
    const spawned = await hosted.tools.call(
      'spawn_pcg_volume',
      { extent: [1, 1, 1], pcg_graph_path: '/Game/PCG/A' },
      WHO,
    )
    const actor_name = spawned.ok ? spawned.result['actor_name'] : ''
    const received: unknown[] = []
    const onProgress = (progress: Progress) => received.push(progress)
    await hosted.tools.call('generate_pcg_component', { actor_name }, { ...WHO, onProgress })
    expect(received).toEqual([{ progress: 0, total: 1, message: 'Scheduled as task 1' }])
    const stuck = hosted.tools.call('list_pcg_node_types', {}, WHO)
    const control = new AbortController()
    const waiting = hosted.tools.call('create_pcg_graph', { name: 'B' }, { ...WHO, signal: control.signal })
    expect(hosted.state().queue).toEqual({ running: 'list_pcg_node_types', waiting: 1 })
    control.abort()
    expect(await waiting).toMatchObject({ ok: false, message: 'Cancelled' })
    gate.reject(new Error('done'))
    await stuck
    expect(await hosted.inspection.call('list_pcg_graphs', {}, WHO)).toMatchObject({
      result: { graphs: [{ asset_path: '/Game/PCG/A' }] },
    })
  })
})

describe('a caller that is not let in any more when its turn comes', () => {
  it('does nothing, and the next one goes on', async () => {
    const hosted = await aHosted()
    const asked: unknown[] = []
    const mayStart = async () => {
      asked.push(hosted.state().queue.waiting)
      return false
    }
    const first = hosted.tools.call('list_pcg_node_types', {}, WHO)
    const second = hosted.tools.call('create_pcg_graph', { name: 'B' }, { ...WHO, mayStart })
    const third = hosted.tools.call('create_pcg_graph', { name: 'C' }, { ...WHO, mayStart: async () => true })
    expect(asked).toEqual([])
    expect(await second).toMatchObject({ ok: false, code: 'EDITOR_ERROR' })
    expect([await first, await third]).toMatchObject([{ ok: true }, { ok: true }])
    expect(asked).toEqual([1])
    expect(await hosted.inspection.call('list_pcg_graphs', {}, WHO)).toMatchObject({
      result: { graphs: [{ asset_path: '/Game/PCG/C' }] },
    })
  })
})

describe('the list', () => {
  it('is the twenty with JSON Schema, title and annotations; the rest stands beside', async () => {
    const hosted = await aHosted()
    expect(hosted.tools.tools.map((tool) => tool.name)).toEqual(Object.keys(CATALOG))
    expect(hosted.inspection.tools.map((tool) => tool.name)).toEqual(Object.keys(INSPECTION))
    expect(hosted.tools.tools.find((tool) => tool.name === 'set_pcg_graph_parameter')).toMatchObject({
      title: 'Set PCG graph parameter',
      inputSchema: { type: 'object', required: ['pcg_graph_path', 'name'], additionalProperties: false },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    })
  })
})

describe('the queue', () => {
  const later = () => {
    const gate = Promise.withResolvers<string>()
    return { ...gate, work: () => gate.promise }
  }

  it('refuses calls above the limit as busy', async () => {
    const queue = createQueue({ max: 1, timeoutMs: 60_000 })
    const [a, b] = [later(), later()]
    const running = queue.run('a', undefined, a.work)
    const waiting = queue.run('b', undefined, b.work)
    await expect(queue.run('c', undefined, async () => 'c')).rejects.toMatchObject({ code: 'EDITOR_BUSY' })
    expect(queue.state()).toEqual({ running: 'a', waiting: 1 })
    a.resolve('a')
    b.resolve('b')
    expect([await running, await waiting]).toEqual(['a', 'b'])
    expect(queue.state()).toEqual({ running: null, waiting: 0 })
  })

  it('runs one at a time, in the order of arrival', async () => {
    const queue = createQueue({ max: 10, timeoutMs: 60_000 })
    const seen: string[] = []
    const step = (name: string) => async () => {
      seen.push(`${name}+`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${name}-`)
    }
    await Promise.all(['a', 'b', 'c'].map((name) => queue.run(name, undefined, step(name))))
    expect(seen).toEqual(['a+', 'a-', 'b+', 'b-', 'c+', 'c-'])
  })

  it('a call past its deadline holds the next one until it ends', async () => {
    const queue = createQueue({ max: 10, timeoutMs: 30 })
    const slow = later()
    await expect(queue.run('slow', undefined, slow.work)).rejects.toMatchObject({ code: 'EDITOR_UNAVAILABLE' })
    expect(queue.state()).toEqual({ running: 'slow', waiting: 0 })
    await expect(queue.run('next', undefined, async () => 'next')).rejects.toMatchObject({ code: 'EDITOR_BUSY' })
    slow.resolve('at last')
    await new Promise((resolve) => setImmediate(resolve))
    expect(await queue.run('after', undefined, async () => 'after')).toBe('after')
  })

  it('a call cancelled while it waits leaves the queue; the others go on', async () => {
    const queue = createQueue({ max: 10, timeoutMs: 60_000 })
    const [a, control] = [later(), new AbortController()]
    const running = queue.run('a', undefined, a.work)
    const waiting = queue.run('b', control.signal, async () => 'never')
    control.abort()
    await expect(waiting).rejects.toMatchObject({ message: 'Cancelled' })
    expect(queue.state().waiting).toBe(0)
    a.resolve('a')
    expect(await running).toBe('a')
  })
})

describe('a poll of an agent', () => {
  const waiting = async () => {
    const asked: string[] = []
    const end = Promise.withResolvers<void>()
    const editor = await openEmbeddedEditor({ directory })
    const settled = (actor: string) => {
      asked.push(actor)
      return end.promise
    }
    const hosted = await aHosted({ editor: { ...editor, settled } })
    const spawned = await hosted.tools.call('spawn_pcg_volume', { extent: [100, 100, 100] }, WHO)
    return { asked, end, hosted, actor_name: spawned.ok ? String(spawned.result['actor_name']) : '' }
  }

  it('waits for the end of the generation outside the queue of edits', async () => {
    const { asked, hosted, end, actor_name } = await waiting()
    const poll = hosted.tools.call('get_pcg_component_info', { actor_name }, WHO)
    expect(await hosted.tools.call('create_pcg_graph', { name: 'Other' }, WHO)).toMatchObject({ ok: true })
    end.resolve()
    expect(await poll).toMatchObject({ ok: true, result: { is_generating: false } })
    expect(asked).toEqual([actor_name])
  })

  it('is answered all the same while a long generation goes on', async () => {
    const { asked, hosted, actor_name } = await waiting()
    expect(await hosted.tools.call('get_pcg_generated_data', { actor_name }, WHO)).toMatchObject({ ok: true })
    expect(asked).toEqual([actor_name])
  })

  it('of a person is not held: the studio follows events', async () => {
    const { asked, hosted, actor_name } = await waiting()
    const person: CallContext = { actor: 'person', source: 'ui' }
    expect(await hosted.tools.call('get_pcg_component_info', { actor_name }, person)).toMatchObject({ ok: true })
    expect(asked).toEqual([])
  })
})

describe('alone over stdio', () => {
  it('a real client lists, calls, generates, and reads an error', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [path.join(import.meta.dirname, '..', 'stdio.ts'), '--stdio', '--project', directory],
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    try {
      expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(Object.keys(CATALOG))
      const call = async (name: string, args: Record<string, unknown>) =>
        (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown> // every tool answers an object
      await call('create_pcg_graph', { name: 'Wood' })
      const at = { pcg_graph_path: '/Game/PCG/Wood' }
      const { node_name } = await call('add_pcg_node', { ...at, node_type: 'PCGSurfaceSamplerSettings' })
      await call('connect_pcg_nodes', { ...at, from_node: 'Input', to_node: node_name })
      await call('connect_pcg_nodes', { ...at, from_node: node_name, to_node: 'Output' })
      const { actor_name } = await call('spawn_pcg_volume', { ...at, extent: [1000, 1000, 500] })
      expect(await call('generate_pcg_component', { actor_name })).toMatchObject({ scheduled: true })
      while ((await call('get_pcg_component_info', { actor_name }))['is_generating'])
        await new Promise((resolve) => setTimeout(resolve, 10))
      expect(await call('get_pcg_generated_data', { actor_name })).toMatchObject({ output_data_count: 1 })
      const failed = await client.callTool({ name: 'remove_pcg_node', arguments: { ...at, node_name: 'Input' } })
      expect(failed).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'Input/Output nodes cannot be removed' }],
        _meta: { 'pcg/code': 'IMPLICIT_NODE' },
      })
    } finally {
      await client.close()
    }
  })
})
