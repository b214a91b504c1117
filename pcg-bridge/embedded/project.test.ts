// The project on disk: kills, broken files, failed saves, and everything there again after reopening.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEmbeddedEditor } from './index.ts'
import {
  aProjectEachTest,
  at,
  call,
  content,
  directory,
  editor,
  generate,
  info,
  look,
  reopen,
  sampled,
} from './project.fixture.ts'

const isLong = process.env.GANTRY_FUZZ_RUNS !== undefined || process.env.GANTRY_FUZZ_MINUTES !== undefined
const KILLS = isLong ? 50 : 3

aProjectEachTest()

describe('on disk', () => {
  it('a broken asset is renamed and listed; the others load, and a new one may take its name', async () => {
    await call('create_pcg_graph', { name: 'Good' })
    await writeFile(content('PCG', 'Bad.pcg.json'), '{"kind":"PCGGraph","nodes":')
    await writeFile(content('PCG', 'Odd.pcg.json'), '{"kind":"PCGGraph","version":1}')
    await reopen()
    const { graphs, unreadable } = await look('list_pcg_graphs', {})
    expect(graphs.map((item) => item.asset_path)).toEqual(['/Game/PCG/Good'])
    expect(unreadable.map((item) => item.file)).toEqual(
      ['Bad', 'Odd'].map((name) => path.join('Content', 'PCG', `${name}.pcg.json.unreadable`)),
    )
    expect(await readFile(content('PCG', 'Bad.pcg.json.unreadable'), 'utf8')).toContain('"nodes":')
    expect(await call('create_pcg_graph', { name: 'Bad' })).toMatchObject({ created: true })
    await reopen()
    expect((await look('list_pcg_graphs', {})).unreadable).toHaveLength(2)
  })

  it('a broken level is renamed as well, and the project opens', async () => {
    await writeFile(content('Maps', 'Main.level.json'), 'not json')
    await reopen()
    expect((await look('list_pcg_actors', {})).actors.length).toBeGreaterThan(0)
    expect(await readdir(content('Maps'))).toContain('Main.level.json.unreadable')
  })

  it('links and a level path that lead out of the project are not followed', async () => {
    const outside = await mkdtemp(path.join(tmpdir(), 'pcg-outside-'))
    await writeFile(path.join(outside, 'Secret.pcg.json'), '{}')
    await symlink(outside, content('Linked'))
    await reopen()
    expect(await readdir(outside)).toEqual(['Secret.pcg.json'])
    await editor.close()
    await writeFile(
      path.join(directory, 'project.json'),
      JSON.stringify({ name: 'x', plugins: { PCG: true }, level: '/Game/../../up' }),
    )
    await expect(openEmbeddedEditor({ directory })).rejects.toThrow(/content path/)
    await writeFile(
      path.join(directory, 'project.json'),
      JSON.stringify({ name: 'x', plugins: { PCG: true }, level: '/Game/Maps/Main' }),
    )
    await reopen()
    await rm(outside, { recursive: true })
  })

  it('without the PCG plugin a graph cannot be created [pcg.create_pcg_graph.plugin]', async () => {
    await editor.close()
    await writeFile(
      path.join(directory, 'project.json'),
      JSON.stringify({ name: 'x', plugins: { PCG: false }, level: '/Game/Maps/Main' }),
    )
    await reopen()
    await expect(call('create_pcg_graph', { name: 'A' })).rejects.toMatchObject({ code: 'PLUGIN_DISABLED' })
  })

  it('a failed save is reported, the edit stays in the open project, and the next save brings it to disk [pcg.error.4-save]', async () => {
    await sampled()
    await rename(content('PCG'), content('Away'))
    await writeFile(content('PCG'), 'a file where the folder was')
    const added = await call('add_pcg_node', { ...at, node_type: 'PCGDensityFilterSettings' })
    expect(added).toMatchObject({ saved: false, node_count: 2 })
    expect(added.save_error).toContain('could not be written')
    expect(await info()).toMatchObject({ node_count: 2 })
    await expect(call('add_pcg_graph_parameter', { ...at, name: 'P', type: 'int' })).rejects.toMatchObject({
      code: 'EDITOR_ERROR',
    })
    expect(await call('get_pcg_graph_parameters', at)).toMatchObject({ parameter_count: 0 })
    await rm(content('PCG'))
    await rename(content('Away'), content('PCG'))
    expect(await call('create_pcg_graph', { name: 'Wood' })).toMatchObject({
      already_exists: true,
      saved: true,
      node_count: 2,
    })
    await reopen()
    expect(await info()).toMatchObject({ node_count: 2, edge_count: 2 })
  })

  it(`a kill during a save leaves every file whole, after ${KILLS} kills (security case PC-22; in the long mode: 50; whole-file.test.ts has those of its way of writing)`, {
    timeout: 600_000,
  }, async () => {
    const script = `
      const { openEmbeddedEditor } = await import(${JSON.stringify(path.join(import.meta.dirname, 'index.ts'))})
      const editor = await openEmbeddedEditor({ directory: ${JSON.stringify(directory)} })
      const who = { actor: 'x', source: 'mcp' }
      await editor.tools.create_pcg_graph({ name: 'Busy', package_path: '/Game/PCG' }, who)
      process.stdout.write('ready')
      for (;;) await editor.tools.add_pcg_node({ pcg_graph_path: '/Game/PCG/Busy', node_type: 'PCGMergeSettings' }, who)`
    for (let round = 0; round < KILLS; round++) {
      await editor.close()
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, NODE_COMPILE_CACHE: path.join(tmpdir(), 'gantry-e2e-compiled') },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, 20 + (round % 7) * 15))
      child.kill('SIGKILL')
      await once(child, 'exit')
      await reopen()
      expect((await look('list_pcg_graphs', {})).unreadable).toEqual([])
      const shown = await call('get_pcg_graph_info', { pcg_graph_path: '/Game/PCG/Busy' })
      expect(shown.nodes).toHaveLength(shown.node_count)
      expect((await readdir(content('PCG'))).filter((name) => name.endsWith('.tmp'))).toEqual([])
    }
  })

  it('everything is there after reopening, what was generated too [pcg.general.saved]', async () => {
    const { volume } = await sampled()
    await generate(volume)
    const before = [
      await info(),
      await call('get_pcg_component_info', { actor_name: volume }),
      await call('get_pcg_generated_data', { actor_name: volume }),
    ]
    await reopen()
    expect([
      await info(),
      await call('get_pcg_component_info', { actor_name: volume }),
      await call('get_pcg_generated_data', { actor_name: volume }),
    ]).toEqual(before)
    expect(before[1]).toMatchObject({ generated: true })
  })
})
