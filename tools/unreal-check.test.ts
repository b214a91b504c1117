// The first-contact check says what is as expected and what is not, on the double of Unreal.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { NO_PYTHON, startDouble } from '../pcg-bridge/unreal/double.fixture.ts'
import { openUnrealEditor, SETUP } from '../pcg-bridge/unreal/index.ts'
import { checkEditor, reportOf } from './unreal-check.ts'

describe.skipIf(NO_PYTHON)(`unreal:check${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  async function run(engine: string, write: boolean) {
    const double = await startDouble({ engine, remoteControl: {} })
    await double.order({ do: 'asset', class: 'StaticMesh', path: '/Engine/BasicShapes/Cube' })
    await double.order({ do: 'asset', class: 'PCGGraph', path: '/PCG/Library/Scatter' })
    await double.order({ do: 'furnish' })
    const editor = openUnrealEditor({ driver: 'remote-control', url: double.remoteControl, autoConnect: false })
    try {
      await editor.connect()
      const lines = await checkEditor(editor, write, () => undefined)
      const report = reportOf(lines, engine, double.project)
      return { lines, requests: (await double.ledger()).requests, report, project: double.project }
    } finally {
      await editor.close()
      await double.dispose()
    }
  }

  it('without --write changes nothing', async () => {
    const { lines, requests } = await run('5.8.0', false)
    expect(lines.filter(({ mark }) => mark === 'failed')).toEqual([])
    expect(lines).toContainEqual({ mark: 'ok', text: 'level read: landscapes 1, splines 2, volumes 1' })
    expect(requests.filter((op) => !/^(identify|prove|read_|list_|sample_)/.test(op))).toEqual([])
  })

  it('with --write goes through every group of tools', async () => {
    const { lines, report, project } = await run('5.8.0', true)
    expect(lines.filter(({ mark }) => mark === 'failed')).toEqual([])
    const text = lines.map((line) => line.text).join('\n')
    for (const part of ['node classes added', 'three edges', 'read back', 'parameter of type string', 'cleaned true'])
      expect(text).toContain(part)
    for (const part of [
      'mesh entries: wrote /Engine/BasicShapes/Cube',
      'selector $Position.Z: read "$Position.Z"',
      'plugin graph /PCG/Library/Scatter',
      "the editor calls it 'Points Per Squared Meter'",
      'partitioned component cleaned true',
      'comment box in /Game/GantryCheck/Comment_',
      'undo of 4 edits: 6 steps, all done; 1 node, 1 edge',
      'tool GetNodeDataView takes pCGVolume, node, attributeName, pinLabel?',
      'first row {"$Position":[0,-50,0]',
    ])
      expect(text).toContain(part)
    expect(report).toContain('# Gantry, first contact with Unreal 5.8.0')
    expect(report).toContain('selector $Position.Z')
    expect(report).not.toContain(project)
  }, 120_000)

  it('what an older engine cannot do is a difference, not a failure', async () => {
    const { lines } = await run('5.4.0', true)
    expect(lines.filter(({ mark }) => mark === 'failed')).toEqual([])
    expect(lines.find(({ mark, text }) => mark === 'differs' && text.includes('UE 5.4.0 cannot add'))).toBeDefined()
  })
})

it('the page and the assistant name the same keys', () => {
  const page = readFileSync(new URL('../docs/unreal-first-contact.md', import.meta.url), 'utf8')
  const lines = Object.values(SETUP).flatMap(({ steps }) =>
    steps.flatMap(({ text, file }) => (file ? text.split('\n') : [])),
  )
  const keys = lines.filter((line) => /^(\[|\+?\w+=)/.test(line) && !line.endsWith('BindAddress=0.0.0.0'))
  expect(keys.length).toBeGreaterThan(15)
  for (const key of keys) expect(page).toContain(key)
})
