// The embedded editor against the suite of every editor.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ActorDoc } from '../editor/document.ts'
import { firstLevel } from '../editor/document.ts'
import { editorSuite } from '../editor/editor.suite.ts'
import { openEmbeddedEditor } from './index.ts'

function rock(serial: number): ActorDoc {
  return {
    name: `Rock_${serial}`,
    label: `Rock ${serial}`,
    class: 'StaticMeshActor',
    location: [serial * 1000, 0, 0],
    rotation: [0, 0, 0],
    scale: [1, 1, 1],
    halfSize: [100, 100, 100],
    tags: [],
  }
}

editorSuite('embedded editor', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'pcg-suite-'))
  const level = firstLevel()
  level.actors.push(...Array.from({ length: 20 }, (_, i) => rock(i)))
  await mkdir(path.join(directory, 'Content', 'Maps'), { recursive: true })
  await writeFile(path.join(directory, 'Content', 'Maps', 'Main.level.json'), JSON.stringify(level))
  await mkdir(path.join(directory, 'Content', 'PCG'), { recursive: true })
  const instance = { kind: 'PCGGraphInstance', version: 1, graph: '/Game/PCG/Any', overrides: {} }
  await writeFile(path.join(directory, 'Content', 'PCG', 'AnInstance.pcg.json'), JSON.stringify(instance))
  const editor = await openEmbeddedEditor({ directory })
  let next = 0
  return {
    editor,
    freshActor: () => `Rock_${next++}`,
    instanceOf: async () => '/Game/PCG/AnInstance',
    dispose: async () => {
      await editor.close()
      await rm(directory, { recursive: true })
    },
  }
})
