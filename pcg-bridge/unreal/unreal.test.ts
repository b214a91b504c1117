// The suite of every editor on the double of Unreal, through each carrier.
import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { NODE_TYPES } from '../catalog/node-types.ts'
import { editorSuite } from '../editor/editor.suite.ts'
import { type Double, NO_PYTHON, ownGroup, startDouble } from './double.fixture.ts'
import { openUnrealEditor, type UnrealOptions } from './index.ts'

const API: Readonly<Record<string, { methods: unknown[]; properties: unknown[] }>> = JSON.parse(
  readFileSync(new URL('../../e2e/corpora/unreal/python-api.json', import.meta.url), 'utf8'),
)
/** The listing gives a renamed class nothing but its new name as base. */
const RENAMED = NODE_TYPES.map(({ name }) => name).filter(
  (name) => API[name] && API[name].methods.length + API[name].properties.length === 0,
)

type Start = () => Promise<{ double: Double; options: UnrealOptions }>

const WAYS: Readonly<Record<string, Start>> = {
  'Remote Control': async () => {
    const double = await startDouble({ remoteControl: {} })
    return { double, options: { driver: 'remote-control', url: double.remoteControl, project: double.project } }
  },
  'remote execution': async () => {
    const group = ownGroup()
    const double = await startDouble({ remoteExecution: { group, piece: 1013 } })
    return { double, options: { driver: 'remote-execution', url: `udp://${group}` } }
  },
  'the MCP server of 5.8': async () => {
    const double = await startDouble({ remoteControl: {}, mcp: { stream: true }, toolsets: false })
    return { double, options: { driver: 'unreal-mcp', url: double.mcp, remoteControlUrl: double.remoteControl } }
  },
}

if (NO_PYTHON)
  describe('Unreal', () => {
    it.skip(`the suite of every editor (${NO_PYTHON})`)
  })
else
  for (const [way, start] of Object.entries(WAYS))
    editorSuite(`Unreal double over ${way}`, async () => {
      const { double, options } = await start()
      const editor = openUnrealEditor(options)
      await editor.connect()
      let next = 0
      return {
        editor,
        renamed: RENAMED,
        freshActor: () => `StaticMeshActor_${(next += 1)}`,
        instanceOf: async (graph) => {
          await double.order({ do: 'instance', graph })
          return '/Game/PCG/AnInstance'
        },
        dispose: async () => {
          await editor.close()
          await double.dispose()
        },
      }
    })
